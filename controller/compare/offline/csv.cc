#include "controller/compare/offline/csv.h"

#include <charconv>
#include <cmath>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace shakedown::offline {
namespace {

constexpr size_t kLongestLine = 64 * 1024;

// Cells come from anywhere: what is quoted in a message is short and printable.
std::string Quoted(absl::string_view cell) {
  const bool cut = cell.size() > 40;
  return absl::StrCat("\"", absl::CHexEscape(cell.substr(0, 40)), cut ? "...\"" : "\"");
}

class Reader {
 public:
  Reader(absl::string_view file, absl::string_view text) : file_(file), rest_(text) {}

  absl::StatusOr<Samples> Read() {
    if (rest_.size() > kMostBytes)
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": ", rest_.size(), " bytes, want at most ", kMostBytes));
    if (rest_.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);
    absl::string_view line;
    while (NextLine(line)) {
      const absl::Status status = TakeLine(line);
      if (!status.ok()) return status;
    }
    if (!have_header_)
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": no header; want a first line that names the columns"));
    if (samples_.Rows() == 0)
      return absl::InvalidArgumentError(absl::StrCat(file_, ": no rows; want one line a boot"));
    const absl::Status blocks = CheckBlocks();
    if (!blocks.ok()) return blocks;
    return std::move(samples_);
  }

 private:
  bool NextLine(absl::string_view& line) {
    if (rest_.empty()) return false;
    ++line_;
    const size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == absl::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }

  absl::Status Error(size_t column, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ": line ", line_, ", column ", column, ": ", what));
  }

  absl::Status TakeLine(absl::string_view line) {
    if (line.size() > kLongestLine)
      return Error(1, absl::StrCat("line of ", line.size(), " bytes, want at most ", kLongestLine));
    if (!line.empty() && line.front() == '#') {
      samples_.comments.emplace_back(absl::StripAsciiWhitespace(line.substr(1)));
      samples_.comment_lines.push_back(line_);
      return absl::OkStatus();
    }
    if (absl::StripAsciiWhitespace(line).empty()) return absl::OkStatus();
    const absl::Status split = Split(line);
    if (!split.ok()) return split;
    if (have_header_) return TakeRow();
    have_header_ = true;
    return TakeHeader();
  }

  // Fills cells_. A quoted cell that holds a comma or a quote is copied to unquoted_.
  absl::Status Split(absl::string_view line) {
    cells_.clear();
    unquoted_.clear();
    for (;;) {
      absl::string_view cell;
      const size_t first = line.find_first_not_of(" \t");
      if (first != absl::string_view::npos && line[first] == '"') {
        line.remove_prefix(first + 1);
        const absl::Status status = TakeQuoted(line, cell);
        if (!status.ok()) return status;
      } else {
        cell = absl::StripAsciiWhitespace(line.substr(0, line.find(',')));
        if (cell.find('"') != absl::string_view::npos)
          return Error(cells_.size() + 1, absl::StrCat("a quote inside ", Quoted(cell),
                                                       "; want the whole cell quoted"));
        line.remove_prefix(std::min(line.size(), line.find(',')));
      }
      if (cell.size() > kLongestCell)
        return Error(cells_.size() + 1,
                     absl::StrCat("cell of ", cell.size(), " bytes, want at most ", kLongestCell));
      for (const char c : cell)
        if (absl::ascii_iscntrl(static_cast<unsigned char>(c)))
          return Error(cells_.size() + 1,
                       absl::StrCat(Quoted(cell), " has a control character; want plain text"));
      cells_.push_back(cell);
      if (cells_.size() > kMostColumns)
        return Error(cells_.size(), absl::StrCat("too many cells; want at most ", kMostColumns));
      if (line.empty()) return absl::OkStatus();
      line.remove_prefix(1);
    }
  }

  // `line` starts behind the opening quote and is left at the comma or the end.
  absl::Status TakeQuoted(absl::string_view& line, absl::string_view& cell) {
    std::string text;
    for (;;) {
      const size_t quote = line.find('"');
      if (quote == absl::string_view::npos)
        return Error(cells_.size() + 1, "the quote is not closed on its line");
      text.append(line.data(), quote);
      line.remove_prefix(quote + 1);
      if (line.empty() || line.front() != '"') break;
      text.push_back('"');
      line.remove_prefix(1);
    }
    const size_t behind = line.find_first_not_of(" \t");
    line.remove_prefix(std::min(line.size(), behind));
    if (!line.empty() && line.front() != ',')
      return Error(cells_.size() + 1,
                   absl::StrCat(Quoted(line), " behind the closing quote; want a comma"));
    unquoted_.push_back(std::move(text));
    cell = absl::StripAsciiWhitespace(unquoted_.back());
    return absl::OkStatus();
  }

  absl::Status TakeHeader() {
    absl::flat_hash_map<std::string, size_t> seen;
    for (size_t i = 0; i < cells_.size(); ++i) {
      const absl::string_view name = cells_[i];
      if (name.empty()) return Error(i + 1, "no name; want that of a metric, or \"block\"");
      for (const char c : name)
        if (!absl::ascii_isprint(static_cast<unsigned char>(c)) || c == '"' || c == '\\')
          return Error(i + 1, absl::StrCat(Quoted(name),
                                           " is no metric name; want printable ASCII "
                                           "without quotes and backslashes"));
      const auto [at, fresh] = seen.emplace(name, i + 1);
      if (!fresh)
        return Error(i + 1, absl::StrCat(Quoted(name), " is also column ", at->second,
                                         "; want each name once"));
      if (name == "block") {
        block_ = i;
      } else {
        samples_.columns.push_back({std::string(name), {}});
        samples_.column_numbers.push_back(static_cast<int>(i + 1));
      }
    }
    width_ = cells_.size();
    if (samples_.columns.empty())
      return Error(1, "no metric; want at least one column besides \"block\"");
    return absl::OkStatus();
  }

  absl::Status TakeRow() {
    if (samples_.Rows() == kMostRows)
      return Error(1, absl::StrCat("too many rows; want at most ", kMostRows));
    if (cells_.size() < width_)
      return Error(cells_.size() + 1,
                   absl::StrCat("missing: the line has ", cells_.size(), " cells, want ", width_));
    if (cells_.size() > width_)
      return Error(width_ + 1, absl::StrCat("one too many: the line has ", cells_.size(),
                                            " cells, want ", width_));
    size_t metric = 0;
    for (size_t i = 0; i < width_; ++i) {
      const absl::Status status = i == block_ ? TakeBlock(i) : TakeNumber(i, metric);
      if (!status.ok()) return status;
      if (i != block_) ++metric;
    }
    samples_.lines.push_back(line_);
    return absl::OkStatus();
  }

  absl::Status TakeBlock(size_t i) {
    if (cells_[i].empty()) return Error(i + 1, "empty; want the name of a block");
    samples_.blocks.emplace_back(cells_[i]);
    return absl::OkStatus();
  }

  // At the end, when the names no longer move.
  absl::Status CheckBlocks() {
    absl::flat_hash_map<absl::string_view, int> lines;
    lines.reserve(samples_.blocks.size());
    for (size_t i = 0; i < samples_.blocks.size(); ++i) {
      const auto [at, fresh] = lines.emplace(samples_.blocks[i], samples_.lines[i]);
      if (fresh) continue;
      line_ = samples_.lines[i];
      return Error(block_ + 1,
                   absl::StrCat("block ", Quoted(samples_.blocks[i]), " is also on line ",
                                at->second, "; want each block once in a file"));
    }
    return absl::OkStatus();
  }

  absl::Status TakeNumber(size_t i, size_t metric) {
    const absl::string_view cell = cells_[i];
    const std::string& name = samples_.columns[metric].name;
    if (cell.empty()) return Error(i + 1, absl::StrCat(name, " is empty, want a number"));
    double value = 0;
    const char* end = cell.data() + cell.size();
    const auto [stopped, code] = std::from_chars(cell.data(), end, value);
    if (code == std::errc::invalid_argument || stopped != end || std::isnan(value))
      return Error(i + 1, absl::StrCat(name, " is ", Quoted(cell), ", want a number such as 12.5"));
    if (code != std::errc() || !(std::fabs(value) <= kLargestValue) ||
        (value != 0 && std::fabs(value) < 1 / kLargestValue))
      return Error(i + 1, absl::StrCat(name, " is ", Quoted(cell),
                                       ", want 0 or a size between 1e-100 and 1e100"));
    samples_.columns[metric].values.push_back(value);
    return absl::OkStatus();
  }

  const absl::string_view file_;
  absl::string_view rest_;
  int line_ = 0;
  bool have_header_ = false;
  size_t width_ = 0;
  size_t block_ = absl::string_view::npos;
  std::vector<absl::string_view> cells_;
  std::deque<std::string> unquoted_;  // Its strings stay where they are.
  Samples samples_;
};

}  // namespace

const Column* Samples::Find(absl::string_view name) const {
  for (const Column& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

absl::StatusOr<Samples> ReadSamples(absl::string_view file, absl::string_view text) {
  return Reader(file, text).Read();
}

}  // namespace shakedown::offline
