// perf stat for people: counts with a unit or an event's name, with -r their spread.
#include "controller/import/perf_stat.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kTitle = "Performance counter stats for ";

// The parts of a row: before "#" the number, unit and event; behind, parts in parentheses.
struct Row {
  std::vector<absl::string_view> words;
  std::string spread;   // "0.12" of "( +-  0.12% )".
  std::string running;  // "75.00" of "(75.00%)": the event was counted that part of the time.
};

Row RowOf(absl::string_view text) {
  Row row;
  for (size_t open = text.rfind('('); open != absl::string_view::npos && absl::EndsWith(text, ")");
       open = text.rfind('(')) {
    const std::string inside = OneSpaced(text.substr(open + 1, text.size() - open - 2));
    absl::string_view rest = inside;
    const bool spread = Take(&rest, "+- ") || Take(&rest, "+-");
    const absl::string_view number = TakeNumber(&rest);
    if (number.empty() || rest != "%") break;
    (spread ? row.spread : row.running) = std::string(number);
    text = absl::StripTrailingAsciiWhitespace(text.substr(0, open));
  }
  text = text.substr(0, text.find('#'));
  row.words = Words(text);
  return row;
}

class Report {
 public:
  Report(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read() {
    const size_t start = at_;
    ReadTitle();
    for (++at_; at_ < lines_.size(); ++at_) {
      const absl::string_view text = absl::StripLeadingAsciiWhitespace(lines_[at_].text);
      if (text.empty()) continue;
      if (IsPerfCsv(text) || IsPerfInterval(text)) break;  // Another output of perf's.
      const absl::string_view counted = WithoutCpu(text);
      const bool row = absl::ascii_isdigit(counted[0]) || absl::StartsWith(counted, "<not ");
      // A line that has only remarks belongs to the row above.
      if (!row && !absl::StartsWith(text, "#")) break;
      if (!row) continue;
      UseCpu(text.substr(0, text.size() - counted.size()));
      ReadRow(counted);
    }
    if (rows_ == 0) sink_.Refuse(lines_[start].number, "perf stat: a title without counts");
    if (rows_ > 0 && !elapsed_)
      sink_.Note(lines_[start].number, "perf stat: no time elapsed: broken off?");
    while (at_ > start + 1 && lines_[at_ - 1].text.empty()) --at_;
    return at_ - start;
  }

 private:
  // "Performance counter stats for 'make -j4' (5 runs):"
  void ReadTitle() {
    absl::string_view text = absl::StripLeadingAsciiWhitespace(lines_[at_].text);
    Take(&text, kTitle);
    if (absl::EndsWith(text, ":")) text.remove_suffix(1);
    std::string runs;
    const size_t open = text.rfind('(');
    if (open != absl::string_view::npos && absl::EndsWith(text, " runs)")) {
      absl::string_view inside = text.substr(open + 1);
      runs = std::string(TakeNumber(&inside));
      text = absl::StripAsciiWhitespace(text.substr(0, open));
    }
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'')
      text = text.substr(1, text.size() - 2);
    form_ = runs.empty() ? "text" : "text, -r";
    context_ = {{"command", std::string(text)}, {"runs", runs}};
  }

  // The row behind the CPU, core, die, socket or node that -A and --per-… put first: "CPU0",
  // "S0-D0".
  static absl::string_view WithoutCpu(absl::string_view text) {
    const std::vector<absl::string_view> words = Words(text);
    const absl::string_view first = words[0];
    const size_t letters = absl::StartsWith(first, "CPU") ? 3 : 1;
    const bool cpu = words.size() > 2 && first.size() > letters &&
                     (letters == 3 || first[0] == 'S' || first[0] == 'N') &&
                     absl::ascii_isdigit(first[letters]);
    return cpu ? text.substr(words[1].data() - text.data()) : text;
  }

  void UseCpu(absl::string_view cpu) {
    auto context = context_;
    context.emplace_back("cpu", std::string(absl::StripAsciiWhitespace(cpu)));
    source_ = MakeSource("perf stat", form_, std::move(context));
  }

  void ReadRow(absl::string_view text) {
    if (!ReadAny(text)) {
      sink_.Refuse(lines_[at_].number,
                   absl::StrCat("perf stat: ", Shown(text), ": want a number and an event"));
    }
  }

