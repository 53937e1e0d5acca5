// The order of kernels and of anything else that people number.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_ORDER_KEY_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_ORDER_KEY_H_

#include "absl/strings/string_view.h"

namespace shakedown::history {

// Below 0, 0, above 0. Two whole numbers are compared as numbers. Else runs of digits are compared
// as numbers and all else byte by byte, and "-rc" comes before the end and before everything else,
// as in kernel versions: 2.6.9 < 2.6.10, 6.9 < 6.10 (a version, not a decimal fraction), 6.12-rc7
// < 6.12 < 6.12.1 < 6.13-rc1, 2026-09-30 < 2026-10-01. Leading zeros do not count.
int CompareOrderKeys(absl::string_view a, absl::string_view b);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_ORDER_KEY_H_
