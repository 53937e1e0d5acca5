// What tells perf stat's outputs apart when they follow one another.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_PERF_STAT_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_PERF_STAT_H_

#include "absl/strings/string_view.h"

namespace shakedown::importer {

// A row of -x.
bool IsPerfCsv(absl::string_view text);
// The heading of -I.
bool IsPerfInterval(absl::string_view text);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_PERF_STAT_H_
