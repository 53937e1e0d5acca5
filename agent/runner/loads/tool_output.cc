#include "agent/runner/loads/tool_output.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

using Words = std::vector<absl::string_view>;

absl::Status Wrong(absl::string_view tool, absl::string_view what, absl::string_view where) {
  return absl::DataLossError(absl::StrCat(tool, ": output without ", what,
                                          where.empty() ? "" : ": ",
                                          where.empty() ? "" : Quoted(where)));
}

// Plain decimal digits with at most one point: no sign, no exponent, no "nan".
std::optional<double> Number(absl::string_view text) {
  double value = 0;
  const bool plain = !text.empty() && absl::ascii_isdigit(text[0]) &&
                     std::all_of(text.begin(), text.end(),
                                 [](char c) { return absl::ascii_isdigit(c) || c == '.'; });
  if (plain && absl::SimpleAtod(text, &value) && std::isfinite(value)) return value;
  return std::nullopt;
}

// A time that is printed as 0 compares with nothing.
absl::StatusOr<double> LongEnough(absl::string_view tool, absl::StatusOr<double> seconds) {
  if (!seconds.ok() || *seconds > 0) return seconds;
  return Wrong(tool, "a time above 0 s, want more work", "");
}

// The number of the one line that has `before` at its beginning and `after` at its end, blanks
// around it aside.
absl::StatusOr<double> LineNumber(absl::string_view tool, absl::string_view output,
                                  absl::string_view before, absl::string_view after) {
  std::optional<double> found;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, before)) continue;
    if (!absl::ConsumeSuffix(&line, after))
      return Wrong(tool, absl::StrCat(before, " N", after), line);
    const std::optional<double> number = Number(absl::StripAsciiWhitespace(line));
    if (!number || found)
      return Wrong(tool, absl::StrCat("one line \"", before, " N", after, "\""), line);
    found = number;
  }
  if (!found) return Wrong(tool, absl::StrCat("a line \"", before, " N", after, "\""), "");
  return *found;
}

// "… (== 80 tasks)", "… == 40 processes run": the number after "==".
absl::StatusOr<double> Tasks(absl::string_view tool, absl::string_view output,
                             absl::string_view start) {
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::StartsWith(line, start)) continue;
    const Words words = absl::StrSplit(line, absl::ByAnyChar(" ()"), absl::SkipEmpty());
    const auto equals = std::find(words.begin(), words.end(), "==");
    if (equals == words.end() || equals + 1 == words.end()) continue;
    if (const auto number = Number(equals[1])) return *number;
  }
  return Wrong(tool, "its number of tasks", "");
}

struct CyclicThread {
  double cycles, min, avg, max;
};

// "T: 0 (29164) P:80 I:1000 C:   2975 Min:     21 Act:   51 Avg:   89 Max:    2862"
std::optional<CyclicThread> CyclicLine(absl::string_view line) {
  // Every label is followed by its number, with blanks or none between.
  std::vector<double> values;
  for (absl::string_view label : {"T:", "(", ") P:", "I:", "C:", "Min:", "Act:", "Avg:", "Max:"}) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, label)) return std::nullopt;
    line = absl::StripLeadingAsciiWhitespace(line);
    const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::optional<double> number = Number(line.substr(0, digits));
    if (!number) return std::nullopt;
    values.push_back(*number);
    line.remove_prefix(digits);
  }
  if (!absl::StripAsciiWhitespace(line).empty()) return std::nullopt;
  return CyclicThread{values[4], values[5], values[7], values[8]};
}

bool IsMetricWord(absl::string_view word) {
  return !word.empty() && word.size() <= 40 && std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '_';
  });
}

}  // namespace

ToolValues ParseHackbench(absl::string_view output) {
  ASSIGN_OR_RETURN(const double time,
                   LongEnough("hackbench", LineNumber("hackbench", output, "Time:", "")));
  ASSIGN_OR_RETURN(const double tasks, Tasks("hackbench", output, "Running in "));
  return std::vector<ToolValue>{{"hackbench.time", time, "s"}, {"hackbench.tasks", tasks, "1"}};
}

