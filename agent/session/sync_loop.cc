#include "agent/session/sync_loop.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/session/decide.h"
#include "agent/session/desk.h"
#include "agent/session/log_sender.h"
#include "agent/session/recovery.h"
#include "agent/session/reporter.h"
#include "agent/session/workers.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

// Against a farm that answers "nothing" at once, again and again.
constexpr absl::Duration kAfterEmptyAnswer = absl::Milliseconds(200);

std::vector<MachineInfo> Infos(const std::vector<Machine*>& machines) {
  std::vector<MachineInfo> infos;
  for (const Machine* machine : machines) infos.push_back(machine->Info());
  return infos;
}

class ThreadedSyncLoop : public SyncLoop {
 public:
  ThreadedSyncLoop(SyncLoopOptions options, SyncLoopParts parts)
      : options_(std::move(options)),
        parts_(std::move(parts)),
        waiter_(parts_.waiters("sync")),
        desk_(Infos(parts_.machines), parts_.build_slots.size(), *parts_.clock),
        backoff_(options_.backoff, parts_.random) {}

  absl::Status Run() override {
    RETURN_IF_ERROR(Start());
    while (!stopping_) {
      const absl::Duration wait = Round();
      if (wait > absl::ZeroDuration() && !stopping_) waiter_->Wait(wait);
    }
    return Finish();
  }

  void RequestStop() override {
    stopping_ = true;
    Wake();
  }

 private:
  absl::Status Start() {
    CleanUpSeats(*parts_.journal, parts_.machines, parts_.build_slots, seat_problems_);
    LogSenderOptions log_options{.folder = options_.log_folder,
                                 .limits = options_.log_limits,
                                 .linger = options_.log_linger,
                                 .backoff = options_.backoff,
                                 .random = parts_.random,
                                 .quiet = [this] { return Dark(); },
                                 .goes_on = [this](const WorkKey& key) { return GoesOn(key); },
                                 .fatal = [this](const absl::Status& status) { Fatal(status); }};
    ASSIGN_OR_RETURN(logs_, MakeLogSender(std::move(log_options), *parts_.farm, *parts_.journal,
                                          parts_.waiters));
    reporter_ =
        MakeReporter({.backoff = options_.backoff,
                      .random = parts_.random,
                      .acknowledged =
                          [this](const WorkKey& key) {
                            desk_.Free(key);
                            Wake();
                          },
                      .quiet = [this] { return Dark(); },
                      .fatal = [this](const absl::Status& status) { Fatal(status); }},
                     {*parts_.farm, *parts_.journal, *logs_, *parts_.cache}, parts_.waiters);
    RETURN_IF_ERROR(Recover(*parts_.journal, options_.boot_id, *parts_.cache, desk_, *reporter_));
    if (parts_.power != nullptr) parts_.power->OnNews([this] { Wake(); });
    workers_ = std::make_unique<Workers>(
        WorkerParts{desk_, *parts_.journal, *logs_, *parts_.cache, *parts_.inputs, *reporter_,
                    [this] { Wake(); }, [this](const absl::Status& status) { Fatal(status); }});
    for (size_t i = 0; i < parts_.machines.size(); ++i) {
      workers_->Add({WorkKind::kBoot, i}, parts_.machines[i]);
    }
    for (size_t i = 0; i < parts_.build_slots.size(); ++i) {
      workers_->Add({WorkKind::kBuild, i}, parts_.build_slots[i]);
    }
    return absl::OkStatus();
  }

