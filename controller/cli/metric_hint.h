// What to ask in place of a metric that there is not.
#ifndef SHAKEDOWN_CONTROLLER_CLI_METRIC_HINT_H_
#define SHAKEDOWN_CONTROLLER_CLI_METRIC_HINT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "controller/cli/history_client.h"

namespace shakedown::cli {

// What a command takes: one metric, or the beginning of several.
enum class MetricWord { kWhole, kBeginning };

// To stand behind a complaint. `known`: the metrics there are. Where a whole one is wanted, those
// that begin with the word, as "; 36 metrics begin so, such as …"; else the nearest name or
// beginning of one, as DidYouMean(). Empty: nothing is near, or the word is as it should be.
std::string MetricHint(absl::string_view word, MetricWord wanted,
                       const std::vector<std::string>& known);

// The status with a hint from the series on the machine (empty: on any). Anything but NotFound as
// it is, and so it is when the farm can not be asked.
absl::Status WithMetricHint(const absl::Status& status, const std::string& metric,
                            MetricWord wanted, const std::string& machine, HistoryClient& history);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_METRIC_HINT_H_
