// interbench, 0.21 to HEAD: heading lines, then a table a benchmark. A unit stands in each table's
// heading (ms, or us in real-time runs), so tables of both in one file stay apart.
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kTool = "interbench";
constexpr absl::string_view kUsing = "Using ";
constexpr absl::string_view kKernel = "Benchmarking kernel ";
constexpr absl::string_view kTable = "--- Benchmarking ";

bool IsUsing(absl::string_view text) {
  return absl::StartsWith(text, kUsing) && absl::StrContains(text, " loops per ms, running");
}
bool IsLoadSet(absl::string_view text) {
  return absl::StartsWith(text, "Load set to ") && absl::EndsWith(text, " processors");
}
bool IsKernel(absl::string_view text) {
  return absl::StartsWith(text, kKernel) && absl::StrContains(text, " at datestamp ");
}
bool IsTable(absl::string_view text) { return absl::StartsWith(text, kTable); }

// The columns of a table, as its heading says.
struct Columns {
  std::string unit;  // Of the latencies; empty: the heading could not be read.
  bool deadlines = false;
};

std::optional<Columns> ColumnsOf(absl::string_view heading) {
  std::string text = OneSpaced(heading);
  absl::string_view rest = text;
  Take(&rest, "Load ");
  if (!Take(&rest, "Latency +/- SD (")) return std::nullopt;
  Columns columns;
  if (Take(&rest, "ms)")) {
    columns.unit = "ms";
  } else if (Take(&rest, "us)")) {
    columns.unit = "us";
  } else {
    return std::nullopt;
  }
  if (!Take(&rest, " Max Latency % Desired CPU")) return std::nullopt;
  columns.deadlines = rest == " % Deadlines Met";
  if (!columns.deadlines && !rest.empty()) return std::nullopt;
  return columns;
}

// A number of a row and the stars behind it.
struct Cell {
  absl::string_view text;
  std::vector<std::string> marks;
};

