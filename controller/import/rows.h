// What is stored and compared of a text: its results with the run and the system they belong to.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_ROWS_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_ROWS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "controller/import/result.h"

namespace shakedown::importer {

struct Row {
  // What the text itself calls the system: a column's name ("BFS", "column 2" without one) or a
  // kernel it names. Empty: the text is of one system and does not name it.
  std::string variant;
  std::string metric;
  // What sets it apart from other results of the metric, in the text's words: "make -j4 (1);
  // clients 8". What merely varies (process ids, dates, counts of samples) is not in it.
  std::string detail;
  double value = 0;
  std::string unit;
  bool unit_said = true;
  Direction direction = Direction::kUnknown;
  // From 1. A result that stands in the text again is another run; rows of one vmstat and snapshots
  // of one top are iterations of a run, and so never count as independent.
  int run = 1;
  int iteration = 1;
  bool warmup = false;  // vmstat's first row: an average since boot.
  int line = 0;
  std::vector<std::string> marks;
};

// In the order of the text. Texts are printable UTF-8 without line feeds.
std::vector<Row> RowsOf(const Parsed& parsed);

// Each once, in the order of the text; {""} when nothing is named.
std::vector<std::string> VariantsOf(const std::vector<Row>& rows);

// The tools, each once, in the order of the text: "latt, time".
std::string ToolsOf(const Parsed& parsed);

// Whether the author of the text put an asterisk beside it.
bool IsStarred(const Row& row);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_ROWS_H_
