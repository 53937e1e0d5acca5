#include "db/store/outbox.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kMostJobs = 20;
constexpr int kPruneBatch = 5000;
constexpr size_t kMostError = 500;

absl::Status NoSuchSubscription(const std::string& name) {
  return absl::NotFoundError(
      absl::StrCat("subscription ", name, ": you have no such subscription"));
}

void Insert(Transaction& tx, const std::string& owner, const std::string& name,
            const Event& event) {
  tx.exec_params(
      "INSERT INTO outbox (event_key, kind, owner, subscription, subject, body, details) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
      Text(event.key), Text(event.kind), owner, name, Text(event.subject), Text(event.body),
      Text(event.details));
}

Subscription ReadSubscription(const pqxx::row& row) {
  Subscription subscription;
  subscription.owner = row["owner"].as<std::string>();
  subscription.name = row["name"].as<std::string>();
  subscription.webhook = row["webhook"].as<std::string>();
  subscription.email = row["email"].as<std::string>();
  subscription.filter = row["filter"].as<std::string>();
  return subscription;
}

v1::SubscriptionView ReadView(const pqxx::row& row) {
  v1::SubscriptionView view;
  view.set_name(row["name"].as<std::string>());
  for (const std::string& event : ReadTextArray(row["events"])) view.add_events(event);
  view.set_webhook(row["webhook"].as<std::string>());
  view.set_email(row["email"].as<std::string>());
  view.set_filter(row["filter"].as<std::string>());
  if (row["last_sent"].as<int64_t>() != 0) *view.mutable_last_sent() = ReadTime(row["last_sent"]);
  view.set_last_error(row["last_error"].as<std::string>());
  view.set_waiting(row["waiting"].as<uint32_t>());
  return view;
}

}  // namespace

absl::Status PutSubscription(Database& database, const Subscription& subscription) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    // Two puts of one owner count one after the other.
    tx.exec_params("SELECT pg_advisory_xact_lock(hashtextextended('subscriptions ' || $1, 0))",
                   Text(subscription.owner));
    const pqxx::row others =
        tx.exec_params1("SELECT count(*) FROM subscriptions WHERE owner = $1 AND name <> $2",
                        Text(subscription.owner), Text(subscription.name));
    if (others[0].as<int>() >= kMostSubscriptions) {
      return absl::ResourceExhaustedError(absl::StrCat("subscription ", subscription.name,
                                                       ": you have ", kMostSubscriptions,
                                                       " others, remove one first"));
    }
    tx.exec_params(
        "INSERT INTO subscriptions (owner, name, events, webhook, email, filter, secret) "
        "VALUES ($1, $2, $3::text[], $4, $5, $6, $7) ON CONFLICT (owner, name) DO UPDATE SET "
        "events = excluded.events, webhook = excluded.webhook, email = excluded.email, "
        "filter = excluded.filter, secret = excluded.secret",
        Text(subscription.owner), Text(subscription.name), TextArray(subscription.events),
        Text(subscription.webhook), Text(subscription.email), Text(subscription.filter),
        Bytes(subscription.secret));
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<v1::SubscriptionView>> ListSubscriptions(Database& database,
                                                                    const std::string& owner) {
  std::vector<v1::SubscriptionView> views;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    views.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT s.name, s.events, s.webhook, s.email, s.filter, "
        "coalesce(" SHAKEDOWN_MICROS("(SELECT max(sent_at) FROM outbox o WHERE o.owner = s.owner "
        "AND o.subscription = s.name)") ", 0) AS last_sent, "
        "coalesce((SELECT last_error FROM outbox o WHERE o.owner = s.owner AND o.subscription = "
        "s.name ORDER BY id DESC LIMIT 1), '') AS last_error, "
        "(SELECT count(*) FROM outbox o WHERE o.owner = s.owner AND o.subscription = s.name "
        "AND sent_at IS NULL AND given_up_at IS NULL) AS waiting "
        "FROM subscriptions s WHERE s.owner = $1 ORDER BY s.name",
        Text(owner));
    for (const pqxx::row& row : rows) views.push_back(ReadView(row));
    return absl::OkStatus();
  }));
  return views;
}

