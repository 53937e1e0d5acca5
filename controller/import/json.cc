// JSON of cyclictest (--json) and schbench (-j). The line of a value is that of the object's start.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/cyclictest.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

using nlohmann::json;

constexpr size_t kMostJson = 8 << 20;
constexpr int kDeepest = 32;

// The object that starts at a line.
struct Object {
  std::string text;
  size_t lines = 0;
  bool closed = false;
  bool too_much = false;  // Too long, or too deep to be one of ours.
};

Object ObjectAt(const Lines& lines, size_t at) {
  Object object;
  int depth = 0;
  bool quoted = false;
  bool escaped = false;
  for (size_t next = at; next < lines.size() && !object.closed; ++next) {
    for (const char c : lines[next].text) {
      if (escaped) {
        escaped = false;
      } else if (quoted) {
        escaped = c == '\\';
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        object.too_much = object.too_much || ++depth > kDeepest;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        object.closed = true;
      }
    }
    if (object.text.size() > kMostJson) object.too_much = true;
    if (!object.too_much) absl::StrAppend(&object.text, lines[next].text, "\n");
    ++object.lines;
  }
  return object;
}

std::string Text(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

std::optional<double> Value(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

// The keys really end in a colon; should that be mended one day, both are known.
std::string TextWithColon(const json& object, const std::string& key) {
  const std::string with = Text(object, (key + ":").c_str());
  return with.empty() ? Text(object, key.c_str()) : with;
}

void AddThread(const std::string& name, const json& thread, const json& whole, int line,
               Sink& sink) {
  const std::string command = TextWithColon(whole, "cmdline");
  CyclictestUnit unit = UnitOfCommand(command);
  if (const std::optional<double> resolution = Value(whole, "resolution_in_ns"))
    unit = {*resolution == 0 ? "us" : "ns", true};
  std::string cycles;
  if (const std::optional<double> count = Value(thread, "cycles")) cycles = absl::StrCat(*count);
  const std::string version = TextWithColon(whole, "rt_test_version");
  const auto system = whole.find("sysinfo");
  const bool told = system != whole.end() && system->is_object();
  const auto source = [&](const std::string& bucket) {
    return MakeSource("cyclictest", "JSON",
                      {{"thread", name},
                       {"cycles", cycles},
                       {"command", command},
                       {"kernel", Text(told ? *system : whole, "release")},
                       {absl::StrCat("latency_", unit.unit), bucket}},
                      version);
  };
  const SourcePtr own = source("");
  if (cycles == "0") {
    sink.Note(line, absl::StrCat("cyclictest: thread ", name, " without a cycle has no latency"));
    return;
  }
  for (const char* key : {"min", "avg", "max"}) {
    const std::optional<double> value = Value(thread, key);
    if (value.has_value()) {
      AddCyclictest(key, *value, unit, own, line, sink);
    } else {
      sink.Refuse(line, absl::StrCat("cyclictest: thread ", name, " has no ", key));
    }
  }
  const auto histogram = thread.find("histogram");
  if (histogram == thread.end() || !histogram->is_object()) return;
  for (const auto& [bucket, count] : histogram->items()) {
    if (!Count(bucket) || !count.is_number_unsigned()) {
      sink.Refuse(line,
                  absl::StrCat("cyclictest: histogram of thread ", name, ": ", Shown(bucket)));
      continue;
    }
    sink.Add({.source = source(bucket),
              .metric = "cyclictest.histogram",
              .value = count.get<double>(),
              .unit = "1",
              .line = line});
  }
}

void ReadCyclictestJson(const json& whole, int line, Sink& sink) {
  if (const std::optional<double> code = Value(whole, "return_code");
      code.has_value() && *code != 0) {
    sink.Refuse(line, absl::StrCat("cyclictest failed: return code ", *code));
    return;
  }
  for (const auto& [name, thread] : whole["thread"].items()) {
    if (thread.is_object()) {
      AddThread(name, thread, whole, line, sink);
    } else {
      sink.Refuse(line, absl::StrCat("cyclictest: thread ", Shown(name)));
    }
  }
}

// {"int":{"wakeup_latency_pct50.0":9,…},"normal":{"kernel":…}}
void ReadSchbenchJson(const json& whole, int line, Sink& sink) {
  std::vector<std::pair<std::string, std::string>> context;
  const auto normal = whole.find("normal");
  if (normal != whole.end() && normal->is_object()) {
    for (const char* key : {"kernel", "cmdline", "sched_ext"})
      context.emplace_back(key, Text(*normal, key));
  }
  const SourcePtr source = MakeSource("schbench", "JSON", std::move(context));
  for (const auto& [key, value] : whole["int"].items()) {
    const bool rps = absl::StrContains(key, "rps");
    if (!value.is_number() || (!rps && !absl::StrContains(key, "latency"))) {
      sink.Note(line, absl::StrCat("schbench: ", Shown(key), ": of no known unit, left out"));
      continue;
    }
    if (absl::EndsWith(key, "_min") && value.get<double>() == 0) continue;  // Not set.
    sink.Add({.source = source,
              .metric = absl::StrCat("schbench.", key),
              .value = value.get<double>(),
              .unit = rps ? "1/s" : "us",
              .direction = rps ? Direction::kHigher : Direction::kLower,
              .line = line});
  }
}

bool StartsObject(const Lines& lines, size_t at) {
  if (!absl::StartsWith(lines[at].text, "{")) return false;
  absl::string_view rest = absl::StripLeadingAsciiWhitespace(lines[at].text.substr(1));
  if (rest.empty()) rest = absl::StripLeadingAsciiWhitespace(TextAt(lines, at + 1));
  return absl::StartsWith(rest, "\"");
}

}  // namespace

size_t ReadJson(const Lines& lines, size_t at, Sink& sink) {
  if (!StartsObject(lines, at)) return 0;
  const Object object = ObjectAt(lines, at);
  const int line = lines[at].number;
  if (object.too_much || !object.closed) {
    sink.Refuse(line,
                object.too_much ? "JSON that is too long or too deep" : "JSON that is broken off");
    return object.lines;
  }
  json whole;
  try {
    whole = json::parse(object.text);
  } catch (const json::exception& error) {  // The library's own way of saying where.
    const auto* parse = dynamic_cast<const json::parse_error*>(&error);
    const size_t byte = parse == nullptr ? 0 : std::min(parse->byte, object.text.size());
    const size_t down = std::count(object.text.begin(), object.text.begin() + byte, '\n');
    sink.Refuse(lines[at + std::min(down, object.lines - 1)].number,
                "JSON that is not well formed");
    return object.lines;
  }
  if (whole.contains("thread") && whole["thread"].is_object()) {
    ReadCyclictestJson(whole, line, sink);
  } else if (whole.contains("int") && whole["int"].is_object()) {
    ReadSchbenchJson(whole, line, sink);
  } else {
    sink.Refuse(line, "JSON of neither cyclictest nor schbench");
  }
  return object.lines;
}

}  // namespace shakedown::importer
