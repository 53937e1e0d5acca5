#include "controller/service/background.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "controller/service/job_keeper.h"
#include "controller/service/store_controls.h"
#include "db/store/janitor.h"
#include "proto/wire/sanitise.h"

namespace shakedown::service {
namespace {

// A busy farm gives many hints a second; a keeper looks at its things so often at most.
constexpr std::chrono::milliseconds kKeeperRest(100);

}  // namespace

struct Background::State {
  struct Kept {
    Keeper keeper;
    bool hinted = false;  // It has not looked since the last hint.
    std::thread thread;
  };

  State(store::Database& d, store::Listener& l, Dispatcher& p, absl::Duration every)
      : database(d), listener(l), dispatcher(p), period(absl::ToChronoNanoseconds(every)) {}

  store::Database& database;
  store::Listener& listener;
  Dispatcher& dispatcher;
  const std::chrono::nanoseconds period;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  bool away = false;
  std::thread hints;
  std::thread janitor;
  std::deque<Kept> keepers;  // Its elements stay where they are.

  bool Stopping() {
    const std::lock_guard<std::mutex> lock(mutex);
    return stopping;
  }

  void PassHints() {
    for (uint64_t seen = listener.counter(); !Stopping();) {
      const uint64_t now = listener.Wait(seen, absl::Seconds(5));
      if (now != seen) {
        dispatcher.Hint();
        WakeKeepers();
      }
      seen = now;
    }
  }

  void WakeKeepers() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      for (Kept& kept : keepers) kept.hinted = true;
    }
    wake.notify_all();
  }

  absl::StatusOr<int> DecideAboutJobs() {
    const absl::StatusOr<int> kept = KeepJobs(database);
    if (!kept.ok()) return kept;
    const absl::StatusOr<int> controls = StoreOpenControls(database);
    if (!controls.ok()) return controls;
    return kept;
  }

  void KeepUp(Kept& self) {
    std::string said;
    std::unique_lock<std::mutex> lock(mutex);
    while (!stopping) {
      self.hinted = false;
      lock.unlock();
      const absl::StatusOr<int> kept = self.keeper.keep();
      // A database that is away is the janitor's to tell.
      const bool told = kept.ok() || absl::IsUnavailable(kept.status());
      const std::string error = told ? "" : PrintableLine(kept.status().message(), 1000);
      if (!error.empty() && error != said) {
        spdlog::error("keeper of {}: {}", self.keeper.name, error);
      }
      said = error;
      const bool again = kept.ok() && *kept > 0;
      lock.lock();
      if (again) continue;
      wake.wait_for(lock, kKeeperRest, [this] { return stopping; });
      wake.wait_for(lock, period, [&] { return stopping || self.hinted; });
    }
  }

  void KeepHouse() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!stopping) {
      lock.unlock();
      Once();
      lock.lock();
      wake.wait_for(lock, period, [this] { return stopping; });
    }
  }

  void Once() {
    const absl::StatusOr<store::JanitorReport> report = store::RunJanitor(database);
    if (!report.ok()) {
      if (!away) spdlog::warn("janitor: {}", PrintableLine(report.status().message(), 1000));
      away = true;
      return;
    }
    if (away) spdlog::info("database: back");
    away = false;
    if (report->boots_given_up + report->builds_given_up + report->blocks_unbound +
            report->blocks_orphaned + report->power_cycles >
        0) {
      spdlog::info(
          "janitor: gave up {} boots, {} builds and {} begun blocks, unbound {} blocks, "
          "ordered {} power cycles",
          report->boots_given_up, report->builds_given_up, report->blocks_orphaned,
          report->blocks_unbound, report->power_cycles);
    }
  }
};

Background::Background(store::Database& database, store::Listener& listener, Dispatcher& dispatcher,
                       std::vector<Keeper> keepers, absl::Duration period)
    : state_(std::make_unique<State>(database, listener, dispatcher, period)) {
  State* const state = state_.get();
  state->keepers.push_back({{"jobs", [state] { return state->DecideAboutJobs(); }}});
  for (Keeper& keeper : keepers) state->keepers.push_back({std::move(keeper)});
  state->hints = std::thread([state] { state->PassHints(); });
  state->janitor = std::thread([state] { state->KeepHouse(); });
  for (State::Kept& kept : state->keepers) {
    kept.thread = std::thread([state, &kept] { state->KeepUp(kept); });
  }
}

Background::~Background() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  state_->listener.Stop();
  state_->hints.join();
  state_->janitor.join();
  for (State::Kept& kept : state_->keepers) kept.thread.join();
}

}  // namespace shakedown::service
