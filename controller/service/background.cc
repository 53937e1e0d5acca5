#include "controller/service/background.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "controller/service/job_keeper.h"
#include "controller/service/store_controls.h"
#include "db/store/janitor.h"
#include "proto/wire/sanitise.h"

namespace shakedown::service {
namespace {

// A busy farm gives many hints a second; the keeper looks at the jobs so often at most.
constexpr std::chrono::milliseconds kKeeperRest(100);

}  // namespace

struct Background::State {
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
  bool hinted = false;  // The keeper has not looked since the last hint.
  std::thread hints;
  std::thread janitor;
  std::thread keeper;

  bool Stopping() {
    const std::lock_guard<std::mutex> lock(mutex);
    return stopping;
  }

  void PassHints() {
    for (uint64_t seen = listener.counter(); !Stopping();) {
      const uint64_t now = listener.Wait(seen, absl::Seconds(5));
      if (now != seen) {
        dispatcher.Hint();
        WakeKeeper();
      }
      seen = now;
    }
  }

  void WakeKeeper() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      hinted = true;
    }
    wake.notify_all();
  }

  void DecideAboutJobs() {
    std::string said;
    std::unique_lock<std::mutex> lock(mutex);
    while (!stopping) {
      hinted = false;
      lock.unlock();
      absl::StatusOr<int> kept = KeepJobs(database);
      if (kept.ok()) {
        const absl::StatusOr<int> controls = StoreOpenControls(database);
        if (!controls.ok()) kept = controls.status();
      }
      // A database that is away is the janitor's to tell.
      const bool told = kept.ok() || absl::IsUnavailable(kept.status());
      const std::string error = told ? "" : PrintableLine(kept.status().message(), 1000);
      if (!error.empty() && error != said) spdlog::error("keeper of jobs: {}", error);
      said = error;
      // What was decided may have made another step due.
      const bool again = kept.ok() && *kept > 0;
      lock.lock();
      if (again) continue;
      wake.wait_for(lock, kKeeperRest, [this] { return stopping; });
      wake.wait_for(lock, period, [this] { return stopping || hinted; });
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
                       absl::Duration period)
    : state_(std::make_unique<State>(database, listener, dispatcher, period)) {
  state_->hints = std::thread([state = state_.get()] { state->PassHints(); });
  state_->janitor = std::thread([state = state_.get()] { state->KeepHouse(); });
  state_->keeper = std::thread([state = state_.get()] { state->DecideAboutJobs(); });
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
  state_->keeper.join();
}

}  // namespace shakedown::service
