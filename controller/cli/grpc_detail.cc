#include <memory>
#include <utility>

#include "controller/cli/detail_client.h"
#include "controller/cli/grpc_channel.h"
#include "shakedown/v1/detail.grpc.pb.h"

namespace shakedown::cli {
namespace {

using Stub = v1::DetailService::Stub;

class GrpcDetail : public DetailClient {
 public:
  explicit GrpcDetail(std::shared_ptr<GrpcChannel> channel)
      : channel_(std::move(channel)), stub_(v1::DetailService::NewStub(channel_->channel())) {}

  absl::StatusOr<v1::GetBootResponse> GetBoot(const v1::GetBootRequest& request) override {
    return channel_->Call(*stub_, &Stub::GetBoot, request);
  }
  absl::StatusOr<v1::ExplainResponse> Explain(const v1::ExplainRequest& request) override {
    return channel_->Call(*stub_, &Stub::Explain, request);
  }
  absl::StatusOr<v1::ListQueueResponse> ListQueue(const v1::ListQueueRequest& request) override {
    return channel_->Call(*stub_, &Stub::ListQueue, request);
  }

 private:
  const std::shared_ptr<GrpcChannel> channel_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace

std::unique_ptr<DetailClient> MakeGrpcDetail(std::shared_ptr<GrpcChannel> channel) {
  return std::make_unique<GrpcDetail>(std::move(channel));
}

}  // namespace shakedown::cli