  // One call and what follows from it. How long to wait before the next.
  absl::Duration Round() {
    auto canceller = std::make_shared<CallCanceller>();
    {
      // From here on a Wake() ends this round's call, so that no change is missed.
      std::lock_guard<std::mutex> lock(mutex_);
      canceller_ = canceller;
    }
    if (stopping_) return absl::ZeroDuration();
    ShowProblems();
    const uint64_t version = desk_.Version();
    const v1::SyncRequest request = Request();
    const absl::Duration started = parts_.clock->Elapsed();
    const absl::StatusOr<v1::SyncResponse> response = parts_.farm->Sync(request, *canceller);
    if (!response.ok()) return AfterError(response.status(), *canceller);
    desk_.Heard(version);
    if (!last_error_.empty()) {
      spdlog::info("the farm answers again");
      reporter_->Nudge();
      logs_->Nudge();
    }
    last_error_.clear();
    backoff_.Reset();
    if (parts_.power != nullptr) {
      const absl::Status taken = parts_.power->Take(request, *response);
      if (!taken.ok()) Fatal(taken);
    }
    const Decision decision = DecideNow(*response);
    for (const Action& action : decision.actions) {
      const absl::Status done = std::visit([this](const auto& a) { return Do(a); }, action);
      if (!done.ok()) Fatal(done);
      if (stopping_) return absl::ZeroDuration();
    }
    absl::Duration wait = decision.call_again;
    const absl::Duration took = parts_.clock->Elapsed() - started;
    if (decision.actions.empty() && took < absl::Milliseconds(request.wait_ms()) / 2) {
      wait = std::max(wait, kAfterEmptyAnswer);
    }
    return std::max(wait, desk_.DarkLeft());
  }

  absl::Duration AfterError(const absl::Status& error, const CallCanceller& canceller) {
    if (canceller.Cancelled()) return absl::ZeroDuration();
    const absl::Duration wait = backoff_.Next(error);
    if (last_error_ != error.message()) {
      spdlog::warn("{}; trying again in {}",
                   IsRefusal(error)
                       ? absl::StrCat("the farm refuses agent ", options_.agent,
                                      ": its token is not known there or has another name: ",
                                      error.message())
                       : error.ToString(),
                   absl::FormatDuration(absl::Trunc(wait, absl::Milliseconds(100))));
      last_error_ = std::string(error.message());
    }
    return wait;
  }

  v1::SyncRequest Request() const {
    v1::SyncRequest request;
    request.set_agent(options_.agent);
    request.set_boot_id(options_.boot_id);
    request.set_version(options_.version);
    request.set_incarnation(parts_.journal->Incarnation());
    desk_.Describe(request);
    if (parts_.power != nullptr) parts_.power->Describe(request);
    const absl::Duration poll = Dark() || desk_.Awaited() ? absl::ZeroDuration()
                                : desk_.AnyWork()         ? options_.busy_poll
                                                          : options_.idle_poll;
    request.set_wait_ms(static_cast<uint32_t>(absl::ToInt64Milliseconds(poll)));
    return request;
  }

  bool Dark() const { return desk_.DarkLeft() > absl::ZeroDuration(); }

  // Whether work of an earlier process is taken up again.
  bool GoesOn(const WorkKey& key) const {
    const std::optional<JournalEntry> entry = parts_.journal->FindOrder(key);
    v1::BootOrder order;
    if (key.kind != WorkKind::kBoot || !entry || !order.ParseFromString(entry->bytes)) return false;
    return std::any_of(parts_.machines.begin(), parts_.machines.end(), [&](const Machine* machine) {
      return machine->Info().name == order.machine() && machine->Info().outlives_agent;
    });
  }

  Decision DecideNow(const v1::SyncResponse& response) const {
    AgentState state = desk_.State();
    state.stopping = stopping_;
    state.finished = [this](const WorkKey& key) { return parts_.journal->Finished(key); };
    return Decide(state, response);
  }

  // A full disk, a damaged guest image are said before an order fails on them.
  void ShowProblems() {
    const absl::StatusOr<uint64_t> free = parts_.free_bytes();
    const auto problem = [&](SeatId seat, uint64_t want, std::string text) {
      const auto own = seat_problems_.find({seat.kind, seat.index});
      if (own != seat_problems_.end()) {
        text = own->second;
      } else if (text.empty() && !free.ok()) {
        text = free.status().ToString();
      } else if (text.empty() && *free < want) {
        text = absl::StrCat("disk full: ", *free >> 20, " MiB free where the agent works, want ",
                            want >> 20);
      }
      desk_.SetProblem(seat, text);
    };
    const AgentState now = desk_.State();
    for (size_t i = 0; i < parts_.machines.size(); ++i) {
      if (!now.machines[i].work) {
        CleanUpAgain(*parts_.journal, parts_.machines, i, seat_problems_);
      }
      problem({WorkKind::kBoot, i}, options_.boot_free_bytes, parts_.machines[i]->Problem());
      desk_.SetFacts({WorkKind::kBoot, i}, parts_.machines[i]->Facts(),
                     parts_.machines[i]->Hands());
    }
    for (size_t i = 0; i < parts_.build_slots.size(); ++i) {
      problem({WorkKind::kBuild, i}, options_.build_free_bytes, "");
    }
  }

