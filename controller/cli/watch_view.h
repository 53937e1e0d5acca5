// A job in progress as text, for a terminal that is drawn over and for a log. Pure.
#ifndef SHAKEDOWN_CONTROLLER_CLI_WATCH_VIEW_H_
#define SHAKEDOWN_CONTROLLER_CLI_WATCH_VIEW_H_

#include <vector>

#include "absl/time/time.h"
#include "controller/cli/screen.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

// The whole job in at most `size.rows` - 1 lines: head, builds that are not done, the grid of
// blocks and variants (a window of it around what runs when it is too high, one sign a boot when it
// is too wide), what runs, the last failure with the end of its console. `now` gives running times.
std::vector<Line> DrawJob(const v1::JobView& job, ScreenSize size, absl::Time now);

// What is new in `after`, one line each: builds and boots that started, changed phase or ended;
// failures with reason and console tail. `before` is null for the first: the head, and all that has
// happened so far. The same view twice gives nothing.
std::vector<Line> JobChanges(const v1::JobView* before, const v1::JobView& after);

// After the end: how long, how many of each outcome, each failed boot and build with reason and
// tail.
std::vector<Line> JobSummary(const v1::JobView& job);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_WATCH_VIEW_H_
