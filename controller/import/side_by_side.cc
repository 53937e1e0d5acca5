// Tables as in mails of 2009: times and latt's numbers of two or more systems on one line, names of
// the systems above a ruler of equals signs, what was run in front.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/import/format.h"
#include "controller/import/latt.h"
#include "controller/import/shell_time.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr size_t kMostSystems = 16;
// Remarks and blank lines between two rows of one table.
constexpr size_t kWidestGap = 6;

struct Cell {
  std::optional<TimeCell> time;
  std::optional<LattCell> latt;
  std::string Name() const { return time.has_value() ? time->name : latt->name; }
};

struct Row {
  std::string label;
  std::vector<Cell> cells;
  bool complete = true;  // Cells up to the end of the line, all of one name.
};

// The cell of words[at…], and its width in words; 0: none.
size_t CellAt(const std::vector<absl::string_view>& words, size_t at, Cell* cell) {
  const auto joined = [&](size_t n) {
    const size_t end = std::min(at + n, words.size());
    return absl::StrJoin(words.begin() + at, words.begin() + end, " ");
  };
  if (words[at] == "real" || words[at] == "user" || words[at] == "sys") {
    cell->time = ShellTimeCell(joined(2));
    return cell->time.has_value() ? 2 : 0;
  }
  if (words[at] == "Entries:") {
    cell->latt = LattEntries(joined(3));
    return cell->latt.has_value() ? 3 : 0;
  }
  if (words[at] == "Max" || words[at] == "Avg" || words[at] == "Stdev") {
    cell->latt = LattNumber(joined(3));
    return cell->latt.has_value() ? 3 : 0;
  }
  return 0;
}

// Nullopt: no cell on the line.
std::optional<Row> RowOf(absl::string_view text) {
  static constexpr size_t kLongestRow = 4096;
  if (text.size() > kLongestRow) return std::nullopt;
  const std::vector<absl::string_view> words = Words(text);
  Row row;
  size_t at = 0;
  for (; at < words.size(); ++at) {
    Cell cell;
    if (CellAt(words, at, &cell) > 0) break;
  }
  if (at == words.size()) return std::nullopt;
  row.label = absl::StrJoin(words.begin(), words.begin() + at, " ");
  while (at < words.size()) {
    Cell cell;
    const size_t width = CellAt(words, at, &cell);
    row.complete =
        row.complete && width > 0 && (row.cells.empty() || row.cells[0].Name() == cell.Name());
    if (width == 0) break;
    row.cells.push_back(std::move(cell));
    at += width;
  }
  return row;
}

// "=====   =====": how many; 0: no ruler.
size_t RulerColumns(absl::string_view text) {
  const std::vector<absl::string_view> words = Words(text);
  for (const absl::string_view word : words)
    if (word.size() < 3 || word.find_first_not_of('=') != absl::string_view::npos) return 0;
  return words.size() <= kMostSystems ? words.size() : 0;
}

