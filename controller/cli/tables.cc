#include "controller/cli/tables.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/text_width.h"

namespace shakedown::cli {
namespace {

constexpr size_t kGap = 2;
// A cut cell still shows this much: the start of a kernel's name.
constexpr size_t kLeast = 8;

std::vector<size_t> NaturalWidths(const std::vector<Column>& layout,
                                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < layout.size(); ++i) {
    size_t width = Width(layout[i].header);
    for (const auto& row : rows) {
      if (i < row.size()) width = std::max(width, Width(row[i]));
    }
    widths.push_back(width);
  }
  return widths;
}

void Shrink(const std::vector<Column>& layout, size_t columns, std::vector<size_t>& widths) {
  size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (total > columns) {
    size_t widest = layout.size();
    for (size_t i = 0; i < layout.size(); ++i) {
      if (!layout[i].may_shrink || widths[i] <= kLeast) continue;
      if (widest == layout.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == layout.size()) return;
    --widths[widest];
    --total;
  }
}

std::string Line(const std::vector<Column>& layout, const std::vector<std::string>& cells,
                 const std::vector<size_t>& widths, size_t columns) {
  std::string line;
  for (size_t i = 0; i < layout.size() && i < cells.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    const bool right = layout[i].align == Column::Align::kRight;
    absl::StrAppend(&line, right ? PadLeft(cells[i], widths[i]) : PadRight(cells[i], widths[i]));
  }
  if (columns > 0) line = Cut(line, columns);
  absl::StripTrailingAsciiWhitespace(&line);
  return line;
}

}  // namespace

std::string PrintTable(const std::vector<Column>& layout,
                       const std::vector<std::vector<std::string>>& rows, size_t columns) {
  if (layout.empty()) return "";
  std::vector<size_t> widths = NaturalWidths(layout, rows);
  if (columns > 0) Shrink(layout, columns, widths);
  std::vector<std::string> headers;
  for (const Column& column : layout) headers.push_back(column.header);
  std::string text = absl::StrCat(Line(layout, headers, widths, columns), "\n");
  for (const auto& row : rows) absl::StrAppend(&text, Line(layout, row, widths, columns), "\n");
  return text;
}

}  // namespace shakedown::cli
