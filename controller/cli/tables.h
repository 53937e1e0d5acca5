// Aligned tables for a terminal of any width, or for a pipe.
#ifndef SHAKEDOWN_CONTROLLER_CLI_TABLES_H_
#define SHAKEDOWN_CONTROLLER_CLI_TABLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::cli {

struct Column {
  enum class Align { kLeft, kRight };
  std::string header;
  Align align = Align::kLeft;
  bool may_shrink = false;  // Its cells may be cut when the screen is too narrow.
};

// One row a line, columns two spaces apart, no space at a line's end. `columns` is the screen's
// width; 0: as wide as it needs (a pipe: nothing is ever cut). When all is too wide, the widest
// shrinkable column gives way first, none below 8; what is still too wide is cut at the line's end.
// Cells are one line of printable text. A row shorter than `layout` ends early.
std::string PrintTable(const std::vector<Column>& layout,
                       const std::vector<std::vector<std::string>>& rows, size_t columns);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_TABLES_H_