absl::Status RemoveSubscription(Database& database, const std::string& owner,
                                const std::string& name) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result gone = tx.exec_params(
        "DELETE FROM subscriptions WHERE owner = $1 AND name = $2", Text(owner), Text(name));
    return gone.affected_rows() == 1 ? absl::OkStatus() : NoSuchSubscription(name);
  });
}

absl::StatusOr<int> Announce(Database& database, const Event& event, Wants wants) {
  int count = 0;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    count = 0;
    const bool first = tx.exec_params(
                             "INSERT INTO announced_events (key, kind) VALUES ($1, $2) "
                             "ON CONFLICT DO NOTHING",
                             Text(event.key), Text(event.kind))
                           .affected_rows() == 1;
    if (!first) return absl::OkStatus();
    const pqxx::result rows = tx.exec_params(
        "SELECT owner, name, webhook, email, filter FROM subscriptions "
        "WHERE $1 = ANY (events) ORDER BY owner, name FOR SHARE",
        Text(event.kind));
    for (const pqxx::row& row : rows) {
      const Subscription subscription = ReadSubscription(row);
      if (!wants(subscription, event)) continue;
      Insert(tx, subscription.owner, subscription.name, event);
      ++count;
    }
    return absl::OkStatus();
  }));
  return count;
}

absl::Status AnnounceTo(Database& database, const std::string& owner, const std::string& name,
                        const Event& event) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found =
        tx.exec_params("SELECT FROM subscriptions WHERE owner = $1 AND name = $2 FOR SHARE",
                       Text(owner), Text(name));
    if (found.empty()) return NoSuchSubscription(name);
    Insert(tx, owner, name, event);
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<int64_t>> UnannouncedJobs(Database& database) {
  std::vector<int64_t> jobs;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    jobs.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT j.id FROM jobs j WHERE j.ended_at IS NOT NULL "
        "AND j.ended_at >= greatest((SELECT at FROM notify_start), now() - interval '7 days') "
        "AND NOT EXISTS (SELECT FROM announced_events WHERE key = 'job_end:' || j.id) "
        "AND NOT EXISTS (SELECT FROM bisect_trials t WHERE t.request_id = j.request_id) "
        "ORDER BY j.ended_at, j.id LIMIT $1",
        kMostJobs);
    for (const pqxx::row& row : rows) jobs.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  return jobs;
}

absl::StatusOr<std::vector<SickNow>> NoteSick(Database& database, const std::vector<Sickness>& sick,
                                              absl::Duration settled) {
  std::vector<std::string> machines, kinds;
  for (const Sickness& one : sick) {
    machines.push_back(one.machine);
    kinds.push_back(one.kind);
  }
  std::vector<SickNow> due;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    due.clear();
    tx.exec_params(
        "DELETE FROM sick_machines WHERE (machine, kind) NOT IN "
        "(SELECT * FROM unnest($1::text[], $2::text[]))",
        TextArray(machines), TextArray(kinds));
    tx.exec_params(
        "INSERT INTO sick_machines (machine, kind) SELECT DISTINCT * FROM unnest($1::text[], "
        "$2::text[]) ON CONFLICT DO NOTHING",
        TextArray(machines), TextArray(kinds));
    const pqxx::result rows = tx.exec_params(
        "SELECT machine, kind, " SHAKEDOWN_MICROS("since") " AS since FROM sick_machines "
        "WHERE NOT announced AND since <= now() - $1 * interval '1 second' ORDER BY 1, 2",
        absl::ToDoubleSeconds(settled));
    for (const pqxx::row& row : rows) {
      SickNow& now = due.emplace_back();
      now.sickness = {row["machine"].as<std::string>(), row["kind"].as<std::string>()};
      now.key = absl::StrCat("machine_sick:", now.sickness.machine, ":", now.sickness.kind, ":",
                             row["since"].as<int64_t>());
    }
    return absl::OkStatus();
  }));
  return due;
}

