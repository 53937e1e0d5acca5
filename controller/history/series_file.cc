#include "controller/history/series_file.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "controller/compare/offline/csv.h"
#include "controller/compare/offline/csv_line.h"
#include "controller/history/order_key.h"
#include "proto/wire/status.h"

namespace shakedown::history {
namespace {

class Reader {
 public:
  Reader(absl::string_view file, absl::string_view text, absl::string_view column)
      : file_(file), rest_(text), wanted_(column) {}

  absl::StatusOr<SeriesFile> Read() {
    if (rest_.size() > offline::kMostBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": ", rest_.size(), " bytes, want at most ", offline::kMostBytes));
    }
    if (rest_.substr(0, 3) == "\xef\xbb\xbf") rest_.remove_prefix(3);
    absl::string_view line;
    while (offline::NextLine(rest_, line)) {
      ++line_;
      if (absl::StripAsciiWhitespace(line).empty() || line.front() == '#') continue;
      RETURN_IF_ERROR(TakeLine(line));
    }
    if (series_.points.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": no points; want lines of an order key and a value"));
    }
    std::stable_sort(series_.points.begin(), series_.points.end(),
                     [](const SeriesPoint& a, const SeriesPoint& b) {
                       return CompareOrderKeys(a.key, b.key) < 0;
                     });
    return std::move(series_);
  }

 private:
  absl::Status Error(size_t column, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ": line ", line_, ", column ", column, ": ", what));
  }

  absl::Status TakeLine(absl::string_view line) {
    const absl::Status split = cells_.Split(line);
    if (!split.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file_, ": line ", line_, ", ", split.message()));
    }
    if (width_ == 0) {
      bool header = false;
      RETURN_IF_ERROR(TakeFirst(header));
      if (header) return absl::OkStatus();
    }
    return TakeRow();
  }

  // The first line says how many columns there are and which holds the values.
  absl::Status TakeFirst(bool& header) {
    const auto& cells = cells_.cells();
    width_ = cells.size();
    if (width_ < 2) {
      return Error(1, "one column; want an order key and at least one value, parted by commas");
    }
    RETURN_IF_ERROR(FindColumn());
    const absl::string_view cell = cells[value_];
    header = !cell.empty() && !offline::ParseValue(cell, "").ok();
    series_.column = header ? std::string(cell) : absl::StrCat("column ", value_ + 1);
    return absl::OkStatus();
  }

  absl::Status FindColumn() {
    const auto& cells = cells_.cells();
    value_ = width_ - 1;
    if (wanted_.empty()) return absl::OkStatus();
    const auto named = std::find(cells.begin() + 1, cells.end(), wanted_);
    if (named != cells.end()) {
      value_ = static_cast<size_t>(named - cells.begin());
      return absl::OkStatus();
    }
    uint32_t number = 0;
    if (absl::SimpleAtoi(wanted_, &number) && number >= 2 && number <= width_) {
      value_ = number - 1;
      return absl::OkStatus();
    }
    std::string names;
    for (size_t i = 1; i < width_; ++i) absl::StrAppend(&names, i == 1 ? "" : ", ", cells[i]);
    return absl::InvalidArgumentError(absl::StrCat(file_, ": no column ",
                                                   offline::QuotedCell(wanted_), "; want one of ",
                                                   names, ", or a number from 2 to ", width_));
  }

  absl::Status TakeRow() {
    const auto& cells = cells_.cells();
    if (cells.size() != width_) {
      return Error(std::min(cells.size(), width_) + 1,
                   absl::StrCat("the line has ", cells.size(), " cells, want ", width_));
    }
    if (cells[0].empty()) return Error(1, "the order key is empty");
    if (cells[value_].empty()) {
      ++series_.left_out;
      return absl::OkStatus();
    }
    const absl::StatusOr<double> value = offline::ParseValue(cells[value_], series_.column);
    if (!value.ok()) return Error(value_ + 1, value.status().message());
    if (series_.points.size() == offline::kMostRows) {
      return Error(1, absl::StrCat("too many rows; want at most ", offline::kMostRows));
    }
    series_.points.push_back({std::string(cells[0]), *value});
    return absl::OkStatus();
  }

  const absl::string_view file_;
  absl::string_view rest_;
  const absl::string_view wanted_;
  int line_ = 0;
  size_t width_ = 0;
  size_t value_ = 0;
  offline::CsvLine cells_;
  SeriesFile series_;
};

}  // namespace

absl::StatusOr<SeriesFile> ReadSeries(absl::string_view file, absl::string_view text,
                                      absl::string_view column) {
  return Reader(file, text, column).Read();
}

}  // namespace shakedown::history
