// BisectService without gRPC: check, call, answer.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "controller/service/farm_api.h"
#include "db/store/database.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::service {

// Good, bad, metric and job of a regression, for a request that names nothing else. NotFound.
using RegressionReader = std::function<absl::StatusOr<v1::StartBisectRequest>(int64_t regression)>;

// Thread-safe; each function blocks for short transactions. The references outlive it. Errors as
// FarmApi's.
class BisectApi {
 public:
  // Without a reader requests that name a regression alone are FailedPrecondition.
  BisectApi(store::Database& database, FarmApi& farm, RegressionReader regressions = nullptr);

  absl::StatusOr<v1::BisectView> StartBisect(const store::Principal& caller,
                                             const v1::StartBisectRequest& request);
  // Simulates some hundred bisects: takes a second at most.
  absl::StatusOr<v1::BisectPlan> PlanBisect(const v1::StartBisectRequest& request);
  absl::StatusOr<v1::BisectView> GetBisect(int64_t bisect);
  absl::StatusOr<v1::ListBisectsResponse> ListBisects(const v1::ListBisectsRequest& request);
  // Also its running job, by the keeper.
  absl::StatusOr<v1::BisectView> CancelBisect(const store::Principal& caller, int64_t bisect);

 private:
  absl::StatusOr<v1::StartBisectRequest> Complete(v1::StartBisectRequest request);
  absl::Status SetCandidates(v1::StartBisectRequest* request);
  absl::Status CheckCommits(v1::StartBisectRequest* request);
  absl::Status CheckKernels(const v1::StartBisectRequest& request);
  absl::StatusOr<v1::PlanJobResponse> PlanEnds(const v1::StartBisectRequest& request);

  store::Database& database_;
  FarmApi& farm_;
  const RegressionReader regressions_;
};

}  // namespace shakedown::service
