// Years of results as the commands see them: HistoryService without gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_HISTORY_CLIENT_H_
#define SHAKEDOWN_CONTROLLER_CLI_HISTORY_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::cli {

// As Farm: blocks for at most 30 s, one thread, the farm's own errors.
class HistoryClient {
 public:
  virtual ~HistoryClient() = default;
  virtual absl::StatusOr<v1::ListSeriesResponse> ListSeries(
      const v1::ListSeriesRequest& request) = 0;
  virtual absl::StatusOr<v1::GetHistoryResponse> GetHistory(
      const v1::GetHistoryRequest& request) = 0;
  virtual absl::StatusOr<v1::ListRegressionsResponse> ListRegressions(
      const v1::ListRegressionsRequest& request) = 0;
  virtual absl::StatusOr<v1::RegressionView> GetRegression(
      const v1::GetRegressionRequest& request) = 0;
  virtual absl::StatusOr<v1::RegressionView> SetRegression(
      const v1::SetRegressionRequest& request) = 0;
};

class GrpcChannel;
std::unique_ptr<HistoryClient> MakeGrpcHistory(std::shared_ptr<GrpcChannel> channel);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_HISTORY_CLIENT_H_
