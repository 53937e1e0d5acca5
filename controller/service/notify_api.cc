#include "controller/service/notify_api.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/notify/address.h"
#include "controller/notify/filter.h"
#include "controller/service/notify_events.h"
#include "controller/service/store_call.h"
#include "db/store/outbox.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr const char* kEvents[] = {"job_end", "regression_confirmed", "machine_sick"};
constexpr size_t kLeastSecret = 16;
constexpr size_t kMostSecret = 256;

absl::Status CheckEvents(const v1::PutSubscriptionRequest& request) {
  if (request.events().empty() || request.events_size() > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("events: want one to three of ", absl::StrJoin(kEvents, ", ")));
  }
  for (const std::string& event : request.events()) {
    if (std::find(std::begin(kEvents), std::end(kEvents), event) != std::end(kEvents)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("event ", Quoted(event), ": want one of ", absl::StrJoin(kEvents, ", ")));
  }
  return absl::OkStatus();
}

absl::Status CheckTarget(const v1::PutSubscriptionRequest& request, const NotifyRules& rules) {
  if (request.webhook().empty() == request.email().empty()) {
    return absl::InvalidArgumentError("webhook, email: want exactly one of both");
  }
  if (!request.email().empty()) {
    if (!rules.mail) {
      return absl::FailedPreconditionError(
          "email: this farm has no mail relay (controller's --smtp and --mail-from); use a "
          "webhook");
    }
    return notify::CheckEmail(request.email());
  }
  RETURN_IF_ERROR(notify::CheckWebhook(request.webhook()));
  if (absl::StartsWith(request.webhook(), "http://") && !rules.allow_private) {
    return absl::FailedPreconditionError(
        absl::StrCat("webhook ", Quoted(request.webhook()),
                     ": addresses of the controller's own host want its operator's leave "
                     "(--notify-private)"));
  }
  if (request.secret().size() < kLeastSecret || request.secret().size() > kMostSecret) {
    return absl::InvalidArgumentError(absl::StrCat("secret of ", request.secret().size(),
                                                   " bytes: want ", kLeastSecret, " to ",
                                                   kMostSecret, ", it signs what is sent"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::SubscriptionView> NotifyApi::Find(const store::Principal& caller,
                                                     const std::string& name) {
  ASSIGN_OR_RETURN(const auto views,
                   FromStore([&] { return store::ListSubscriptions(database_, caller.name); }));
  for (const v1::SubscriptionView& view : views) {
    if (view.name() == name) return view;
  }
  return absl::NotFoundError(
      absl::StrCat("subscription ", Quoted(name), ": you have no such subscription"));
}

absl::StatusOr<v1::SubscriptionView> NotifyApi::PutSubscription(
    const store::Principal& caller, const v1::PutSubscriptionRequest& request) {
  RETURN_IF_ERROR(CheckName("subscription", request.name()));
  RETURN_IF_ERROR(CheckEvents(request));
  RETURN_IF_ERROR(CheckTarget(request, rules_));
  RETURN_IF_ERROR(notify::Filter::Parse(request.filter()).status());
  const store::Subscription subscription = {
      .owner = caller.name,
      .name = request.name(),
      .events = {request.events().begin(), request.events().end()},
      .webhook = request.webhook(),
      .email = request.email(),
      .filter = request.filter(),
      .secret = request.webhook().empty() ? "" : request.secret()};
  RETURN_IF_ERROR(FromStore([&] { return store::PutSubscription(database_, subscription); }));
  return Find(caller, request.name());
}

absl::StatusOr<v1::ListSubscriptionsResponse> NotifyApi::ListSubscriptions(
    const store::Principal& caller) {
  ASSIGN_OR_RETURN(const auto views,
                   FromStore([&] { return store::ListSubscriptions(database_, caller.name); }));
  v1::ListSubscriptionsResponse response;
  for (const v1::SubscriptionView& view : views) *response.add_subscriptions() = view;
  return response;
}

absl::StatusOr<v1::RemoveSubscriptionResponse> NotifyApi::RemoveSubscription(
    const store::Principal& caller, const v1::RemoveSubscriptionRequest& request) {
  RETURN_IF_ERROR(CheckName("subscription", request.name()));
  RETURN_IF_ERROR(
      FromStore([&] { return store::RemoveSubscription(database_, caller.name, request.name()); }));
  return v1::RemoveSubscriptionResponse();
}

absl::StatusOr<v1::SubscriptionView> NotifyApi::TestSubscription(
    const store::Principal& caller, const v1::RemoveSubscriptionRequest& request) {
  RETURN_IF_ERROR(CheckName("subscription", request.name()));
  const store::Event event = TestEvent(absl::StrCat("test:", NewUuid()), request.name());
  RETURN_IF_ERROR(
      FromStore([&] { return store::AnnounceTo(database_, caller.name, request.name(), event); }));
  return Find(caller, request.name());
}

}  // namespace shakedown::service
