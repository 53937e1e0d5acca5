// Jobs: submit, look, cancel.
#ifndef SHAKEDOWN_DB_STORE_JOBS_H_
#define SHAKEDOWN_DB_STORE_JOBS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

struct VariantKernel {
  v1::ResolvedKernel kernel;
  std::string request_key;        // SHA-256 of what went in, 64 hex digits.
  uint32_t build_limit_s = 7200;  // Of a new build.
};

struct Submission {
  std::string request_id;  // UUID of the caller.
  std::string submitter;
  v1::JobSpec spec;  // Checked and with its defaults filled in by controller/plan; max_attempts 0
                     // is read as 3.
  v1::Plan plan;     // Each variant exactly once in each block.
  std::vector<VariantKernel> variants;  // As spec.variants.
  uint32_t boot_limit_s = 0;            // As in BootOrder.
  uint32_t run_limit_s = 0;
  double block_s = 0;  // What one block takes, by the past or a guess; 0: not known.
};

// Stores the job with all its blocks, boots and builds in one transaction and returns its number;
// once it returns, the job is durable. The same request_id gives the same job, whatever else it
// says. A build that is queued, running or built is shared with every job of the same request key,
// except one that was built more than a day ago from a source that may have moved (newest Debian
// version, local tree). InvalidArgument: the parts do not fit together.
absl::StatusOr<int64_t> SubmitJob(Database& database, const Submission& submission);

// The job of a request, if it was stored.
absl::StatusOr<std::optional<int64_t>> FindJobByRequest(Database& database,
                                                        const std::string& request_id);

// Everything in JobView, `remaining_s` too. NotFound: "job 17: no such job".
absl::StatusOr<v1::JobView> GetJob(Database& database, int64_t job);

// A number that differs whenever GetJob would differ in more than progress and remaining_s. Cheap:
// for watchers. NotFound as GetJob.
absl::StatusOr<int64_t> JobVersion(Database& database, int64_t job);

// Newest first, those below `before_job` (0: all). Without builds, boots and plan.
absl::StatusOr<std::vector<v1::JobView>> ListJobs(Database& database, uint32_t limit,
                                                  int64_t before_job);

// Waiting and queued boots end as cancelled; running ones are flagged and their agents told at the
// next Sync; builds that no other active job needs are cancelled. The job ends when its last boot
// has. Again, or on an ended job: OK. NotFound as GetJob.
absl::Status CancelJob(Database& database, int64_t job);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_JOBS_H_
