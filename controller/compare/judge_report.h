#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// Below this many blocks with numbers on both sides a report has no verdicts at all.
inline constexpr int kFewestBlocksForVerdicts = 6;

// Judges every metric of every challenger against A, in pairs: the two values of one block. Fills
// `comparisons`, `method`, `conclusion` and `no_verdict` from the loads, the variants' failures and
// the hard differences that `report` already holds. All metrics of all challengers are one family
// of primaries and one of secondaries. A job that goes on is judged as of its last look, or not at
// all: a look of one's own would be one too many. See job_looks.h.
// `mixed`: why the numbers of the job's machines must not be pooled (statistics: VM or bare is a
// hard difference); then nothing is judged over all of them, and each machine has verdicts of its
// own. Empty: they are alike.
void AddVerdicts(v1::Report* report, const std::string& mixed = "");

}  // namespace shakedown::compare