  // The order is in the journal before anything is done about it.
  absl::Status Accept(SeatId seat, const WorkKey& key, const std::string& order) {
    RETURN_IF_ERROR(parts_.journal->AppendOrder(key, order));
    RETURN_IF_ERROR(logs_->Open(key));
    desk_.Give(seat, key, order);
    return absl::OkStatus();
  }

  static WorkKey KeyOf(const v1::BootOrder& order) {
    return {WorkKind::kBoot, order.attempt_id(), order.epoch()};
  }
  static WorkKey KeyOf(const v1::BuildOrder& order) {
    return {WorkKind::kBuild, order.build_id(), order.epoch()};
  }

  template <typename Refusal>
  absl::Status Refuse(const Refusal& a) {
    const WorkKey key = KeyOf(a.order);
    spdlog::warn("order {} is {}: {}", key.id, a.hand_back ? "handed back" : "refused", a.reason);
    RETURN_IF_ERROR(parts_.journal->AppendOrder(key, a.order.SerializeAsString()));
    RETURN_IF_ERROR(parts_.journal->AppendResult(
        key, a.hand_back ? HandedBack(key, a.reason) : FarmFailed(key, a.reason)));
    reporter_->Add(key, {});
    return absl::OkStatus();
  }

  absl::Status Do(const StartBoot& a) {
    return Accept({WorkKind::kBoot, a.machine}, KeyOf(a.order), a.order.SerializeAsString());
  }
  absl::Status Do(const StartBuild& a) {
    return Accept({WorkKind::kBuild, a.slot}, KeyOf(a.order), a.order.SerializeAsString());
  }
  absl::Status Do(const RefuseBoot& a) { return Refuse(a); }
  absl::Status Do(const RefuseBuild& a) { return Refuse(a); }
  absl::Status Do(const CancelWork& a) {
    spdlog::info("{} is cancelled", a.key.id);
    if (!desk_.Cancel(a.key)) return absl::OkStatus();
    RETURN_IF_ERROR(
        parts_.journal->AppendResult(a.key, HandedBack(a.key, "cancelled before its turn")));
    reporter_->Add(a.key, {});
    return absl::OkStatus();
  }
  absl::Status Do(const LeaveOrder& a) {
    spdlog::info("{}", a.why);
    return absl::OkStatus();
  }

  void Wake() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (canceller_ != nullptr) canceller_->Cancel();
    }
    waiter_->Notify();
  }

  void Fatal(const absl::Status& status) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      fatal_.Update(status);
    }
    RequestStop();
  }

  absl::Status FatalStatus() {
    std::lock_guard<std::mutex> lock(mutex_);
    return fatal_;
  }

  absl::Status Finish() {
    if (parts_.power != nullptr) parts_.power->OnNews({});
    desk_.Stop();
    std::string left = desk_.WaitUntilNoneRuns(options_.stop_limit);
    if (left.empty() && FatalStatus().ok()) desk_.WaitUntilFree(options_.last_word);
    parts_.farm->Close();
    // What still runs may only have waited for the farm.
    if (!left.empty()) left = desk_.WaitUntilNoneRuns(options_.last_word);
    if (!left.empty()) {
      return absl::DeadlineExceededError(
          absl::StrCat(left, " did not end within ",
                       absl::FormatDuration(options_.stop_limit + options_.last_word),
                       "; the next start cleans up"));
    }
    workers_.reset();
    reporter_.reset();
    logs_.reset();
    return FatalStatus();
  }

  const SyncLoopOptions options_;
  const SyncLoopParts parts_;
  const std::unique_ptr<Waiter> waiter_;
  Desk desk_;
  Backoff backoff_;
  SeatProblems seat_problems_;
  std::string last_error_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::shared_ptr<CallCanceller> canceller_;
  absl::Status fatal_;
  // In order of need: each uses those before it.
  std::unique_ptr<LogSender> logs_;
  std::unique_ptr<Reporter> reporter_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace

std::unique_ptr<SyncLoop> MakeSyncLoop(SyncLoopOptions options, SyncLoopParts parts) {
  return std::make_unique<ThreadedSyncLoop>(std::move(options), std::move(parts));
}

}  // namespace shakedown::agent
