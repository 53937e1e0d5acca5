// Regressions: what became of each suspicion, who decided it, and the paired jobs that decide.
#ifndef SHAKEDOWN_DB_STORE_REGRESSIONS_H_
#define SHAKEDOWN_DB_STORE_REGRESSIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/series.h"
#include "shakedown/v1/history.pb.h"
#include "shakedown/v1/job.pb.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::store {

// Jobs that have ended, whose results are all summarised, and whose series nobody has looked at
// since; oldest first, at most 20.
absl::StatusOr<std::vector<int64_t>> JobsToWatch(Database& database);

// Suspicions of one series so far, in any state.
struct KnownRegression {
  int64_t id = 0;
  int64_t good = 0, bad = 0;  // Ids of kernels.
  bool improvement = false;
};
absl::StatusOr<std::vector<KnownRegression>> KnownRegressions(Database& database, int64_t series);

struct NewSuspicion {
  int64_t series = 0;
  size_t known = 0;  // Regressions of the series that were known when it was made.
  int64_t good = 0, bad = 0;
  bool improvement = false;
  double magnitude = 0;
  double p = 1;
  std::string because;
};
// The job's series have been looked at, and this was found: in one transaction, once. False:
// another controller has done it, or knows more of a series by now; nothing was done.
absl::StatusOr<bool> AddSuspicions(Database& database, int64_t job,
                                   const std::vector<NewSuspicion>& suspicions);

// One that waits for a paired job or for its verdict.
struct OpenRegression {
  int64_t id = 0;
  bool improvement = false;
  std::string metric, machine;
  std::string confirm_request;  // Empty: none is under way.
  int64_t confirm_job = 0;
  bool job_ended = false;
};
absl::StatusOr<std::vector<OpenRegression>> OpenRegressions(Database& database);

// What a paired job needs to know of the two kernels: how they were built and run last in the
// series.
struct ConfirmSide {
  v1::ResolvedKernel kernel;
  std::string source_version;
  v1::JobSpec spec;      // Of a job that measured it,
  uint32_t variant = 0;  // under this letter.
};
struct ConfirmSides {
  ConfirmSide good, bad;
  std::string load_sha256;  // history_loads: which of the job's loads it is about.
};
absl::StatusOr<ConfirmSides> GetConfirmSides(Database& database, int64_t regression);

// Takes `boots` from the day's budget and makes the regression "confirming". Gives the request id
// to submit under; nullopt: the budget is used up, or it is no more suspected.
absl::StatusOr<std::optional<std::string>> ReserveConfirm(Database& database, int64_t regression,
                                                          int boots, int budget);
// The job was submitted under that request. Again: OK.
absl::Status SetConfirmJob(Database& database, int64_t regression, const std::string& request,
                           int64_t job);
// No job can be made: suspected again, until somebody opens it anew. The budget is given back.
absl::Status BlockConfirm(Database& database, int64_t regression, absl::string_view why);

struct ConfirmVerdict {
  int64_t regression = 0;
  int64_t job = 0;
  v1::RegressionState state =
      v1::REGRESSION_STATE_UNSPECIFIED;  // CONFIRMED, REFUTED, or SUSPECTED: not told.
  std::string verdict;                   // Of statistics, or why there is none.
  std::string text;                      // One line with n and interval.
};
// Once; what people decided meanwhile stays. False: it was decided already.
absl::StatusOr<bool> DecideConfirm(Database& database, const ConfirmVerdict& verdict);

// With events, without mail. NotFound.
absl::StatusOr<v1::RegressionView> GetRegression(Database& database, int64_t regression);
// Newest first, without events and mail. `open`: suspected, confirming, confirmed, acknowledged.
absl::StatusOr<std::vector<v1::RegressionView>> ListRegressions(Database& database, bool open,
                                                                uint32_t limit, int64_t before);
// By a person: see SetRegressionRequest. NotFound; FailedPrecondition: not from its state.
absl::Status SetRegression(Database& database, int64_t regression, v1::RegressionState state,
                           const std::string& by, const std::string& why);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_REGRESSIONS_H_
