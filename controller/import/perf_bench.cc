// perf bench sched messaging: hackbench inside perf, in its default format.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {

size_t ReadPerfBench(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  if (!absl::StartsWith(text, "# Running ")) return 0;
  const bool messaging = absl::StrContains(text, "sched/messaging");
  if (!messaging && !absl::StrContains(text, "benchmark")) return 0;
  if (!messaging) {
    sink.Refuse(lines[at].number, absl::StrCat("perf bench: ", Shown(text), " is not read"));
    return 1;
  }
  std::vector<std::pair<std::string, std::string>> context;
  for (size_t next = at + 1; next < lines.size() && next <= at + 6; ++next) {
    const std::vector<absl::string_view> words = Words(lines[next].text);
    // "# 20 sender and receiver processes per group", "# 10 groups == 400 processes run"
    if (words.size() == 8 && words[0] == "#" && words[7] == "group") {
      context.emplace_back("pairs", std::string(words[1]));
      context.emplace_back("mode", std::string(words[5]));
    } else if (words.size() == 7 && words[0] == "#" && words[2] == "groups") {
      context.emplace_back("groups", std::string(words[1]));
      context.emplace_back("tasks", std::string(words[4]));
    } else if (words.size() >= 3 && words[0] == "Total" && words[1] == "time:") {
      const std::optional<double> seconds = Number(words[2]);
      if (!seconds.has_value() || words.size() != 4 || words[3] != "[sec]") {
        sink.Refuse(lines[next].number, absl::StrCat("perf bench: ", Shown(lines[next].text),
                                                     ": want a number of [sec]"));
      } else {
        sink.Add({.source = MakeSource("perf bench", "sched messaging", std::move(context)),
                  .metric = "perf_bench.sched_messaging.time",
                  .value = *seconds,
                  .unit = "s",
                  .direction = Direction::kLower,
                  .line = lines[next].number});
      }
      return next + 1 - at;
    } else if (words.size() > 1 && words[0] == "#" && words[1] == "Running") {
      break;
    }
  }
  sink.Refuse(lines[at].number, "perf bench: no total time follows: it failed or is broken off");
  return 1;
}

}  // namespace shakedown::importer
