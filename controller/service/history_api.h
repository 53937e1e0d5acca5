// HistoryService without gRPC: check, call, answer.
#pragma once

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/tokens.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::service {

// Thread-safe; each function blocks for short transactions. The database outlives it. Errors as
// FarmApi's; ResourceExhausted also for a question whose answer is too long.
class HistoryApi {
 public:
  explicit HistoryApi(store::Database& database) : database_(database) {}

  absl::StatusOr<v1::ListSeriesResponse> ListSeries(const v1::ListSeriesRequest& request);
  absl::StatusOr<v1::GetHistoryResponse> GetHistory(const v1::GetHistoryRequest& request);
  absl::StatusOr<v1::ListRegressionsResponse> ListRegressions(
      const v1::ListRegressionsRequest& request);
  // With the mail that a person may send.
  absl::StatusOr<v1::RegressionView> GetRegression(const v1::GetRegressionRequest& request);
  absl::StatusOr<v1::RegressionView> SetRegression(const store::Principal& caller,
                                                   const v1::SetRegressionRequest& request);

 private:
  store::Database& database_;
};

}  // namespace shakedown::service
