// /metrics in Prometheus' text format.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controller/service/agent_times.h"
#include "db/store/counts.h"
#include "db/store/database.h"
#include "proto/wire/clock.h"

namespace shakedown::web {

// Counted by the server. Thread-safe.
struct HttpCounters {
  std::atomic<int64_t> answers_2xx = 0, answers_3xx = 0, answers_4xx = 0, answers_5xx = 0;
  std::atomic<int64_t> connections = 0;          // Open now.
  std::atomic<int64_t> refused_connections = 0;  // Too many, or a head that is none.
  std::atomic<int64_t> streams = 0;              // Open now.
  std::atomic<int64_t> slow_readers = 0;         // Dropped.
};

// What the farm says of itself, and how long the database took to answer a ping. `counts` nullptr:
// the database is away.
std::string MetricsText(const HttpCounters& http, const service::AgentTimes& agents,
                        const store::FarmCounts* counts, absl::Duration ping);

// Counts the farm at most every kMetricsAge, however often it is asked. Thread-safe.
inline constexpr absl::Duration kMetricsAge = absl::Seconds(5);
class Metrics {
 public:
  Metrics(store::Database& database, const service::AgentTimes& agents, Clock& clock)
      : database_(database), agents_(agents), clock_(clock) {}
  std::string Text(const HttpCounters& http);

 private:
  store::Database& database_;
  const service::AgentTimes& agents_;
  Clock& clock_;
  std::mutex mutex_;  // Held while counting: the others wait for the same counts.
  bool counted_ = false;
  absl::Duration at_;
  absl::Duration ping_;
  absl::StatusOr<store::FarmCounts> counts_ = absl::UnavailableError("not counted yet");
};

}  // namespace shakedown::web
