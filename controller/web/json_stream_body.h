#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "controller/service/dispatcher.h"
#include "controller/web/api.h"
#include "controller/web/gate.h"
#include "controller/web/http.h"
#include "controller/web/metrics.h"

namespace shakedown::web {

// A stream of the API as a body of Connect envelopes. Steps run on the connection's own thread, a
// few of all streams at a time (`gate`); between them it sleeps until the dispatcher wakes it. It
// buffers one message. The references outlive it.
class JsonStreamBody : public BodyStream {
 public:
  // Counts itself in `counters.streams` while it lives. `first`: a step taken already.
  JsonStreamBody(std::unique_ptr<JsonStream> stream, service::StreamStep<std::string> first,
                 service::Dispatcher& dispatcher, Gate& gate, HttpCounters& counters,
                 std::optional<absl::Duration> limit);
  ~JsonStreamBody() override;

  std::optional<std::string> Next(const std::function<bool()>& gone) override;

 private:
  service::StreamStep<std::string> NextStep();
  void Wait(const service::StreamStep<std::string>& step);

  const std::unique_ptr<JsonStream> stream_;
  std::optional<service::StreamStep<std::string>> first_;
  service::Dispatcher& dispatcher_;
  Gate& gate_;
  HttpCounters& counters_;
  const absl::Duration until_;
  bool ended_ = false;
};

}  // namespace shakedown::web
