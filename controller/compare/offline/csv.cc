#include "controller/compare/offline/csv.h"

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "controller/compare/offline/csv_line.h"

namespace shakedown::offline {
namespace {

class Reader {
 public:
  Reader(absl::string_view file, absl::string_view text) : file_(file), rest_(text) {}

  absl::StatusOr<Samples> Read() {
    if (rest_.size() > kMostBytes)
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": ", rest_.size(), " bytes, want at most ", kMostBytes));
    if (rest_.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);
    absl::string_view line;
    while (NextLine(rest_, line)) {
      ++line_;
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
  absl::Status Error(size_t column, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ": line ", line_, ", column ", column, ": ", what));
  }

  absl::Status TakeLine(absl::string_view line) {
    if (!line.empty() && line.front() == '#') {
      samples_.comments.emplace_back(absl::StripAsciiWhitespace(line.substr(1)));
      samples_.comment_lines.push_back(line_);
      return absl::OkStatus();
    }
    if (absl::StripAsciiWhitespace(line).empty()) {
      if (first_empty_ == 0) first_empty_ = line_;
      return absl::OkStatus();
    }
    // Of one column an empty line is also an empty cell, but for those at the end.
    if (width_ == 1 && first_empty_ > 0) {
      line_ = first_empty_;
      return Error(1, absl::StrCat(samples_.columns[0].name, " is empty, want a number"));
    }
    if (!have_header_) first_empty_ = 0;
    const absl::Status split = cells_line_.Split(line);
    if (!split.ok())
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": line ", line_, ", ", split.message()));
    if (have_header_) return TakeRow();
    have_header_ = true;
    return TakeHeader();
  }

  absl::Status TakeHeader() {
    absl::flat_hash_map<std::string, size_t> seen;
    for (size_t i = 0; i < cells_.size(); ++i) {
      const absl::string_view name = cells_[i];
      if (name.empty()) return Error(i + 1, "no name; want that of a metric, or \"block\"");
      for (const char c : name)
        if (!absl::ascii_isprint(static_cast<unsigned char>(c)) || c == '"' || c == '\\')
          return Error(i + 1, absl::StrCat(QuotedCell(name),
                                           " is no metric name; want printable ASCII "
                                           "without quotes and backslashes"));
      const auto [at, fresh] = seen.emplace(name, i + 1);
      if (!fresh)
        return Error(i + 1, absl::StrCat(QuotedCell(name), " is also column ", at->second,
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
                   absl::StrCat("block ", QuotedCell(samples_.blocks[i]), " is also on line ",
                                at->second, "; want each block once in a file"));
    }
    return absl::OkStatus();
  }

  absl::Status TakeNumber(size_t i, size_t metric) {
    const absl::StatusOr<double> value = ParseValue(cells_[i], samples_.columns[metric].name);
    if (!value.ok()) return Error(i + 1, value.status().message());
    samples_.columns[metric].values.push_back(*value);
    return absl::OkStatus();
  }

  const absl::string_view file_;
  absl::string_view rest_;
  int line_ = 0;
  int first_empty_ = 0;  // Behind the header; 0: none.
  bool have_header_ = false;
  size_t width_ = 0;
  size_t block_ = absl::string_view::npos;
  CsvLine cells_line_;
  const std::vector<absl::string_view>& cells_ = cells_line_.cells();
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
