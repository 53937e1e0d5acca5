// hackbench: of rt-tests, the one before, and the oldest, which prints a time and nothing else.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

using Context = std::vector<std::pair<std::string, std::string>>;

// "Time: 0.123"
std::optional<double> TimeOf(absl::string_view text) {
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() != 2 || words[0] != "Time:") return std::nullopt;
  const std::optional<double> seconds = Number(words[1]);
  return seconds.has_value() && *seconds >= 0 ? seconds : std::nullopt;
}

// "(== 400 tasks)", "(== 400) tasks."
std::string TasksOf(absl::string_view text) {
  const size_t at = text.find("(== ");
  if (at == absl::string_view::npos) return "";
  absl::string_view rest = text.substr(at + 4);
  return std::string(TakeNumber(&rest));
}

struct Start {
  std::string form;
  Context context;
};

std::optional<Start> StartOf(absl::string_view line) {
  const std::string text = OneSpaced(line);
  absl::string_view rest = text;
  if (Take(&rest, "Running in ")) {
    const std::vector<absl::string_view> words = Words(rest);
    if (words.size() < 5 || words[1] != "mode" || words[2] != "with" || words[4] != "groups")
      return std::nullopt;
    return Start{"rt-tests",
                 {{"mode", std::string(words[0])},
                  {"groups", std::string(words[3])},
                  {"tasks", TasksOf(text)}}};
  }
  if (Take(&rest, "Running with ") && absl::StrContains(rest, "*")) {
    return Start{"2001 to 2009",
                 {{"groups", std::string(TakeNumber(&rest))}, {"tasks", TasksOf(text)}}};
  }
  return std::nullopt;
}

void Add(double seconds, absl::string_view form, Context context, int line, Sink& sink) {
  sink.Add({.source = MakeSource("hackbench", form, std::move(context)),
            .metric = "hackbench.time",
            .value = seconds,
            .unit = "s",
            .direction = Direction::kLower,
            .line = line});
}

// "Each sender will pass 100 messages of 100 bytes"
void ReadMessages(absl::string_view text, Context& context) {
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() != 9) return;
  context.emplace_back("messages", std::string(words[4]));
  context.emplace_back("bytes", std::string(words[7]));
}

size_t ReadRun(const Lines& lines, size_t at, Start start, Sink& sink) {
  // What a run prints fits into a few lines; a failing one prints errors instead of its time.
  for (size_t next = at + 1; next < lines.size() && next <= at + 6; ++next) {
    const absl::string_view text = lines[next].text;
    if (StartOf(text).has_value()) break;
    if (absl::StartsWith(text, "Each sender will pass ")) ReadMessages(text, start.context);
    if (!absl::StartsWith(text, "Time:")) continue;
    const std::optional<double> seconds = TimeOf(text);
    if (seconds.has_value()) {
      Add(*seconds, start.form, std::move(start.context), lines[next].number, sink);
    } else {
      sink.Refuse(lines[next].number,
                  absl::StrCat("hackbench: ", Shown(text), ": want \"Time: \" and seconds"));
    }
    return next + 1 - at;
  }
  sink.Refuse(lines[at].number, "hackbench: no time follows: the run failed or is broken off");
  return 1;
}

}  // namespace

size_t ReadHackbench(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  if (std::optional<Start> start = StartOf(text))
    return ReadRun(lines, at, *std::move(start), sink);
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() != 2 || words[0] != "Time:" ||
      words[1].find_first_not_of("0123456789.,") != absl::string_view::npos)
    return 0;
  const absl::string_view command = CommandBefore(lines, at, "hackbench");
  const std::optional<double> seconds = TimeOf(text);
  if (!seconds.has_value() || command.empty()) {
    sink.Refuse(lines[at].number, absl::StrCat(Shown(text), ": nothing says what took this time"));
  } else {
    Add(*seconds, "time alone", {{"command", std::string(command)}}, lines[at].number, sink);
  }
  return 1;
}

}  // namespace shakedown::importer
