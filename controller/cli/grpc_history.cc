#include <utility>

#include "controller/cli/grpc_channel.h"
#include "controller/cli/history_client.h"
#include "shakedown/v1/history.grpc.pb.h"

namespace shakedown::cli {
namespace {

using Stub = v1::HistoryService::Stub;

class GrpcHistory : public HistoryClient {
 public:
  explicit GrpcHistory(std::shared_ptr<GrpcChannel> channel)
      : channel_(std::move(channel)), stub_(v1::HistoryService::NewStub(channel_->channel())) {}

  absl::StatusOr<v1::ListSeriesResponse> ListSeries(const v1::ListSeriesRequest& request) override {
    return channel_->Call(*stub_, &Stub::ListSeries, request);
  }
  absl::StatusOr<v1::GetHistoryResponse> GetHistory(const v1::GetHistoryRequest& request) override {
    return channel_->Call(*stub_, &Stub::GetHistory, request);
  }
  absl::StatusOr<v1::ListRegressionsResponse> ListRegressions(
      const v1::ListRegressionsRequest& request) override {
    return channel_->Call(*stub_, &Stub::ListRegressions, request);
  }
  absl::StatusOr<v1::RegressionView> GetRegression(
      const v1::GetRegressionRequest& request) override {
    return channel_->Call(*stub_, &Stub::GetRegression, request);
  }
  absl::StatusOr<v1::RegressionView> SetRegression(
      const v1::SetRegressionRequest& request) override {
    return channel_->Call(*stub_, &Stub::SetRegression, request);
  }

 private:
  const std::shared_ptr<GrpcChannel> channel_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace

std::unique_ptr<HistoryClient> MakeGrpcHistory(std::shared_ptr<GrpcChannel> channel) {
  return std::make_unique<GrpcHistory>(std::move(channel));
}

}  // namespace shakedown::cli
