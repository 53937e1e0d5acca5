#include "agent/runner/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace shakedown::runner {
namespace {

std::string Member(absl::string_view name, absl::string_view json) {
  return absl::StrCat(JsonString(name), ":", json);
}

std::string Object(const std::vector<std::string>& members) {
  return absl::StrCat("{", absl::StrJoin(members, ","), "}");
}

template <typename Range, typename Format>
std::string Array(const Range& range, Format format) {
  std::vector<std::string> items;
  std::transform(range.begin(), range.end(), std::back_inserter(items), format);
  return absl::StrCat("[", absl::StrJoin(items, ","), "]");
}

std::string MeasurementJson(const v1::Measurement& m) {
  return Object({Member("metric", JsonString(m.metric())), Member("value", JsonNumber(m.value())),
                 Member("unit", JsonString(m.unit())),
                 Member("iteration", absl::StrCat(m.iteration())),
                 Member("warmup", m.warmup() ? "true" : "false")});
}

std::string SeriesJson(const v1::Series& s) {
  return Object({Member("name", JsonString(s.name())), Member("unit", JsonString(s.unit())),
                 Member("step_ms", absl::StrCat(s.step_ms())),
                 Member("values", Array(s.values(), JsonNumber))});
}

std::string HistogramJson(const v1::LatencyHistogram& h) {
  const auto number = [](uint64_t value) { return absl::StrCat(value); };
  return Object({Member("metric", JsonString(h.metric())), Member("unit", JsonString(h.unit())),
                 Member("iteration", absl::StrCat(h.iteration())),
                 Member("warmup", h.warmup() ? "true" : "false"),
                 Member("smallest", Array(h.smallest(), number)),
                 Member("count", Array(h.count(), number)), Member("max", absl::StrCat(h.max())),
                 Member("duration_ms", absl::StrCat(h.duration_ms()))});
}

}  // namespace

std::string JsonString(absl::string_view text) {
  std::string json = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&json, "\\", std::string(1, c));
    } else if (c == '\n') {
      json += "\\n";
    } else if (c == '\t') {
      json += "\\t";
    } else if (static_cast<uint8_t>(c) < 0x20) {
      absl::StrAppendFormat(&json, "\\u%04x", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

std::string ToJson(const v1::LoadRun& run) {
  std::vector<std::string> members = {
      Member("load", absl::StrCat(run.load())),
      Member("duration_ms", absl::StrCat(run.duration_ms())),
      Member("measurements", Array(run.measurements(), MeasurementJson)),
      Member("series", Array(run.series(), SeriesJson)),
      Member("histograms", Array(run.histograms(), HistogramJson)),
      Member("warnings", Array(run.warnings(), JsonString)),
      Member("output", JsonString(run.output()))};
  if (!run.tool_version().empty()) {
    members.push_back(Member("tool_version", JsonString(run.tool_version())));
  }
  return Object(members) + "\n";
}

std::string ToJson(const v1::Identified& identified) {
  const v1::Identity& id = identified.identity();
  std::vector<std::string> facts;
  for (const auto& [name, value] : identified.fingerprint().facts()) {
    facts.push_back(Member(name, JsonString(value)));
  }
  std::sort(facts.begin(), facts.end());
  return Object({Member("release", JsonString(id.release())),
                 Member("version", JsonString(id.version())),
                 Member("build_id", JsonString(id.build_id())),
                 Member("command_line", JsonString(id.command_line())),
                 Member("boot_id", JsonString(id.boot_id())),
                 Member("sched_ext_state", JsonString(id.sched_ext_state())),
                 Member("sched_ext_ops", JsonString(id.sched_ext_ops())),
                 Member("facts", Object(facts))}) +
         "\n";
}

}  // namespace shakedown::runner
