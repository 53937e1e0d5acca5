// What the views of a job share: its boots in order, and the words for one boot or build.
#ifndef SHAKEDOWN_CONTROLLER_CLI_JOB_PARTS_H_
#define SHAKEDOWN_CONTROLLER_CLI_JOB_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "controller/cli/screen.h"
#include "controller/plan/views.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

using plan::LastAttempts;
using plan::LastAttemptsOf;

Tone ToneOf(v1::Outcome outcome);
// Ended, and not measured.
bool Failed(const v1::BootView& boot);
bool Failed(const v1::BuildView& build);

// "latt 2/3 45%" or "running".
std::string PhaseText(absl::string_view phase, float progress);
// ", about 12 min left", or nothing.
std::string LeftText(const v1::JobView& job);
// "Job 17: CFS against EEVDF".
std::string JobTitle(const v1::JobView& job);

// The last `most` lines of a console or a compiler, each behind "    | ".
std::vector<Line> TailLines(absl::string_view text, size_t most);
// "17.1B debian-6.12: panicked: REASON" and its console tail.
std::vector<Line> FailedBootLines(const v1::JobView& job, const v1::BootView& boot,
                                  size_t tail_lines);
// "build debian-6.12: failed: ERROR" with the rest of a long error below.
std::vector<Line> FailedBuildLines(const v1::BuildView& build, size_t error_lines);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_JOB_PARTS_H_
