#include "controller/web/metrics.h"

#include "absl/strings/str_cat.h"

namespace shakedown::web {
namespace {

void Family(std::string& out, const char* name, const char* type, const char* help) {
  absl::StrAppend(&out, "# HELP shakedown_", name, " ", help, "\n# TYPE shakedown_", name, " ",
                  type, "\n");
}

template <typename Number>
void Value(std::string& out, const char* name, const std::string& label, const std::string& value,
           Number number) {
  absl::StrAppend(&out, "shakedown_", name);
  // Labels are words of ours (states, outcomes): nothing to escape.
  if (!label.empty()) absl::StrAppend(&out, "{", label, "=\"", value, "\"}");
  absl::StrAppend(&out, " ", number, "\n");
}

template <typename Number>
void Single(std::string& out, const char* name, const char* type, const char* help, Number number) {
  Family(out, name, type, help);
  Value(out, name, "", "", number);
}

void Counts(std::string& out, const char* name, const char* help, const char* label,
            const std::map<std::string, int64_t>& counts) {
  Family(out, name, "gauge", help);
  for (const auto& [word, count] : counts) Value(out, name, label, word, count);
}

void Durations(std::string& out, const std::string& name, const char* help,
               const service::DurationCounts& counts) {
  Family(out, name.c_str(), "histogram", help);
  const std::string bucket = name + "_bucket";
  for (size_t i = 0; i < counts.kEnds.size(); ++i) {
    Value(out, bucket.c_str(), "le", absl::StrCat(counts.kEnds[i]), counts.Below(i));
  }
  Value(out, bucket.c_str(), "le", "+Inf", counts.Count());
  Value(out, (name + "_sum").c_str(), "", "", counts.SumSeconds());
  Value(out, (name + "_count").c_str(), "", "", counts.Count());
}

void Agents(std::string& out, const service::AgentTimes& times) {
  Durations(out, "sync_seconds", "One look of an agent's Sync; a held call looks many times.",
            times.sync);
  Durations(out, "report_seconds", "Storing one boot's result.", times.report);
  Single(out, "results_total", "counter", "Boots' results stored.", times.results.load());
  Single(out, "measurements_total", "counter", "Measurements stored.", times.measurements.load());
  Single(out, "log_bytes_total", "counter", "Bytes of logs taken.", times.log_bytes.load());
}

int64_t LeasesOf(const store::FarmCounts& counts) {
  int64_t leases = 0;
  for (const std::map<std::string, int64_t>* states : {&counts.boots, &counts.builds}) {
    const auto running = states->find("running");
    if (running != states->end()) leases += running->second;
  }
  return leases;
}

}  // namespace

std::string MetricsText(const HttpCounters& http, const service::AgentTimes& agents,
                        const store::FarmCounts* counts, absl::Duration ping) {
  std::string out;
  Single(out, "database_up", "gauge", "1 when the database answers.", counts != nullptr ? 1 : 0);
  if (counts != nullptr) {
    Single(out, "database_ping_seconds", "gauge", "One round trip to the database.",
           absl::ToDoubleSeconds(ping));
    Counts(out, "jobs", "Jobs by state.", "state", counts->jobs);
    Counts(out, "boots", "Boots by state, those that have ended by outcome.", "state",
           counts->boots);
    Counts(out, "builds", "Builds by state.", "state", counts->builds);
    Counts(out, "machines", "Machines by state.", "state", counts->machines);
    Single(out, "leases", "gauge", "Boots and builds that agents have in hand.", LeasesOf(*counts));
    Single(out, "agents", "gauge", "Agents that were ever seen.", counts->agents);
    Single(out, "agents_online", "gauge", "Agents that are heard from.", counts->agents_online);
  }
  Agents(out, agents);
  Family(out, "http_answers_total", "counter", "HTTP answers by class of status.");
  Value(out, "http_answers_total", "class", "2xx", http.answers_2xx.load());
  Value(out, "http_answers_total", "class", "3xx", http.answers_3xx.load());
  Value(out, "http_answers_total", "class", "4xx", http.answers_4xx.load());
  Value(out, "http_answers_total", "class", "5xx", http.answers_5xx.load());
  Single(out, "http_connections", "gauge", "Open HTTP connections.", http.connections.load());
  Single(out, "http_refused_connections_total", "counter",
         "Connections over the limit and heads that were none.", http.refused_connections.load());
  Single(out, "http_streams", "gauge", "Open streams.", http.streams.load());
  Single(out, "http_slow_readers_total", "counter", "Connections dropped because nobody read.",
         http.slow_readers.load());
  return out;
}

std::string Metrics::Text(const HttpCounters& http) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!counted_ || clock_.Elapsed() - at_ >= kMetricsAge) {
    counted_ = true;
    const absl::Duration start = clock_.Elapsed();
    const absl::Status pinged = database_.Ping();
    ping_ = clock_.Elapsed() - start;
    counts_ = pinged.ok() ? store::CountFarm(database_) : pinged;
    at_ = clock_.Elapsed();
  }
  return MetricsText(http, agents_, counts_.ok() ? &*counts_ : nullptr, ping_);
}

}  // namespace shakedown::web
