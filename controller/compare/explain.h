// Where a verdict comes from, down to the raw values.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_EXPLAIN_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_EXPLAIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// For each challenger (or the one of `letter`): the verdict with its interval and why it is that,
// the estimator and its level, each block's pair with its difference, the blocks left out with
// their reasons, and every measured iteration of every boot. `metric` is a name, or the beginning
// of one; "2:make.real" means the second load's. NotFound: no such metric or challenger, with those
// that there are. InvalidArgument: the beginning of several.
absl::StatusOr<std::string> Explain(const v1::ReportData& data, const v1::Report& report,
                                    absl::string_view metric, absl::string_view letter);

}  // namespace shakedown::compare

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_EXPLAIN_H_
