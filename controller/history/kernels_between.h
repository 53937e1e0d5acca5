#ifndef SHAKEDOWN_CONTROLLER_HISTORY_KERNELS_BETWEEN_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_KERNELS_BETWEEN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace shakedown::history {

// Those of `names` that differ from `good` and `bad` in their versions alone (runs of digits and
// dots, with -rcN) and lie between them by order_key.h, both included, in that order: debian-6.1,
// debian-6.6, debian-6.12. InvalidArgument: good and bad differ in more than that, or bad is not
// behind good.
absl::StatusOr<std::vector<std::string>> KernelsBetween(const std::vector<std::string>& names,
                                                        const std::string& good,
                                                        const std::string& bad);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_KERNELS_BETWEEN_H_
