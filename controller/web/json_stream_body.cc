#include "controller/web/json_stream_body.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "controller/web/connect.h"
#include "proto/wire/clock.h"

namespace shakedown::web {
namespace {

// A client that has left is noticed this soon.
constexpr absl::Duration kLook = absl::Seconds(1);

// Outlives whoever of the two comes later: the sleeper, or the task that wakes it.
struct Alarm {
  std::mutex mutex;
  std::condition_variable rings;
  bool rung = false;
};

}  // namespace

JsonStreamBody::JsonStreamBody(std::unique_ptr<JsonStream> stream,
                               service::StreamStep<std::string> first,
                               service::Dispatcher& dispatcher, Gate& gate, HttpCounters& counters,
                               std::optional<absl::Duration> limit)
    : stream_(std::move(stream)),
      first_(std::move(first)),
      dispatcher_(dispatcher),
      gate_(gate),
      counters_(counters),
      until_(limit ? SystemClock().Elapsed() + *limit : absl::InfiniteDuration()) {}

JsonStreamBody::~JsonStreamBody() { --counters_.streams; }

service::StreamStep<std::string> JsonStreamBody::NextStep() {
  if (first_) {
    service::StreamStep<std::string> step = *std::move(first_);
    first_.reset();
    return step;
  }
  service::StreamStep<std::string> step;
  const Gate::Pass pass = gate_.Enter(kLook);
  if (pass.entered()) return stream_->Step();
  step.pause = absl::ZeroDuration();  // Its turn comes later.
  return step;
}

void JsonStreamBody::Wait(const service::StreamStep<std::string>& step) {
  const auto alarm = std::make_shared<Alarm>();
  const absl::Duration left = until_ - SystemClock().Elapsed();
  dispatcher_.RunLater(std::min({step.pause, kLook, left}), step.hints_seen, [alarm] {
    const std::lock_guard<std::mutex> lock(alarm->mutex);
    alarm->rung = true;
    alarm->rings.notify_all();
  });
  std::unique_lock<std::mutex> lock(alarm->mutex);
  alarm->rings.wait(lock, [&] { return alarm->rung; });
}

std::optional<std::string> JsonStreamBody::Next(const std::function<bool()>& gone) {
  while (!ended_ && !gone()) {
    service::StreamStep<std::string> step;
    if (dispatcher_.stopping()) {
      step.end = absl::UnavailableError("the controller stops, call again later");
    } else if (SystemClock().Elapsed() >= until_) {
      step.end = absl::DeadlineExceededError("the time that the caller gave is over");
    } else {
      step = NextStep();
    }
    if (step.send) return Envelope(*step.send);
    if (step.end) {
      ended_ = true;
      return EndEnvelope(*step.end);
    }
    Wait(step);
  }
  return std::nullopt;
}

}  // namespace shakedown::web
