// NotifyService over HTTP. What is a caller's own is open to nobody else, not even to read.
#include "controller/web/api.h"
#include "shakedown/v1/notify.pb.h"

namespace shakedown::web {

MethodTable NotifyMethods(const service::Backend& backend) {
  MethodTable table(*v1::ListSubscriptionsRequest::descriptor(), "NotifyService");
  service::NotifyApi& notify = backend.notify;
  table.AddUnary<v1::PutSubscriptionRequest>(
      "PutSubscription", kChanges,
      [&notify](const auto& by, const auto& r) { return notify.PutSubscription(by, r); });
  table.AddUnary<v1::ListSubscriptionsRequest>(
      "ListSubscriptions", kChanges,
      [&notify](const auto& by, const auto&) { return notify.ListSubscriptions(by); });
  table.AddUnary<v1::RemoveSubscriptionRequest>(
      "RemoveSubscription", kChanges,
      [&notify](const auto& by, const auto& r) { return notify.RemoveSubscription(by, r); });
  table.AddUnary<v1::RemoveSubscriptionRequest>(
      "TestSubscription", kChanges,
      [&notify](const auto& by, const auto& r) { return notify.TestSubscription(by, r); });
  return table;
}

}  // namespace shakedown::web