class Run {
 public:
  Run(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read() {
    const size_t start = at_;
    while (at_ < lines_.size() && ReadHeading()) ++at_;
    if (at_ == start && !IsTable(TextAt(lines_, at_))) return 0;
    while (NextIsTable()) ReadTable();
    if (tables_ == 0) {
      sink_.Refuse(lines_[start].number, "interbench: a heading without a table: the run failed");
    }
    Finish();
    return std::max(at_, start + 1) - start;
  }

 private:
  // Lines of the run's heading, and blank ones between them. Each kind once: the second begins
  // another run.
  bool ReadHeading() {
    const absl::string_view text = lines_[at_].text;
    if (text.empty()) return !seen_.empty();
    if (IsLoadSet(text)) return Once("load") && Set("cpu_load", Words(text)[3]);
    if (IsUsing(text)) return Once("using") && ReadUsing(text);
    if (IsKernel(text)) return Once("kernel") && ReadKernel(text);
    if (absl::StartsWith(text, "Comment: ") && seen_.count("kernel") > 0)
      return Once("comment") && Set("comment", text.substr(9));
    return false;
  }

  bool Once(const std::string& what) { return seen_.insert(what).second; }
  bool Set(const std::string& name, absl::string_view value) {
    context_.emplace_back(name, std::string(value));
    return true;
  }

  bool ReadUsing(absl::string_view text) {
    const std::vector<absl::string_view> words = Words(text);
    Set("loops_per_ms", words[1]);
    const std::optional<double> loops = Number(words[1]);
    if (loops.has_value()) {
      loops_ = Result{.metric = "interbench.loops_per_ms",
                      .value = *loops,
                      .unit = "1",
                      .direction = Direction::kHigher,
                      .line = lines_[at_].number};
    } else {
      sink_.Refuse(lines_[at_].number,
                   absl::StrCat("interbench: loops per ms ", Shown(words[1]), ": want a number"));
    }
    const size_t seconds = words.size() - 2;
    if (words.back() == "seconds" && Count(words[seconds])) Set("seconds", words[seconds]);
    return true;
  }

  bool ReadKernel(absl::string_view text) {
    text.remove_prefix(kKernel.size());
    const size_t at = text.find(" at datestamp ");
    Set("kernel", text.substr(0, at));
    return Set("datestamp", text.substr(at + 14));
  }

  // Skips blank lines before a table of the same run.
  bool NextIsTable() {
    size_t next = at_;
    while (next < lines_.size() && lines_[next].text.empty()) ++next;
    if (!IsTable(TextAt(lines_, next))) return false;
    at_ = next;
    return true;
  }

  void ReadTable() {
    ++tables_;
    const int title_line = lines_[at_].number;
    std::string title = std::string(lines_[at_++].text);
    if (!absl::EndsWith(title, "---") && absl::EndsWith(TextAt(lines_, at_), "---") &&
        !IsTable(TextAt(lines_, at_)))
      absl::StrAppend(&title, " ", lines_[at_++].text);
    const bool titled = ReadTitle(title);
    if (!titled) sink_.Refuse(title_line, absl::StrCat("interbench: table title ", Shown(title)));
    while (at_ < lines_.size() && lines_[at_].text.empty()) ++at_;
    const std::optional<Columns> columns = ReadColumns();
    if (!columns.has_value()) {
      const absl::string_view heading = TextAt(lines_, at_);
      const bool there = absl::StrContains(heading, "Latency");
      sink_.Refuse(there ? lines_[at_].number : title_line,
                   absl::StrCat("interbench: column heading ", Shown(heading),
                                ": without it the unit is not known"));
      if (there) ++at_;
    }
    ReadRows(titled && columns.has_value() ? columns : std::nullopt);
  }

  // "--- Benchmarking simulated cpu of Audio [real time|nice N] in the presence of …---"
  bool ReadTitle(absl::string_view title) {
    const std::string text = OneSpaced(title);
    absl::string_view rest = text;
    if (!Take(&rest, kTable) || !absl::EndsWith(rest, "---")) return false;
    old_ = !Take(&rest, "simulated cpu of ");
    const size_t presence = rest.find(" in the presence of ");
    if (presence == absl::string_view::npos) return false;
    const std::vector<absl::string_view> words = Words(rest.substr(0, presence));
    if (words.empty()) return false;
    bench_ = std::string(words[0]);
    bench_class_.clear();
    load_class_.clear();
    for (size_t i = 1; i < words.size(); ++i)
      absl::StrAppend(&bench_class_, i > 1 ? " " : "", words[i]);
    const size_t nice = rest.find("nice ", presence);
    if (nice != absl::string_view::npos)
      load_class_ =
          std::string(absl::StripAsciiWhitespace(rest.substr(nice, rest.size() - 3 - nice)));
    return true;
  }

  // A mailer may have broken the heading in two.
  std::optional<Columns> ReadColumns() {
    const std::string joined = absl::StrCat(TextAt(lines_, at_), " ", TextAt(lines_, at_ + 1));
    std::optional<Columns> columns =
        TextAt(lines_, at_ + 1).empty() ? std::nullopt : ColumnsOf(joined);
    if (columns.has_value()) {
      at_ += 2;
      return columns;
    }
    columns = ColumnsOf(TextAt(lines_, at_));
    if (columns.has_value()) ++at_;
    return columns;
  }

  void ReadRows(const std::optional<Columns>& columns) {
    for (; at_ < lines_.size(); ++at_) {
      const absl::string_view text = lines_[at_].text;
      if (text.empty() || IsTable(text) || IsUsing(text) || IsKernel(text) || IsLoadSet(text))
        return;
      const std::string spaced =
          absl::StrReplaceAll(text, {{"+/-", " +/- "}, {"\xC2\xB1", " +/- "}, {"*", " * "}});
      const std::vector<absl::string_view> words = Words(spaced);
      if (!LooksLikeRow(words)) return;
      if (!columns.has_value()) {
        sink_.Refuse(lines_[at_].number, absl::StrCat("interbench: row ", Shown(text),
                                                      " of a table without a heading"));
      } else {
        ReadRow(words, *columns);
      }
    }
  }

  static bool LooksLikeRow(const std::vector<absl::string_view>& words) {
    static const auto* loads = new std::set<absl::string_view>{
        "None", "Audio", "Video",   "X",       "Gaming", "Burn",      "Write",
        "Read", "Ring",  "Compile", "Memload", "Hack",   "Hackbench", "Custom"};
    if (words.empty()) return false;
    if (loads->count(words[0]) > 0) return true;
    for (const absl::string_view word : words)
      if (word == "+/-") return true;
    return false;
  }

  void ReadRow(const std::vector<absl::string_view>& words, const Columns& columns) {
    std::vector<Cell> cells;
    bool good = words.size() > 2 &&
                words[0].find_first_not_of(
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
                    absl::string_view::npos &&
                absl::ascii_isalpha(words[0][0]);
    size_t separators = 0;
    for (size_t i = 1; i < words.size() && good; ++i) {
      if (words[i] == "+/-") {
        ++separators;
        good = cells.size() == 1;
      } else if (words[i] == "*") {
        good = !cells.empty();
        if (good) cells.back().marks.push_back("*");
      } else {
        good = Number(words[i]).has_value() || IsNan(words[i]);
        cells.push_back({words[i], {}});
      }
    }
    const size_t want = columns.deadlines ? 5 : 4;
    if (!good || separators != 1 || cells.size() != want) {
      sink_.Refuse(lines_[at_].number, absl::StrCat("interbench: row ", Shown(lines_[at_].text),
                                                    ": want a load and ", want, " numbers"));
      return;
    }
    // The star stands behind the column "Latency +/- SD", which is both.
    cells[0].marks.insert(cells[0].marks.end(), cells[1].marks.begin(), cells[1].marks.end());
    cells[1].marks = cells[0].marks;
    AddRow(words[0], cells, columns);
  }

  void AddRow(absl::string_view load, const std::vector<Cell>& cells, const Columns& columns) {
    auto context = context_;
    context.emplace_back("benchmark", bench_);
    context.emplace_back("benchmark_class", bench_class_);
    context.emplace_back("load", std::string(load));
    context.emplace_back("load_class", load_class_);
    rows_.push_back({pending_.size(), std::move(context)});
    const std::string prefix = absl::StrCat("interbench.", absl::AsciiStrToLower(bench_), ".",
                                            absl::AsciiStrToLower(load), ".");
    static constexpr absl::string_view kNames[] = {"latency.avg", "latency.rms", "latency.max",
                                                   "desired_cpu", "deadlines_met"};
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::optional<double> value = Number(cells[i].text);
      if (!value.has_value()) {
        sink_.Note(lines_[at_].number, absl::StrCat("interbench: ", Shown(lines_[at_].text),
                                                    ": printed as nan, no value"));
        continue;
      }
      if (i < 3 && cells[i].text.find('.') != cells[i].text.size() - 2 &&
          cells[i].text.find(',') != cells[i].text.size() - 2)
        one_decimal_ = false;
      pending_.push_back({.metric = absl::StrCat(prefix, kNames[i]),
                          .value = *value,
                          .unit = i < 3 ? columns.unit : "%",
                          .direction = i < 3 ? Direction::kLower : Direction::kHigher,
                          .line = lines_[at_].number,
                          .marks = cells[i].marks});
    }
  }

  // Only now is known how the run prints its numbers. The "SD" of 0.31 and later is in truth a root
  // mean square; that of the versions before was reckoned in other ways and is named apart.
  void Finish() {
    const bool late = one_decimal_ && !old_;
    const absl::string_view form = late   ? "one decimal (0.31 and later)"
                                   : old_ ? "0.21"
                                          : "three digits (up to 0.30)";
    if (loops_.has_value() && tables_ > 0) {
      loops_->source = MakeSource(kTool, form, context_);
      sink_.Add(std::move(*loops_));
    }
    for (size_t row = 0; row < rows_.size(); ++row) {
      const size_t end = row + 1 < rows_.size() ? rows_[row + 1].first : pending_.size();
      const SourcePtr source = MakeSource(kTool, form, std::move(rows_[row].context));
      for (size_t i = rows_[row].first; i < end; ++i) {
        if (!late && absl::EndsWith(pending_[i].metric, ".rms"))
          pending_[i].metric.replace(pending_[i].metric.size() - 3, 3, "printed_sd");
        pending_[i].source = source;
        sink_.Add(std::move(pending_[i]));
      }
    }
  }

  struct Row {
    size_t first;  // In pending_.
    std::vector<std::pair<std::string, std::string>> context;
  };

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  std::set<std::string> seen_;
  std::vector<std::pair<std::string, std::string>> context_;
  std::optional<Result> loops_;
  int tables_ = 0;
  bool old_ = false;
  bool one_decimal_ = true;
  std::string bench_, bench_class_, load_class_;
  std::vector<Result> pending_;
  std::vector<Row> rows_;
};

}  // namespace

size_t ReadInterbench(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  if (!IsLoadSet(text) && !IsUsing(text) && !IsKernel(text) && !IsTable(text)) return 0;
  return Run(lines, at, sink).Read();
}

}  // namespace shakedown::importer
