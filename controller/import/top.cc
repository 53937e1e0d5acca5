// top -b: frames of a summary and a process table. Of procps 3.2, 3.3 and 4; in English, and in the
// languages whose words are listed here.
#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/top_words.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

using Context = std::vector<std::pair<std::string, std::string>>;

bool IsFrame(absl::string_view text) {
  return absl::StartsWith(text, "top - ") && absl::StrContains(text, " up ");
}

// Not that of ps, whose %CPU is reckoned over the whole life of a process.
bool IsProcessHeading(absl::string_view text) {
  if (!absl::StrContains(text, "PID") || !absl::StrContains(text, "%CPU")) return false;
  const std::vector<absl::string_view> words = Words(text);
  const auto has = [&words](absl::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return words.size() >= 4 && has("PID") && has("%CPU") && !has("VSZ") && !has("TTY") &&
         !has("STAT");
}

// A line of the summary that is like no other text.
bool IsCpuLine(absl::string_view text) {
  return absl::StartsWith(text, "Cpu(s):") || absl::StartsWithIgnoreCase(text, "%Cpu(s):");
}

class Frame {
 public:
  Frame(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read() {
    const size_t start = at_;
    if (IsFrame(lines_[at_].text)) {
      ReadFirstLine();
      while (at_ < lines_.size() && IsSummary(lines_[at_].text)) ReadSummaryLine();
    } else {
      // The upper part was not pasted: what follows is read while it is one of these.
      source_ = MakeSource("top", "batch");
      while (IsCpuLine(TextAt(lines_, at_))) ReadSummaryLine();
    }
    size_t heading = at_;
    while (heading < lines_.size() && lines_[heading].text.empty()) ++heading;
    if (IsProcessHeading(TextAt(lines_, heading))) {
      at_ = heading;
      ReadProcesses();
    }
    return at_ - start;
  }

 private:
  static bool IsSummary(absl::string_view text) {
    return !text.empty() && !IsFrame(text) && !IsProcessHeading(text);
  }

  void Add(absl::string_view name, double value, absl::string_view unit, SourcePtr source = {}) {
    sink_.Add({.source = source == nullptr ? source_ : std::move(source),
               .metric = absl::StrCat("top.", name),
               .value = value,
               .unit = std::string(unit),
               .line = lines_[at_].number});
  }
  void Refuse(absl::string_view what) {
    sink_.Refuse(lines_[at_].number, absl::StrCat("top: ", what));
  }

  // "top - 18:31:17 up 7:45,  5 users,  load average: 5.18, 4.73, 4.28"
  void ReadFirstLine() {
    const absl::string_view text = lines_[at_].text;
    time_ = std::string(Words(text)[2]);
    source_ = MakeSource("top", "batch", {{"time", time_}});
    const size_t load = text.find("load average: ");
    absl::string_view rest = load == absl::string_view::npos ? "" : text.substr(load + 14);
    static constexpr absl::string_view kNames[] = {"load1", "load5", "load15"};
    std::vector<double> loads;
    while (loads.size() < 3) {
      const std::optional<double> value = Number(TakeNumber(&rest));
      if (!value.has_value()) break;
      loads.push_back(*value);
      Take(&rest, ",");
      TakeBlanks(&rest);
    }
    if (loads.size() == 3 && rest.empty()) {
      for (size_t i = 0; i < 3; ++i) Add(kNames[i], loads[i], "1");
    } else {
      Refuse("want \"load average: \" and three numbers");
    }
    ++at_;
  }

  void ReadSummaryLine() {
    const absl::string_view text = absl::StripLeadingAsciiWhitespace(lines_[at_].text);
    const size_t colon = text.find(':');
    const absl::string_view label =
        absl::StripAsciiWhitespace(text.substr(0, std::min(colon, text.size())));
    const absl::string_view rest = colon == absl::string_view::npos ? "" : text.substr(colon + 1);
    absl::string_view cpu = label;
    if (const absl::string_view tasks = TopTasks(label); !tasks.empty()) {
      ReadList(rest, absl::StrCat(tasks, "."), "1", source_);
    } else if (absl::StartsWithIgnoreCase(cpu, "%Cpu") || absl::StartsWith(cpu, "Cpu")) {
      Take(&cpu, "%");
      cpu.remove_prefix(3);
      SourcePtr source = source_;
      if (cpu != "(s)")
        source = MakeSource("top", "batch", {{"time", time_}, {"cpu", std::string(cpu)}});
      ReadList(rest, "cpu.", "%", source);
    } else {
      ReadMemoryLine(label, rest);
    }
    ++at_;
  }

  // "Mem: 2057700k total, …", "KiB Mem : 2057700 total, …", "MiB Swap: …, 987.6 avail Mem"
  void ReadMemoryLine(absl::string_view label, absl::string_view rest) {
    std::string unit;
    absl::string_view name = label;
    for (const absl::string_view prefix : {"KiB", "MiB", "GiB", "TiB"}) {
      if (Take(&name, prefix)) unit = std::string(prefix);
    }
    const std::string kind = TopMemory(absl::StripAsciiWhitespace(name));
    if (kind.empty()) return Refuse(absl::StrCat("summary line ", Shown(lines_[at_].text)));
    ReadList(rest, kind, unit, source_);
  }

  // "N word, N word": the number, a unit glued to it or not, and a word that is known.
  void ReadList(absl::string_view rest, absl::string_view prefix, absl::string_view unit,
                const SourcePtr& source) {
    for (TakeBlanks(&rest); !rest.empty(); TakeBlanks(&rest)) {
      const std::optional<double> value = Number(TakeNumber(&rest));
      if (!value.has_value()) return Refuse(absl::StrCat(Shown(rest), ": want a number"));
      std::string own_unit(unit);
      if (unit == "%") {
        Take(&rest, "%");
      } else if (Take(&rest, "k")) {
        own_unit = "KiB";
      } else if (Take(&rest, "+")) {
        return Refuse(absl::StrCat("a number that top cut off before ", Shown(rest)));
      }
      TakeBlanks(&rest);
      // The words go to the next comma, or to a full stop, as before "avail Mem".
      const size_t end = rest.find_first_of(",.");
      const absl::string_view word = absl::StripAsciiWhitespace(rest.substr(0, end));
      const std::string name = TopWord(prefix, word);
      if (name.empty()) return Refuse(absl::StrCat("the word ", Shown(word), " is not known"));
      if (own_unit.empty()) return Refuse("memory without a unit");
      Add(name, *value, own_unit, source);
      rest.remove_prefix(end == absl::string_view::npos ? rest.size() : end + 1);
    }
  }

  void ReadProcesses() {
    columns_.clear();
    for (const absl::string_view word : Words(lines_[at_].text))
      columns_.push_back(TopColumn(word));
    pid_ = std::find(columns_.begin(), columns_.end(), "PID") - columns_.begin();
    if (columns_.back() != "COMMAND") {
      Refuse("want COMMAND as the last column of the process table");
      columns_.clear();
    }
    for (++at_; at_ < lines_.size(); ++at_) {
      const absl::string_view text = lines_[at_].text;
      const std::vector<absl::string_view> words = Words(text);
      const size_t pid = std::min<size_t>(pid_, words.size() - (words.empty() ? 0 : 1));
      if (words.empty() || !Count(words[pid])) return;
      if (columns_.empty()) continue;
      if (words.size() < columns_.size()) {
        Refuse(absl::StrCat("a process of ", words.size(), " words, want ", columns_.size()));
      } else {
        ReadProcess(text, words);
      }
    }
  }

  void ReadProcess(absl::string_view text, const std::vector<absl::string_view>& words) {
    Context context = {{"time", time_}};
    const size_t last = columns_.size() - 1;
    for (size_t i = 0; i < last; ++i) {
      const std::string& column = columns_[i];
      if (column == "PID" || column == "USER" || column == "S")
        context.emplace_back(column == "S" ? "state" : absl::AsciiStrToLower(column),
                             std::string(words[i]));
      if (column == "PR" && words[i] == "rt") context.emplace_back("pr", "rt");
    }
    context.emplace_back("command", std::string(text.substr(words[last].data() - text.data())));
    const SourcePtr source = MakeSource("top", "batch", std::move(context));
    for (size_t i = 0; i < last; ++i) ReadCell(columns_[i], words[i], source);
  }

  void ReadCell(const std::string& column, absl::string_view word, const SourcePtr& source) {
    struct Plain {
      absl::string_view column, metric, unit;
    };
    static constexpr Plain kPlain[] = {{"PR", "process.pr", "1"},
                                       {"NI", "process.ni", "1"},
                                       {"%CPU", "process.cpu", "%"},
                                       {"%MEM", "process.mem", "%"}};
    for (const Plain& plain : kPlain) {
      if (column != plain.column || word == "rt") continue;
      const std::optional<double> value = Number(word);
      if (!value.has_value()) return RefuseCell(column, word);
      return Add(plain.metric, *value, plain.unit, source);
    }
    if (column == "VIRT" || column == "RES" || column == "SHR") {
      absl::string_view rest = word;
      const std::optional<double> value = Number(TakeNumber(&rest));
      const absl::string_view unit = rest.empty()  ? "KiB"
                                     : rest == "m" ? "MiB"
                                     : rest == "g" ? "GiB"
                                     : rest == "t" ? "TiB"
                                                   : "";
      if (!value.has_value() || unit.empty()) return RefuseCell(column, word);
      return Add(absl::StrCat("process.", absl::AsciiStrToLower(column)), *value, unit, source);
    }
    if (column == "TIME+" || column == "TIME") {
      const std::optional<double> value = Clock(word);
      if (!value.has_value()) return RefuseCell(column, word);
      return Add("process.time", *value, "s", source);
    }
  }

  void RefuseCell(absl::string_view column, absl::string_view word) {
    Refuse(absl::StrCat(column, " ", Shown(word), " of a process"));
  }

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  std::string time_;
  SourcePtr source_;
  std::vector<std::string> columns_;
  size_t pid_ = 0;  // Which of them is the PID.
};

// Where the next frame of the same batch begins after `end`; 0: nowhere.
size_t NextFrame(const Lines& lines, size_t end) {
  size_t next = end;
  while (next < lines.size() && lines[next].text.empty()) ++next;
  return IsFrame(TextAt(lines, next)) ? next : 0;
}

}  // namespace

size_t ReadTop(const Lines& lines, size_t at, Sink& sink) {
  if (!IsFrame(lines[at].text)) {
    if (!IsProcessHeading(lines[at].text) && !IsCpuLine(lines[at].text)) return 0;
    return Frame(lines, at, sink).Read();
  }
  Sink first;
  const size_t taken = Frame(lines, at, first).Read();
  size_t next = NextFrame(lines, at + taken);
  Parsed parsed = first.Take();
  if (next > 0) {
    sink.Note(lines[at].number, "top: the first frame of a batch is reckoned since boot, left out");
  } else {
    for (Result& result : parsed.results) sink.Add(std::move(result));
    for (Refusal& refusal : parsed.refused) sink.Refuse(refusal.line, std::move(refusal.reason));
  }
  size_t end = at + taken;
  for (; next > 0; next = NextFrame(lines, end)) end = next + Frame(lines, next, sink).Read();
  return end - at;
}

}  // namespace shakedown::importer
