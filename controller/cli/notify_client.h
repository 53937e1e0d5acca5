// Subscriptions and exports as the commands see them: NotifyService without gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_NOTIFY_CLIENT_H_
#define SHAKEDOWN_CONTROLLER_CLI_NOTIFY_CLIENT_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/notify.pb.h"

namespace shakedown::cli {

// As Farm: blocks for at most 30 s, but for Export, one thread, the farm's own errors.
class NotifyClient {
 public:
  virtual ~NotifyClient() = default;
  virtual absl::StatusOr<v1::SubscriptionView> Put(const v1::PutSubscriptionRequest& request) = 0;
  virtual absl::StatusOr<v1::ListSubscriptionsResponse> List() = 0;
  virtual absl::StatusOr<v1::RemoveSubscriptionResponse> Remove(
      const v1::RemoveSubscriptionRequest& request) = 0;
  virtual absl::StatusOr<v1::SubscriptionView> Test(
      const v1::RemoveSubscriptionRequest& request) = 0;
  // Calls `on` with each piece until the last; false ends it (Cancelled).
  virtual absl::Status Export(const v1::ExportRequest& request,
                              const std::function<bool(absl::string_view)>& on) = 0;
};

class GrpcChannel;
std::unique_ptr<NotifyClient> MakeGrpcNotify(std::shared_ptr<GrpcChannel> channel);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_NOTIFY_CLIENT_H_
