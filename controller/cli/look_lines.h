// What is told of a job's looks, its time budget, and blocks that came later.
#ifndef SHAKEDOWN_CONTROLLER_CLI_LOOK_LINES_H_
#define SHAKEDOWN_CONTROLLER_CLI_LOOK_LINES_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "controller/cli/screen.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

// Blocks that the job has now, repetitions among them.
uint32_t BlocksNow(const v1::JobView& job);

// True for a job of a plain number of blocks without a time budget: there is nothing to tell.
bool IsPlain(const v1::JobSpec& spec);

// "8", "8 to 24": what a stopping rule allows.
std::string BlocksText(const v1::JobSpec& spec);

// "looks after 8, 16 and 24 blocks, the next after 16; time budget 4 h, 2 h 10 min left"; empty for
// a plain job.
std::string StoppingText(const v1::JobView& job, absl::Time now);

// "look 1 after 8 blocks: make.real B inconclusive: goes on"; one a look, and one a repetition:
// "block 9 repeats block 3".
std::vector<Line> LookLines(const v1::JobView& job);

// The same of what is in `after` and was not in `before`, with the numbers of the blocks added and
// those that are not begun any more.
std::vector<Line> LookChanges(const v1::JobView& before, const v1::JobView& after);

// Why the job has no more blocks; nothing for a plain job without repetitions.
std::vector<Line> EndLines(const v1::JobView& job);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_LOOK_LINES_H_
