// NotifyService without gRPC: check, call, answer.
#pragma once

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/tokens.h"
#include "shakedown/v1/notify.pb.h"

namespace shakedown::service {

struct NotifyRules {
  bool mail = false;           // The farm has a relay.
  bool allow_private = false;  // Webhooks to private and loopback addresses.
};

// Thread-safe; each function blocks for short transactions. The database outlives it. Errors as
// FarmApi's. A caller sees and changes their own subscriptions alone.
class NotifyApi {
 public:
  NotifyApi(store::Database& database, NotifyRules rules) : database_(database), rules_(rules) {}

  absl::StatusOr<v1::SubscriptionView> PutSubscription(const store::Principal& caller,
                                                       const v1::PutSubscriptionRequest& request);
  absl::StatusOr<v1::ListSubscriptionsResponse> ListSubscriptions(const store::Principal& caller);
  absl::StatusOr<v1::RemoveSubscriptionResponse> RemoveSubscription(
      const store::Principal& caller, const v1::RemoveSubscriptionRequest& request);
  absl::StatusOr<v1::SubscriptionView> TestSubscription(
      const store::Principal& caller, const v1::RemoveSubscriptionRequest& request);

 private:
  absl::StatusOr<v1::SubscriptionView> Find(const store::Principal& caller,
                                            const std::string& name);

  store::Database& database_;
  const NotifyRules rules_;
};

}  // namespace shakedown::service
