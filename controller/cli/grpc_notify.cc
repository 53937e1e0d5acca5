#include <utility>

#include "controller/cli/grpc_channel.h"
#include "controller/cli/notify_client.h"
#include "shakedown/v1/notify.grpc.pb.h"

namespace shakedown::cli {
namespace {

using Stub = v1::NotifyService::Stub;

class GrpcNotify : public NotifyClient {
 public:
  explicit GrpcNotify(std::shared_ptr<GrpcChannel> channel)
      : channel_(std::move(channel)), stub_(v1::NotifyService::NewStub(channel_->channel())) {}

  absl::StatusOr<v1::SubscriptionView> Put(const v1::PutSubscriptionRequest& request) override {
    return channel_->Call(*stub_, &Stub::PutSubscription, request);
  }
  absl::StatusOr<v1::ListSubscriptionsResponse> List() override {
    return channel_->Call(*stub_, &Stub::ListSubscriptions, v1::ListSubscriptionsRequest());
  }
  absl::StatusOr<v1::RemoveSubscriptionResponse> Remove(
      const v1::RemoveSubscriptionRequest& request) override {
    return channel_->Call(*stub_, &Stub::RemoveSubscription, request);
  }
  absl::StatusOr<v1::SubscriptionView> Test(const v1::RemoveSubscriptionRequest& request) override {
    return channel_->Call(*stub_, &Stub::TestSubscription, request);
  }

  absl::Status Export(const v1::ExportRequest& request,
                      const std::function<bool(absl::string_view)>& on) override {
    grpc::ClientContext context;
    channel_->Prepare(context, absl::InfiniteDuration());
    const auto reader = stub_->Export(&context, request);
    bool stopped = false;
    for (v1::ExportChunk chunk; reader->Read(&chunk);) {
      if (stopped || on(chunk.data())) continue;
      stopped = true;
      context.TryCancel();
    }
    const grpc::Status status = reader->Finish();
    return stopped ? absl::CancelledError("stopped") : channel_->ToStatus(status);
  }

 private:
  const std::shared_ptr<GrpcChannel> channel_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace

std::unique_ptr<NotifyClient> MakeGrpcNotify(std::shared_ptr<GrpcChannel> channel) {
  return std::make_unique<GrpcNotify>(std::move(channel));
}

}  // namespace shakedown::cli
