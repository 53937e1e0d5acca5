#include "controller/service/background.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "controller/service/store_controls.h"
#include "db/store/janitor.h"
#include "proto/wire/sanitise.h"

namespace shakedown::service {

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
  std::thread hints;
  std::thread janitor;

  bool Stopping() {
    const std::lock_guard<std::mutex> lock(mutex);
    return stopping;
  }

  void PassHints() {
    for (uint64_t seen = listener.counter(); !Stopping();) {
      const uint64_t now = listener.Wait(seen, absl::Seconds(5));
      if (now != seen) dispatcher.Hint();
      seen = now;
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
    const absl::StatusOr<int> controls = StoreOpenControls(database);
    if (!controls.ok()) spdlog::warn("{}", PrintableLine(controls.status().message(), 1000));
    if (report->boots_given_up + report->builds_given_up + report->blocks_unbound > 0) {
      spdlog::info("janitor: gave up {} boots and {} builds, unbound {} blocks",
                   report->boots_given_up, report->builds_given_up, report->blocks_unbound);
    }
  }
};

Background::Background(store::Database& database, store::Listener& listener, Dispatcher& dispatcher,
                       absl::Duration period)
    : state_(std::make_unique<State>(database, listener, dispatcher, period)) {
  state_->hints = std::thread([state = state_.get()] { state->PassHints(); });
  state_->janitor = std::thread([state = state_.get()] { state->KeepHouse(); });
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
}

}  // namespace shakedown::service
