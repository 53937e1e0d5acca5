// Tables of mmtests' comparison: kernels by column, "Amean  1  0.3457 (  0.00%)  0.3413 *  1.26%*".
// They say neither units nor which way is better.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr size_t kMostColumns = 32;

struct Cell {
  absl::string_view value;
  bool star = false;  // mmtests' own sign of significance.
};

struct Row {
  std::string label;
  std::vector<Cell> cells;
};

// "( 0.00%)" or "* 1.26%*" at the front of *text, taken off. 0: neither; else its first character.
char TakePercent(absl::string_view* text) {
  absl::string_view rest = *text;
  if (!absl::StartsWith(rest, "(") && !absl::StartsWith(rest, "*")) return 0;
  const char open = rest[0];
  rest.remove_prefix(1);
  TakeBlanks(&rest);
  Take(&rest, "-");
  if (TakeNumber(&rest).empty() && !Take(&rest, "nan")) return 0;
  if (!Take(&rest, "%") || !Take(&rest, open == '(' ? ")" : "*")) return 0;
  *text = rest;
  return open;
}

// The label, then pairs of a value and a percentage up to the end.
std::optional<Row> RowOf(absl::string_view text) {
  if (!absl::StrContains(text, "%")) return std::nullopt;
  Row row;
  std::vector<absl::string_view> label;
  bool values = false;
  for (TakeBlanks(&text); !text.empty(); TakeBlanks(&text)) {
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    absl::string_view rest = text.substr(end);
    const absl::string_view word = text.substr(0, end);
    TakeBlanks(&rest);
    const bool number = Number(word).has_value() || IsNan(word);
    const char percent = number ? TakePercent(&rest) : 0;
    if (percent == 0) {
      if (values) return std::nullopt;
      label.push_back(word);
    } else {
      values = true;
      row.cells.push_back({word, percent == '*'});
    }
    text = rest;
  }
  if (row.cells.empty() || label.empty() || row.cells.size() > kMostColumns) return std::nullopt;
  row.label = absl::StrJoin(label, " ");
  return row;
}

// "Duration User  1234.56  1230.11": without percentages, only within a table.
std::optional<Row> DurationOf(absl::string_view text, size_t columns) {
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() != columns + 2 || words[0] != "Duration") return std::nullopt;
  Row row{absl::StrCat(words[0], " ", words[1]), {}};
  for (size_t i = 2; i < words.size(); ++i) {
    if (!Number(words[i])) return std::nullopt;
    row.cells.push_back({words[i], false});
  }
  return row;
}

// The kernels' names stand on one line or two, a word a column.
std::vector<std::string> NamesAt(const Lines& lines, size_t at, size_t heading_lines) {
  std::vector<std::string> names;
  for (size_t i = 0; i < heading_lines; ++i) {
    const std::vector<absl::string_view> words = Words(TextAt(lines, at + i));
    names.resize(words.size());
    for (size_t column = 0; column < words.size(); ++column)
      absl::StrAppend(&names[column], names[column].empty() ? "" : " ", words[column]);
  }
  return names;
}

class Table {
 public:
  Table(const Lines& lines, Sink& sink, std::vector<std::string> names)
      : lines_(lines), sink_(sink), names_(std::move(names)) {}

  size_t Read(size_t at) {
    for (; at < lines_.size() && !lines_[at].text.empty(); ++at) {
      std::optional<Row> row = RowOf(lines_[at].text);
      if (!row.has_value()) row = DurationOf(lines_[at].text, names_.size());
      if (row.has_value() && row->cells.size() == names_.size()) {
        Add(*row, lines_[at].number);
      } else if (row.has_value() || absl::StrContains(lines_[at].text, "%")) {
        sink_.Refuse(lines_[at].number, absl::StrCat("mmtests: row ", Shown(lines_[at].text),
                                                     ": want ", names_.size(), " values"));
      } else {
        break;
      }
    }
    return at;
  }

 private:
  void Add(const Row& row, int line) {
    for (size_t column = 0; column < row.cells.size(); ++column) {
      const std::optional<double> value = Number(row.cells[column].value);
      if (!value.has_value()) {
        sink_.Note(line, absl::StrCat("mmtests: ", row.label, ": printed as nan, no value"));
        continue;
      }
      Result result = {
          .source = MakeSource("mmtests", "comparison",
                               {{"kernel", names_[column]}, {"column", absl::StrCat(column + 1)}}),
          .metric = absl::StrCat("mmtests.", row.label),
          .value = *value,
          .line = line};
      if (row.cells[column].star) result.marks.push_back("*");
      sink_.Add(std::move(result));
    }
  }

  const Lines& lines_;
  Sink& sink_;
  const std::vector<std::string> names_;
};

// How many of the lines from `at` on are the heading of a table: as many words as its first row has
// values. 0: no table.
size_t HeadingLines(const Lines& lines, size_t at) {
  const size_t columns = Words(lines[at].text).size();
  if (columns == 0 || columns > kMostColumns) return 0;
  for (size_t heading = 1; heading <= 2; ++heading) {
    if (Words(TextAt(lines, at + heading - 1)).size() != columns) return 0;
    const std::optional<Row> row = RowOf(TextAt(lines, at + heading));
    if (row.has_value()) return row->cells.size() == columns ? heading : 0;
    if (DurationOf(TextAt(lines, at + heading), columns).has_value()) return heading;
  }
  return 0;
}

}  // namespace

size_t ReadMmtests(const Lines& lines, size_t at, Sink& sink) {
  const size_t heading = HeadingLines(lines, at);
  if (heading > 0 && !RowOf(lines[at].text).has_value())
    return Table(lines, sink, NamesAt(lines, at, heading)).Read(at + heading) - at;
  // Rows whose heading is not there or has names of several words.
  const std::optional<Row> row = RowOf(lines[at].text);
  if (!row.has_value() || row->cells.size() < 2) return 0;
  size_t next = at;
  while (RowOf(TextAt(lines, next)).has_value()) ++next;
  sink.Refuse(lines[at].number, absl::StrCat("a table of ", row->cells.size(),
                                             " columns whose heading does not name each of them"));
  return next - at;
}

}  // namespace shakedown::importer
