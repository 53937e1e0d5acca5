#include "controller/service/notifier.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "controller/compare/make_report.h"
#include "controller/notify/signature.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_call.h"
#include "controller/service/store_controls.h"
#include "db/store/agents.h"
#include "db/store/outbox.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

// Longer than a sender may take, so that nobody else tries the same meanwhile.
constexpr absl::Duration kLease = absl::Minutes(2);
// A receiver that is slow to answer does not hold up the others.
constexpr int kAtOnce = 4;

absl::Status AnnounceJob(store::Database& database, int64_t job) {
  ASSIGN_OR_RETURN(const v1::ReportData data, ReadReportData(database, job));
  ASSIGN_OR_RETURN(const store::Event event,
                   NoThrow("report", [&]() -> absl::StatusOr<store::Event> {
                     return JobEndEvent(data, compare::MakeReport(data));
                   }));
  return Announce(database, event);
}

absl::Status AnnounceJobs(store::Database& database) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> jobs,
                   FromStore([&] { return store::UnannouncedJobs(database); }));
  absl::Status first;  // One job's trouble holds up no other's.
  for (const int64_t job : jobs) {
    const absl::Status announced = AnnounceJob(database, job);
    if (!announced.ok() && first.ok()) first = Annotate(announced, absl::StrCat("job ", job));
  }
  return first;
}

std::vector<store::Sickness> SickOf(const std::vector<v1::MachineView>& machines) {
  std::vector<store::Sickness> sick;
  for (const v1::MachineView& machine : machines) {
    const bool hands = machine.state() == "needs_hands" || !machine.hands().empty();
    if (hands) sick.push_back({machine.name(), "needs_hands"});
    if (!hands && machine.state() == "problem") sick.push_back({machine.name(), "problem"});
    // The words of db/store/fleet.cc: the machine's newest A/A control.
    const bool control = machine.detail().find("A/A control failed") != std::string::npos;
    if (control) sick.push_back({machine.name(), "control_failed"});
  }
  return sick;
}

absl::Status AnnounceMachines(store::Database& database, absl::Duration settled) {
  ASSIGN_OR_RETURN(const auto machines, FromStore([&] { return store::ListMachines(database); }));
  ASSIGN_OR_RETURN(const auto due,
                   FromStore([&] { return store::NoteSick(database, SickOf(machines), settled); }));
  std::map<std::string, std::string> details;
  for (const v1::MachineView& machine : machines) {
    details[machine.name()] =
        absl::StrCat(machine.hands(), machine.hands().empty() ? "" : "\n", machine.detail());
  }
  for (const store::SickNow& now : due) {
    RETURN_IF_ERROR(Announce(database, MachineSickEvent(now, details[now.sickness.machine])));
    RETURN_IF_ERROR(FromStore([&] { return store::SicknessAnnounced(database, now.sickness); }));
  }
  return absl::OkStatus();
}

absl::Status SendTo(notify::Sender& sender, const store::Delivery& delivery) {
  if (!delivery.email.empty()) {
    return sender.SendMail({.from = sender.mail_from(),
                            .to = delivery.email,
                            .subject = absl::StrCat("[shakedown] ", delivery.subject),
                            .body = delivery.body,
                            .message_id = delivery.event_id,
                            .date = delivery.created});
  }
  using Json = nlohmann::ordered_json;
  const Json body = {
      {"version", 1},
      {"id", delivery.event_id},
      {"event", delivery.kind},
      {"at", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", delivery.created, absl::UTCTimeZone())},
      {"subject", delivery.subject},
      {"details", Json::parse(delivery.details)}};
  notify::Post post;
  post.url = delivery.webhook;
  post.body = body.dump();
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  post.headers = {{"X-Shakedown-Event-Id", delivery.event_id},
                  {"X-Shakedown-Timestamp", absl::StrCat(now)},
                  {"X-Shakedown-Signature", notify::Sign(delivery.secret, now, post.body)}};
  return sender.SendPost(post);
}

// False: nothing is due.
absl::StatusOr<bool> DeliverOne(store::Database& database, notify::Sender& sender) {
  ASSIGN_OR_RETURN(const auto delivery,
                   FromStore([&] { return store::ClaimDelivery(database, kLease); }));
  if (!delivery) return false;
  const absl::Status sent = NoThrow("notification", [&] { return SendTo(sender, *delivery); });
  const bool for_good = absl::IsFailedPrecondition(sent) || absl::IsInvalidArgument(sent);
  RETURN_IF_ERROR(FromStore([&] {
    return sent.ok() ? store::DeliverySent(database, delivery->id)
                     : store::DeliveryFailed(database, delivery->id,
                                             PrintableLine(sent.message(), 300), for_good);
  }));
  return true;
}

}  // namespace

absl::Status Announce(store::Database& database, const store::Event& event) {
  return FromStore([&] { return store::Announce(database, event, WantsEvent); }).status();
}

absl::Status AnnounceWhatHappened(store::Database& database, absl::Duration settled) {
  const absl::Status jobs = AnnounceJobs(database);
  const absl::Status machines = AnnounceMachines(database, settled);
  return jobs.ok() ? machines : jobs;
}

absl::StatusOr<int> Deliver(store::Database& database, notify::Sender& sender, int most) {
  std::atomic<int> left = most, tried = 0;
  const auto deliver = [&]() -> absl::Status {
    while (left.fetch_sub(1) > 0) {
      ASSIGN_OR_RETURN(const bool one, DeliverOne(database, sender));
      if (!one) return absl::OkStatus();
      ++tried;
    }
    return absl::OkStatus();
  };
  std::vector<std::future<absl::Status>> others;
  for (int i = 1; i < std::min(kAtOnce, most); ++i) {
    others.push_back(std::async(std::launch::async, deliver));
  }
  absl::Status first = deliver();
  for (std::future<absl::Status>& other : others) first.Update(other.get());
  if (!first.ok()) return first;
  return tried;
}

}  // namespace shakedown::service