ToolValues ParseCyclictest(absl::string_view output) {
  double cycles = 0, sum = 0, max = 0;
  std::optional<double> min;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::StartsWith(line, "T:")) continue;
    const std::optional<CyclicThread> thread = CyclicLine(line);
    if (!thread || thread->cycles == 0) {
      return Wrong("cyclictest",
                   "threads as \"T: 0 (123) P: 0 I:1000 C: 10 Min: 1 Act: 1 Avg: 1 Max: 1\"", line);
    }
    cycles += thread->cycles;
    sum += thread->avg * thread->cycles;
    max = std::max(max, thread->max);
    min = std::min(min.value_or(thread->min), thread->min);
  }
  if (!min) return Wrong("cyclictest", "a line \"T: …\" of a thread", "");
  return std::vector<ToolValue>{{"cyclictest.min", *min, "us"},
                                {"cyclictest.avg", sum / cycles, "us"},
                                {"cyclictest.max", max, "us"},
                                {"cyclictest.n", cycles, "1"}};
}

// "stress-ng: metrc: [26872] switch  240941  1.00  0.07  0.89  240835.46  251795.13" below a line
// of titles; lines "miscellaneous metrics" and what follows them are not ours.
ToolValues ParseStressNg(absl::string_view output) {
  std::vector<ToolValue> values;
  bool titled = false;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 4 || words[0] != "stress-ng:" ||
        (words[1] != "metrc:" && words[1] != "info:")) {
      continue;
    }
    words.erase(words.begin(), words.begin() + 3);
    if (words[0] == "stressor") {
      titled = absl::StrContains(line, "bogo ops real time  usr time  sys time   bogo ops/s");
      continue;
    }
    if (words[0] == "miscellaneous") break;
    if (!titled || words.size() != 7 || words[0] == "(secs)") continue;
    const std::optional<double> ops = Number(words[1]), rate = Number(words[5]);
    if (!IsMetricWord(words[0]) || !ops || !rate || *rate == 0) {
      return Wrong("stress-ng", "numbers above 0 of a stressor", line);
    }
    values.push_back({absl::StrCat("stress-ng.", words[0], ".rate"), *rate, "1/s"});
    values.push_back({absl::StrCat("stress-ng.", words[0], ".ops"), *ops, "1"});
  }
  if (values.empty()) return Wrong("stress-ng", "a table of metrics with a stressor in it", "");
  return values;
}

ToolValues ParseSysbench(absl::string_view output) {
  ASSIGN_OR_RETURN(const double seconds, LineNumber("sysbench", output, "total time:", "s"));
  ASSIGN_OR_RETURN(const double events,
                   LineNumber("sysbench", output, "total number of events:", ""));
  if (!absl::StrContains(output, "\nLatency (ms):\n")) {
    return Wrong("sysbench", "a line \"Latency (ms):\"", "");
  }
  ASSIGN_OR_RETURN(const double avg, LineNumber("sysbench", output, "avg:", ""));
  ASSIGN_OR_RETURN(const double max, LineNumber("sysbench", output, "max:", ""));
  ASSIGN_OR_RETURN(const double p95, LineNumber("sysbench", output, "95th percentile:", ""));
  if (seconds == 0 || events == 0) return Wrong("sysbench", "any event in a time above 0 s", "");
  return std::vector<ToolValue>{{"sysbench.rate", events / seconds, "1/s"},
                                {"sysbench.events", events, "1"},
                                {"sysbench.latency.avg", avg, "ms"},
                                {"sysbench.latency.p95", p95, "ms"},
                                {"sysbench.latency.max", max, "ms"}};
}

ToolValues ParsePerfMessaging(absl::string_view output) {
  ASSIGN_OR_RETURN(const double time, LongEnough("perf bench sched messaging",
                                                 LineNumber("perf bench sched messaging", output,
                                                            "Total time:", "[sec]")));
  ASSIGN_OR_RETURN(const double tasks, Tasks("perf bench sched messaging", output, "# "));
  return std::vector<ToolValue>{{"perf-messaging.time", time, "s"},
                                {"perf-messaging.tasks", tasks, "1"}};
}

ToolValues ParsePerfPipe(absl::string_view output) {
  ASSIGN_OR_RETURN(const double time,
                   LongEnough("perf bench sched pipe",
                              LineNumber("perf bench sched pipe", output, "Total time:", "[sec]")));
  std::optional<double> op, rate;
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() != 2) continue;
    if (words[1] == "usecs/op") op = Number(words[0]);
    if (words[1] == "ops/sec") rate = Number(words[0]);
  }
  if (!op || !rate)
    return Wrong("perf bench sched pipe", "lines \"N usecs/op\" and \"N ops/sec\"", "");
  return std::vector<ToolValue>{
      {"perf-pipe.time", time, "s"}, {"perf-pipe.op", *op, "us"}, {"perf-pipe.rate", *rate, "1/s"}};
}

}  // namespace shakedown::runner
