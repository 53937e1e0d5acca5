// vmstat: a heading that names the columns, then rows. Read by name, since columns overflow, come
// and go with versions (w, st, gu) and options (-a, -t, -w).
#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

enum class Kind { kTasks, kMemory, kSwap, kBlocks, kRate, kPercent };

struct Column {
  absl::string_view name;
  absl::string_view metric;
  Kind kind;
};

constexpr Column kColumns[] = {
    {"r", "vmstat.r", Kind::kTasks},
    {"b", "vmstat.b", Kind::kTasks},
    {"w", "vmstat.w", Kind::kTasks},
    {"swpd", "vmstat.swpd", Kind::kMemory},
    {"free", "vmstat.free", Kind::kMemory},
    {"buff", "vmstat.buff", Kind::kMemory},
    {"cache", "vmstat.cache", Kind::kMemory},
    {"inact", "vmstat.inact", Kind::kMemory},
    {"active", "vmstat.active", Kind::kMemory},
    {"si", "vmstat.si", Kind::kSwap},
    {"so", "vmstat.so", Kind::kSwap},
    {"bi", "vmstat.bi", Kind::kBlocks},
    {"bo", "vmstat.bo", Kind::kBlocks},
    {"in", "vmstat.in", Kind::kRate},
    {"cs", "vmstat.cs", Kind::kRate},
    {"us", "vmstat.us", Kind::kPercent},
    {"sy", "vmstat.sy", Kind::kPercent},
    {"id", "vmstat.id", Kind::kPercent},
    {"wa", "vmstat.wa", Kind::kPercent},
    {"st", "vmstat.st", Kind::kPercent},
    {"gu", "vmstat.gu", Kind::kPercent},
};
// Broken rows are joined from so many lines at most.
constexpr size_t kMostPieces = 4;
// A screenful has at least so many rows; a heading that comes sooner may begin another run.
constexpr size_t kShortestScreen = 15;

const Column* ColumnOf(absl::string_view name) {
  for (const Column& column : kColumns)
    if (column.name == name) return &column;
  return nullptr;
}

bool IsHeading(const std::vector<absl::string_view>& words) {
  return words.size() >= 6 && words[0] == "r" && words[1] == "b" &&
         (words[2] == "swpd" || (words[2] == "w" && words[3] == "swpd"));
}

// The first of the two heading lines.
bool IsGroups(absl::string_view text) {
  return absl::StartsWith(text, "procs") || absl::StartsWith(text, "--procs--");
}

struct Heading {
  std::vector<const Column*> columns;
  std::string zone;  // The word behind the columns with -t: the time zone.
  bool timestamp = false;
  size_t lines = 1;
};

// Nullopt: not a heading. A column that is not known, or named twice: an empty list, and what is
// wrong with it in *wrong. So there are no more columns than there are in kColumns.
std::optional<Heading> HeadingAt(const Lines& lines, size_t at, std::string* wrong) {
  std::vector<absl::string_view> words = Words(TextAt(lines, at));
  if (!IsHeading(words)) return std::nullopt;
  Heading heading;
  // The tail of a heading that a mailer broke.
  const std::vector<absl::string_view> next = Words(TextAt(lines, at + 1));
  const auto names_new_column = [&words](absl::string_view word) {
    return ColumnOf(word) != nullptr && std::find(words.begin(), words.end(), word) == words.end();
  };
  if (!next.empty() && !IsHeading(next) && names_new_column(next[0])) {
    words.insert(words.end(), next.begin(), next.end());
    heading.lines = 2;
  }
  for (const absl::string_view word : words) {
    const Column* column = ColumnOf(word);
    if (column == nullptr && word == words.back() && heading.columns.size() >= 15) {
      heading.zone = std::string(word);
      heading.timestamp = true;
      continue;
    }
    const bool known = column != nullptr;
    if (!known || std::find(heading.columns.begin(), heading.columns.end(), column) !=
                      heading.columns.end()) {
      *wrong = absl::StrCat("column ", Shown(word), known ? " stands twice" : " is not known");
      heading.columns.clear();
      return heading;
    }
    heading.columns.push_back(column);
  }
  return heading;
}

