// The paired job that decides whether a suspicion is right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/jobs.h"
#include "db/store/regressions.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::service {

// Boots that it takes at most: three looks at 8, 16 and 24 blocks, or a quick one at 8.
inline constexpr int kConfirmBoots = 48;
inline constexpr int kQuickConfirmBoots = 16;

struct ConfirmWish {
  int64_t regression = 0;
  std::string metric;
  std::string machine;
  bool quick = false;
  std::string request_id;
};

// Last good (A) against first bad (B) on the machine and load of the series, both from the sources
// that were measured, whatever the catalog says by now. FailedPrecondition: a source that can not
// be had again (a local tree). InvalidArgument: as PrepareJob.
absl::StatusOr<store::Submission> ConfirmJob(const store::ConfirmSides& sides,
                                             const std::vector<v1::MachineView>& machines,
                                             const ConfirmWish& wish);

// The load that the series is about. FailedPrecondition: no job that measured the kernel has it.
absl::StatusOr<v1::Load> LoadOf(const store::ConfirmSides& sides);

// What the job's report says of the suspicion. Only "worse" confirms a regression, "better" an
// improvement; "same", "small" and the contrary refute; anything else tells nothing.
store::ConfirmVerdict VerdictOf(const v1::Report& report, const store::OpenRegression& regression);

}  // namespace shakedown::service
