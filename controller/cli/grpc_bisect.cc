#include <utility>

#include "controller/cli/bisect_client.h"
#include "controller/cli/grpc_channel.h"
#include "shakedown/v1/bisect.grpc.pb.h"

namespace shakedown::cli {
namespace {

using Stub = v1::BisectService::Stub;

class GrpcBisects : public BisectClient {
 public:
  explicit GrpcBisects(std::shared_ptr<GrpcChannel> channel)
      : channel_(std::move(channel)), stub_(v1::BisectService::NewStub(channel_->channel())) {}

  absl::StatusOr<v1::BisectView> StartBisect(const v1::StartBisectRequest& request) override {
    return channel_->Call(*stub_, &Stub::StartBisect, request);
  }
  absl::StatusOr<v1::BisectPlan> PlanBisect(const v1::StartBisectRequest& request) override {
    return channel_->Call(*stub_, &Stub::PlanBisect, request);
  }
  absl::StatusOr<v1::BisectView> GetBisect(const v1::GetBisectRequest& request) override {
    return channel_->Call(*stub_, &Stub::GetBisect, request);
  }
  absl::StatusOr<v1::ListBisectsResponse> ListBisects(
      const v1::ListBisectsRequest& request) override {
    return channel_->Call(*stub_, &Stub::ListBisects, request);
  }
  absl::StatusOr<v1::BisectView> CancelBisect(const v1::GetBisectRequest& request) override {
    return channel_->Call(*stub_, &Stub::CancelBisect, request);
  }

 private:
  const std::shared_ptr<GrpcChannel> channel_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace

std::unique_ptr<BisectClient> MakeGrpcBisects(std::shared_ptr<GrpcChannel> channel) {
  return std::make_unique<GrpcBisects>(std::move(channel));
}

}  // namespace shakedown::cli