// What the options of the command say.
struct Command {
  bool known = false;
  std::string memory_unit = "KiB";
  bool other_table = false;
};

Command ReadCommand(absl::string_view line) {
  Command command;
  const std::vector<absl::string_view> words = Words(line);
  command.known = !words.empty();
  for (size_t i = 1; i < words.size(); ++i) {
    absl::string_view word = words[i];
    if (word == "|" || word == ">") break;
    if (!Take(&word, "-S")) continue;
    if (word.empty() && i + 1 < words.size()) word = words[i + 1];
    if (word == "k") command.memory_unit = "kB";
    if (word == "K") command.memory_unit = "KiB";
    if (word == "m") command.memory_unit = "MB";
    if (word == "M") command.memory_unit = "MiB";
  }
  return command;
}

class Table {
 public:
  Table(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read(size_t start) {
    command_ = ReadCommand(CommandBefore(lines_, start, "vmstat"));
    ReadHeading();
    while (at_ < lines_.size() && ReadNext()) {
    }
    if (rows_ == 0 && !refused_)
      sink_.Refuse(lines_[start].number, "vmstat: a heading without rows");
    return at_ - start;
  }

 private:
  void ReadHeading() {
    std::string wrong;
    std::optional<Heading> heading = HeadingAt(lines_, at_, &wrong);
    if (heading->columns.empty()) {
      refused_ = true;
      sink_.Refuse(lines_[at_].number, absl::StrCat("vmstat: ", wrong, ": its rows are not read"));
    }
    at_ += heading->lines;
    heading_ = *std::move(heading);
    form_ = absl::StrCat(heading_.columns.size(), " columns");
  }

  // A row, a heading again, or a blank line between them. False: the table has ended.
  bool ReadNext() {
    const absl::string_view text = lines_[at_].text;
    if (text.empty()) {
      if (!ContinuesAfterBlank()) return false;
      ++at_;
      return true;
    }
    if (IsGroups(text)) return ReadHeadingAgain(at_ + 1);
    if (IsHeading(Words(text))) return ReadHeadingAgain(at_);
    if (!absl::ascii_isdigit(absl::StripLeadingAsciiWhitespace(text)[0])) return false;
    ReadRow();
    return true;
  }

  // Mailers double line feeds: a whole row behind one blank line belongs to the table.
  bool ContinuesAfterBlank() const {
    const std::vector<absl::string_view> words = Words(TextAt(lines_, at_ + 1));
    if (words.size() != Width()) return false;
    return std::all_of(words.begin(), words.begin() + heading_.columns.size(),
                       [](absl::string_view word) { return Count(word).has_value(); });
  }

  // Every screenful. Another set of columns begins another table.
  bool ReadHeadingAgain(size_t at) {
    std::string wrong;
    const std::optional<Heading> heading = HeadingAt(lines_, at, &wrong);
    if (!heading.has_value() || heading->columns != heading_.columns) return false;
    suspect_ = rows_ - rows_at_heading_ < kShortestScreen;
    rows_at_heading_ = rows_;
    at_ = at + heading->lines;
    return true;
  }

  size_t Width() const { return heading_.columns.size() + (heading_.timestamp ? 2 : 0); }

  void ReadRow() {
    const size_t first = at_;
    std::vector<absl::string_view> words = Words(lines_[at_++].text);
    while (words.size() < Width() && at_ - first < kMostPieces) {
      const std::vector<absl::string_view> more = Words(TextAt(lines_, at_));
      if (more.empty() || words.size() + more.size() > Width()) break;
      words.insert(words.end(), more.begin(), more.end());
      ++at_;
    }
    std::array<int64_t, std::size(kColumns)> values;
    if (refused_ || !Values(words, lines_[first].number, values)) return;
    ++rows_;
    if (rows_ == 1 && command_.known) {
      sink_.Note(lines_[first].number, "vmstat: the first row is the average since boot, left out");
      return;
    }
    Add(words, values, lines_[first].number);
  }

  bool Values(const std::vector<absl::string_view>& words, int line,
              std::array<int64_t, std::size(kColumns)>& values) {
    if (words.size() != Width()) {
      sink_.Refuse(line, absl::StrCat("vmstat: a row of ", words.size(), " words, want ", Width()));
      return false;
    }
    for (size_t i = 0; i < heading_.columns.size(); ++i) {
      const std::optional<int64_t> value = Count(words[i]);
      if (!value.has_value()) {
        sink_.Refuse(line, absl::StrCat("vmstat: ", heading_.columns[i]->name, " ", Shown(words[i]),
                                        ": want a whole number"));
        return false;
      }
      values[i] = *value;
    }
    return true;
  }

  void Add(const std::vector<absl::string_view>& words,
           const std::array<int64_t, std::size(kColumns)>& values, int line) {
    std::vector<std::pair<std::string, std::string>> context;
    context.emplace_back("row", absl::StrCat(rows_));
    if (heading_.timestamp) {
      const size_t n = heading_.columns.size();
      context.emplace_back("time", absl::StrCat(words[n], " ", words[n + 1], " ", heading_.zone));
    }
    const SourcePtr source = MakeSource("vmstat", form_, std::move(context));
    for (size_t i = 0; i < heading_.columns.size(); ++i) {
      const Column& column = *heading_.columns[i];
      const bool scaled = column.kind == Kind::kMemory || column.kind == Kind::kSwap;
      Result result = {.source = source,
                       .metric = std::string(column.metric),
                       .value = static_cast<double>(values[i]),
                       .unit = UnitOf(column.kind),
                       .unit_said = !scaled || command_.known,
                       .line = line};
      // Without the command nobody knows whether a paste still has the row since boot.
      if (rows_ == 1 || suspect_)
        result.marks.push_back("first row: may be the average since boot");
      sink_.Add(std::move(result));
    }
    suspect_ = false;
  }

  std::string UnitOf(Kind kind) const {
    switch (kind) {
      case Kind::kTasks:
        return "1";
      case Kind::kMemory:
        return command_.memory_unit;
      case Kind::kSwap:
        // Some versions scale these by -S, others do not.
        return command_.memory_unit == "KiB" ? "KiB/s" : "";
      case Kind::kBlocks:
        return "KiB/s";  // Blocks of 1024 bytes.
      case Kind::kRate:
        return "1/s";
      case Kind::kPercent:
        return "%";
    }
    return "";
  }

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  Command command_;
  Heading heading_;
  std::string form_;
  size_t rows_ = 0;
  size_t rows_at_heading_ = 0;
  bool suspect_ = false;  // The next row stands behind a heading that came early.
  bool refused_ = false;
};

// The first line of vmstat's other tables; empty: none of them.
absl::string_view OtherTable(absl::string_view text) {
  const std::string line = OneSpaced(text);
  if (absl::StartsWith(line, "disk- -")) return "-d";
  if (absl::StartsWith(line, "Cache Num Total Size Pages")) return "-m";
  if (absl::EndsWith(line, " K total memory")) return "-s";
  if (absl::EndsWith(line, "reads read sectors writes requested writes")) return "-p";
  return "";
}

size_t RefuseOtherTable(const Lines& lines, size_t at, absl::string_view option, Sink& sink) {
  size_t end = at + 1;
  while (!TextAt(lines, end).empty() && absl::ascii_isdigit(lines[end].text.back())) ++end;
  sink.Refuse(lines[at].number, absl::StrCat("vmstat ", option, ": not a table of samples"));
  return end - at;
}

}  // namespace

size_t ReadVmstat(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  if (const absl::string_view option = OtherTable(text); !option.empty())
    return RefuseOtherTable(lines, at, option, sink);
  size_t heading = at;
  if (IsGroups(text)) {
    // The first heading line, perhaps broken in up to three.
    for (size_t next = at + 1; next <= at + 3 && heading == at; ++next)
      if (IsHeading(Words(TextAt(lines, next)))) heading = next;
    if (heading == at) return 0;
  } else if (!IsHeading(Words(text))) {
    return 0;
  }
  return Table(lines, heading, sink).Read(at);
}

}  // namespace shakedown::importer