  // False: not to be understood.
  bool ReadAny(absl::string_view text) {
    Row row = RowOf(text);
    std::vector<absl::string_view>& words = row.words;
    if (words.size() >= 3 && words[0] == "<not") {
      sink_.Note(lines_[at_].number, absl::StrCat("perf stat: ", OneSpaced(text)));
      ++rows_;
      return true;
    }
    if (words.size() >= 3 && words[1] == "seconds") return ReadTime(row);
    if (words.size() >= 5 && words[1] == "+-" && words[3] == "seconds") {
      words.erase(words.begin() + 1, words.begin() + 3);
      return ReadTime(row);
    }
    return ReadEvent(row);
  }

  // "1.234567890 seconds time elapsed", "0.12 seconds user"
  bool ReadTime(const Row& row) {
    const std::vector<absl::string_view>& words = row.words;
    // Always with decimals, never grouped.
    const std::optional<double> value = Number(words[0]);
    std::string name;
    if (words.size() == 4 && words[2] == "time" && words[3] == "elapsed") name = "elapsed";
    if (words.size() == 3 && (words[2] == "user" || words[2] == "sys"))
      name = std::string(words[2]);
    if (!value.has_value() || name.empty()) return false;
    elapsed_ = elapsed_ || name == "elapsed";
    Add(name, *value, "s", Direction::kLower, row);
    return true;
  }

  // "1,234.56 msec task-clock", "1234.56 task-clock (msec)", "9,876 cycles", "12.3 Joules power/…/"
  bool ReadEvent(const Row& row) {
    const std::vector<absl::string_view>& words = row.words;
    if (words.size() < 2 || words.size() > 3) return false;
    std::string unit = "1";
    absl::string_view event = words[1];
    if (words.size() == 3 && words[2] == "(msec)") {
      unit = "ms";
    } else if (words.size() == 3) {
      unit = words[1] == "msec" ? "ms" : words[1] == "Joules" ? "J" : std::string(words[1]);
      if (unit != "ms" && unit != "J" && unit != "ns" && unit != "MiB") return false;
      event = words[2];
    } else if (absl::EndsWith(event, "-msecs")) {
      unit = "ms";
      event.remove_suffix(6);
    }
    if (event.find_first_of("()%#\"'") != absl::string_view::npos) return false;
    const std::optional<double> value = Grouped(words[0], unit == "1" || unit == "ns");
    if (!value.has_value()) return false;
    Add(event, *value, unit, Direction::kUnknown, row);
    return true;
  }

  void Add(absl::string_view event, double value, absl::string_view unit, Direction direction,
           const Row& row) {
    ++rows_;
    Result result = {.source = source_,
                     .metric = absl::StrCat("perf.", event),
                     .value = value,
                     .unit = std::string(unit),
                     .direction = direction,
                     .line = lines_[at_].number};
    if (!row.running.empty())
      result.marks.push_back(absl::StrCat("scaled up: counted ", row.running, " % of the time"));
    sink_.Add(std::move(result));
    const std::optional<double> spread = Number(row.spread);
    if (!spread.has_value()) return;
    sink_.Add({.source = source_,
               .metric = absl::StrCat("perf.", event, ".spread"),
               .value = *spread,
               .unit = "%",
               .line = lines_[at_].number});
  }

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  std::string form_;
  std::vector<std::pair<std::string, std::string>> context_;
  SourcePtr source_;  // Of the row in hand.
  size_t rows_ = 0;
  bool elapsed_ = false;
};

}  // namespace

bool IsPerfInterval(absl::string_view text) {
  return absl::StartsWith(text, "#") && absl::EndsWith(OneSpaced(text), "time counts unit events");
}

size_t ReadPerfStat(const Lines& lines, size_t at, Sink& sink) {
  if (IsPerfInterval(lines[at].text)) {
    size_t end = at + 1;
    while (absl::ascii_isdigit(TextAt(lines, end).empty() ? ' ' : lines[end].text[0])) ++end;
    sink.Refuse(lines[at].number, "perf stat -I: counts by interval are not read");
    return end - at;
  }
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(lines[at].text), kTitle)) return 0;
  return Report(lines, at, sink).Read();
}

}  // namespace shakedown::importer
