// Subscriptions, events, and what waits to be delivered.
#ifndef SHAKEDOWN_DB_STORE_OUTBOX_H_
#define SHAKEDOWN_DB_STORE_OUTBOX_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/database.h"
#include "shakedown/v1/notify.pb.h"

namespace shakedown::store {

inline constexpr int kMostSubscriptions = 100;  // Of one owner.

struct Subscription {
  std::string owner;
  std::string name;
  std::vector<std::string> events;
  std::string webhook;  // One of both is empty.
  std::string email;
  std::string filter;
  std::string secret;
};

// Makes or replaces it. ResourceExhausted: the owner has kMostSubscriptions others.
absl::Status PutSubscription(Database& database, const Subscription& subscription);
absl::StatusOr<std::vector<v1::SubscriptionView>> ListSubscriptions(Database& database,
                                                                    const std::string& owner);
// With what waits for it. NotFound: names it.
absl::Status RemoveSubscription(Database& database, const std::string& owner,
                                const std::string& name);

struct Event {
  std::string key;   // Of this event alone: "job_end:17". The same again is announced no more.
  std::string kind;  // "job_end", "regression_confirmed", "machine_sick".
  std::map<std::string, std::vector<std::string>> facts;  // For filters (notify/filter.h).
  std::string subject;                                    // One line.
  std::string body;                                       // For people.
  std::string details;                                    // A JSON object, for programs.
};

// Whether a subscription, whose events have the event's kind, wants it.
using Wants = absl::FunctionRef<bool(const Subscription&, const Event&)>;

// Puts it into the outbox of every subscription that wants it, all or none. Returns how many; 0 as
// well when it was announced before.
absl::StatusOr<int> Announce(Database& database, const Event& event, Wants wants);
// For one subscription, whatever it wants. NotFound: names it.
absl::Status AnnounceTo(Database& database, const std::string& owner, const std::string& name,
                        const Event& event);

// Jobs that have ended and were not announced, oldest first, at most 20; not those of bisects and
// not those that ended more than a week ago.
absl::StatusOr<std::vector<int64_t>> UnannouncedJobs(Database& database);

struct Sickness {
  std::string machine;
  std::string kind;  // "problem", "needs_hands", "control_failed".
};
struct SickNow {
  Sickness sickness;
  std::string key;  // For Event: of this time of being sick.
};
// Takes note of which machines are sick now, and gives those that have been for `settled` and were
// not announced. Who has announced one says so.
absl::StatusOr<std::vector<SickNow>> NoteSick(Database& database, const std::vector<Sickness>& sick,
                                              absl::Duration settled);
absl::Status SicknessAnnounced(Database& database, const Sickness& sickness);

struct Delivery {
  int64_t id = 0;
  std::string event_id;
  std::string kind;
  std::string owner;
  std::string webhook;
  std::string email;
  std::string secret;
  std::string subject;
  std::string body;
  std::string details;
  absl::Time created;
};
// The next one that is due, for the caller alone during `lease`; nullopt: none is.
absl::StatusOr<std::optional<Delivery>> ClaimDelivery(Database& database, absl::Duration lease);
absl::Status DeliverySent(Database& database, int64_t delivery);
// It is tried again, 30 s later and each time after twice as long, at most an hour; not at all when
// it is `for_good` or a day old, which last_error then says.
absl::Status DeliveryFailed(Database& database, int64_t delivery, const std::string& error,
                            bool for_good);

// Forgets what was sent, given up or announced more than 30 days ago, a batch at a time. Rows.
absl::StatusOr<int> PruneOutbox(Database& database);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_OUTBOX_H_