absl::Status SicknessAnnounced(Database& database, const Sickness& sickness) {
  return Write(database, [&](Transaction& tx) {
    tx.exec_params("UPDATE sick_machines SET announced = true WHERE machine = $1 AND kind = $2",
                   Text(sickness.machine), Text(sickness.kind));
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<Delivery>> ClaimDelivery(Database& database, absl::Duration lease) {
  std::optional<Delivery> delivery;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    delivery.reset();
    const pqxx::result rows = tx.exec_params(
        "UPDATE outbox o SET tries = tries + 1, next_try = now() + $1 * interval '1 second' "
        "FROM subscriptions s WHERE s.owner = o.owner AND s.name = o.subscription AND o.id = "
        "(SELECT id FROM outbox WHERE sent_at IS NULL AND given_up_at IS NULL AND next_try <= "
        "now() "
        "ORDER BY next_try, id LIMIT 1 FOR UPDATE SKIP LOCKED) "
        "RETURNING o.id, o.event_id, o.kind, o.owner, s.webhook, s.email, s.secret, o.subject, "
        "o.body, o.details, " SHAKEDOWN_MICROS("o.created_at") " AS created",
        absl::ToDoubleSeconds(lease));
    if (rows.empty()) return absl::OkStatus();
    const pqxx::row& row = rows[0];
    delivery.emplace();
    delivery->id = row["id"].as<int64_t>();
    delivery->event_id = row["event_id"].as<std::string>();
    delivery->kind = row["kind"].as<std::string>();
    delivery->owner = row["owner"].as<std::string>();
    delivery->webhook = row["webhook"].as<std::string>();
    delivery->email = row["email"].as<std::string>();
    delivery->secret = ReadBytes(row["secret"]);
    delivery->subject = row["subject"].as<std::string>();
    delivery->body = row["body"].as<std::string>();
    delivery->details = row["details"].as<std::string>();
    delivery->created = absl::FromUnixMicros(row["created"].as<int64_t>());
    return absl::OkStatus();
  }));
  return delivery;
}

absl::Status DeliverySent(Database& database, int64_t delivery) {
  return Write(database, [&](Transaction& tx) {
    tx.exec_params(
        "UPDATE outbox SET sent_at = now(), last_error = '' WHERE id = $1 AND sent_at IS NULL "
        "AND given_up_at IS NULL",
        delivery);
    return absl::OkStatus();
  });
}

absl::Status DeliveryFailed(Database& database, int64_t delivery, const std::string& error,
                            bool for_good) {
  return Write(database, [&](Transaction& tx) {
    tx.exec_params(
        "UPDATE outbox SET "
        "given_up_at = CASE WHEN $3 OR created_at < now() - interval '1 day' THEN now() END, "
        "last_error = CASE WHEN $3 OR created_at < now() - interval '1 day' "
        "THEN 'given up after ' || tries || ' tries: ' || $2 ELSE $2 END, "
        "next_try = now() + least(30 * power(2, least(tries - 1, 7)), 3600) * interval '1 second' "
        "WHERE id = $1 AND sent_at IS NULL AND given_up_at IS NULL",
        delivery, Text(absl::string_view(error).substr(0, kMostError)), for_good);
    return absl::OkStatus();
  });
}

absl::StatusOr<int> PruneOutbox(Database& database) {
  int rows = 0;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    rows = static_cast<int>(
        tx.exec_params("DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE created_at < "
                       "now() - interval '30 days' AND (sent_at IS NOT NULL OR given_up_at IS NOT "
                       "NULL) ORDER BY created_at LIMIT $1)",
                       kPruneBatch)
            .affected_rows());
    rows += static_cast<int>(
        tx.exec_params(
              "DELETE FROM announced_events WHERE key IN (SELECT key FROM "
              "announced_events WHERE at < now() - interval '30 days' ORDER BY at LIMIT $1)",
              kPruneBatch)
            .affected_rows());
    return absl::OkStatus();
  }));
  return rows;
}

}  // namespace shakedown::store