// What tabs or several blanks separate.
std::vector<std::string> Pieces(absl::string_view text) {
  std::vector<std::string> pieces(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const bool gap = text[i] == '\t' || text.substr(i, 2) == "  ";
    if (gap && !pieces.back().empty()) pieces.emplace_back();
    if (text[i] != '\t' && !(text[i] == ' ' && pieces.back().empty()) && !gap)
      pieces.back() += text[i];
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

std::vector<std::string> NamesOf(absl::string_view heading, size_t columns) {
  std::vector<std::string> names = Pieces(heading);
  if (names.size() == columns) return names;
  const std::vector<absl::string_view> words = Words(heading);
  if (words.size() == columns) return {words.begin(), words.end()};
  return {};
}

class Table {
 public:
  Table(const Lines& lines, Sink& sink, size_t columns, std::vector<std::string> names)
      : lines_(lines), sink_(sink), columns_(columns), names_(std::move(names)) {
    clients_.resize(columns_);
  }

  // Reads from `at` on; returns where the table ends: behind its last row.
  size_t Read(size_t at) {
    size_t end = at;
    for (; at < lines_.size() && at <= end + kWidestGap; ++at) {
      const std::optional<Row> row = RowOf(lines_[at].text);
      if (!row.has_value()) {
        between_.push_back(at);
        continue;
      }
      for (const size_t remark : between_) ReadRemark(remark);
      between_.clear();
      ReadRow(*row, lines_[at].number);
      end = at + 1;
    }
    return end;
  }

 private:
  void NewGroup() {
    label_.clear();
    std::fill(clients_.begin(), clients_.end(), "");
  }

  // What stands between rows: the end of a group, or a label with a remark in place of cells.
  void ReadRemark(size_t at) {
    const absl::string_view text = absl::StripAsciiWhitespace(lines_[at].text);
    if (text.find_first_not_of("-=") == absl::string_view::npos) return NewGroup();
    const std::string spaced = OneSpaced(text);
    absl::string_view remark = spaced;
    if (label_.empty()) {
      label_ = LabelOf(text, Words(TextAt(lines_, at + 1)));
      if (label_.empty()) return;
      Take(&remark, label_);
    } else if (!Take(&remark, "time ") && !Take(&remark, "latt ")) {
      return;
    }
    TakeBlanks(&remark);
    if (!remark.empty()) sink_.Note(lines_[at].number, absl::StrCat(label_, ": ", remark));
  }

  // What stands before the first gap; where blanks have been collapsed and the next line goes on
  // with the tool's name, up to a number in parentheses. Empty: prose.
  static std::string LabelOf(absl::string_view text, const std::vector<absl::string_view>& next) {
    const std::vector<std::string> pieces = Pieces(text);
    if (pieces.size() > 1) return OneSpaced(pieces[0]);
    if (next.empty() || (next[0] != "time" && next[0] != "latt")) return "";
    const size_t open = text.find('(');
    if (open == absl::string_view::npos) return "";
    const size_t close = text.find(')', open);
    if (close == absl::string_view::npos || !Count(text.substr(open + 1, close - open - 1)))
      return "";
    return OneSpaced(text.substr(0, close + 1));
  }

  void ReadRow(const Row& row, int line) {
    if (!row.label.empty() && row.label != "time" && row.label != "latt") {
      NewGroup();
      label_ = row.label;
    }
    if (!row.complete || row.cells.size() != columns_) {
      sink_.Refuse(line,
                   absl::StrCat("side by side: want ", columns_, " values of one kind and got ",
                                row.complete ? "" : "something else behind ", row.cells.size()));
      return;
    }
    for (size_t column = 0; column < columns_; ++column) Add(row.cells[column], column, line);
  }

  void Add(const Cell& cell, size_t column, int line) {
    const bool latt = cell.latt.has_value();
    if (latt && !cell.latt->clients.empty()) clients_[column] = cell.latt->clients;
    const SourcePtr source =
        MakeSource(latt ? "latt" : "time", latt ? "side by side, 2009-09-08" : "side by side, bash",
                   {{"system", names_.empty() ? "" : names_[column]},
                    {"column", absl::StrCat(column + 1)},
                    {"label", label_},
                    {"clients", latt ? clients_[column] : ""}});
    if (latt) {
      AddLattValue(*cell.latt, source, cell.latt->name == "entries" ? "latt." : "latt.wakeup.",
                   line, sink_);
    } else {
      AddTime(cell.time->name, cell.time->seconds, source, line, sink_);
    }
  }

  const Lines& lines_;
  Sink& sink_;
  const size_t columns_;
  const std::vector<std::string> names_;
  std::string label_;
  std::vector<std::string> clients_;
  std::vector<size_t> between_;
};

}  // namespace

size_t ReadSideBySide(const Lines& lines, size_t at, Sink& sink) {
  const size_t columns = RulerColumns(TextAt(lines, at + 1));
  if (columns >= 2) {
    for (size_t next = at + 2; next < at + 2 + kWidestGap; ++next) {
      const std::optional<Row> row = RowOf(TextAt(lines, next));
      if (!row.has_value() || row->cells.size() != columns) continue;
      std::vector<std::string> names = NamesOf(lines[at].text, columns);
      if (names.empty()) {
        sink.Note(lines[at].number,
                  absl::StrCat("side by side: no ", columns, " names above the ruler"));
      }
      return Table(lines, sink, columns, std::move(names)).Read(at + 2) - at;
    }
  }
  const std::optional<Row> row = RowOf(lines[at].text);
  if (!row.has_value() || row->cells.size() < 2 || row->cells.size() > kMostSystems) return 0;
  sink.Note(lines[at].number, "side by side: a table without the names of its systems");
  return Table(lines, sink, row->cells.size(), {}).Read(at) - at;
}

}  // namespace shakedown::importer
