// kernbench: per load level a title and six lines with mean and, from 0.40 on, standard deviation.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

struct Field {
  absl::string_view name, metric, unit;
  Direction direction;
};

constexpr Field kFields[] = {
    {"Elapsed Time", "elapsed", "s", Direction::kLower},
    {"User Time", "user", "s", Direction::kLower},
    {"System Time", "sys", "s", Direction::kLower},
    {"Percent CPU", "cpu", "%", Direction::kUnknown},
    {"Context Switches", "involuntary_switches", "1", Direction::kUnknown},
    {"Sleeps", "voluntary_switches", "1", Direction::kUnknown},
};

// "Average Half load -j 8 Run (std deviation):", "Average Maximal -j Load Run:"
struct Title {
  std::string level;
  std::string jobs;
  bool deviation = false;
};

std::optional<Title> TitleOf(absl::string_view text) {
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() < 3 || words[0] != "Average" || !absl::EndsWith(text, ":")) return std::nullopt;
  Title title;
  title.level = absl::AsciiStrToLower(words[1]);
  if (title.level != "half" && title.level != "optimal" && title.level != "maximal" &&
      title.level != "single")
    return std::nullopt;
  bool run = false;
  for (size_t i = 2; i < words.size(); ++i) {
    run = run || words[i] == "Run" || words[i] == "Run:";
    if (words[i] == "-j") {
      title.jobs =
          i + 1 < words.size() && Count(words[i + 1]) ? std::string(words[i + 1]) : "unlimited";
    }
  }
  title.deviation = absl::EndsWith(text, "(std deviation):");
  return run ? std::optional<Title>(title) : std::nullopt;
}

class Level {
 public:
  Level(const Lines& lines, const Title& title, Sink& sink)
      : lines_(lines),
        sink_(sink),
        prefix_(absl::StrCat("kernbench.", title.level, ".")),
        deviation_(title.deviation),
        source_(MakeSource("kernbench", title.deviation ? "with deviation" : "without deviation",
                           {{"level", title.level}, {"jobs", title.jobs}})) {}

  bool ReadLine(size_t at) {
    const std::string text = OneSpaced(lines_[at].text);
    for (const Field& field : kFields) {
      absl::string_view rest = text;
      if (!Take(&rest, field.name)) continue;
      ReadField(field, rest, lines_[at].number);
      return true;
    }
    return false;
  }

 private:
  void ReadField(const Field& field, absl::string_view rest, int line) {
    Take(&rest, ":");
    rest = absl::StripAsciiWhitespace(rest);
    const std::string metric = absl::StrCat(prefix_, field.metric);
    if (rest == "No data") {
      sink_.Note(line, absl::StrCat(metric, ": no data"));
      return;
    }
    const std::vector<absl::string_view> words = Words(rest);
    const std::optional<double> mean = words.empty() ? std::nullopt : Number(words[0]);
    std::optional<double> deviation;
    bool good = mean.has_value() && words.size() <= (deviation_ ? 2 : 1);
    if (good && words.size() == 2) {
      absl::string_view inside = words[1];
      good = Take(&inside, "(") && absl::EndsWith(inside, ")");
      if (good) deviation = Number(inside.substr(0, inside.size() - 1));
      good = deviation.has_value();
    }
    if (!good) {
      sink_.Refuse(line, absl::StrCat("kernbench: ", field.name, " ", Shown(rest),
                                      ": want a number and its deviation"));
      return;
    }
    Add(metric, *mean, field, field.direction, line);
    if (deviation.has_value())
      Add(absl::StrCat(metric, ".sd"), *deviation, field, Direction::kUnknown, line);
  }

  void Add(const std::string& metric, double value, const Field& field, Direction direction,
           int line) {
    sink_.Add({.source = source_,
               .metric = metric,
               .value = value,
               .unit = std::string(field.unit),
               .direction = direction,
               .line = line});
  }

  const Lines& lines_;
  Sink& sink_;
  const std::string prefix_;
  const bool deviation_;
  const SourcePtr source_;
};

}  // namespace

size_t ReadKernbench(const Lines& lines, size_t at, Sink& sink) {
  const std::optional<Title> title = TitleOf(lines[at].text);
  if (!title.has_value()) return 0;
  Level level(lines, *title, sink);
  size_t end = at + 1;
  while (end < lines.size() && level.ReadLine(end)) ++end;
  if (end == at + 1) sink.Refuse(lines[at].number, "kernbench: a title without numbers");
  if (end > at + 1 && end < at + 1 + std::size(kFields))
    sink.Note(lines[end - 1].number, "kernbench: fewer lines than usual: broken off?");
  return end - at;
}

}  // namespace shakedown::importer
