#include "controller/import/rows.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "controller/import/plain.h"
#include "proto/wire/sanitise.h"

namespace shakedown::importer {
namespace {

// Longer names are kept whole up to here; the controller refuses what does not fit.
constexpr size_t kLongestText = 1000;

std::string Clear(absl::string_view text) { return PrintableLine(text, kLongestText); }

std::string ValueOf(const Source& source, absl::string_view name) {
  for (const auto& [key, value] : source.context)
    if (key == name) return value;
  return "";
}

std::string VariantOf(const Source& source) {
  for (const char* name : {"system", "kernel"})
    if (std::string value = Clear(ValueOf(source, name)); !value.empty()) return value;
  const std::string column = Clear(ValueOf(source, "column"));
  return column.empty() ? "" : absl::StrCat("column ", column);
}

// What says nothing of the quantity, or is said by the metric's name already.
bool Varies(const Source& source, absl::string_view name) {
  static constexpr absl::string_view kAlways[] = {
      "system",       "kernel",  "column", "run",      "row",      "time",    "datestamp",
      "loops_per_ms", "comment", "cycles", "hardware", "software", "samples", "version"};
  static constexpr absl::string_view kOfInterbench[] = {"benchmark", "load"};
  static constexpr absl::string_view kOfTop[] = {"pid", "user", "state", "pr"};
  const auto holds = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  return holds(kAlways) || (source.tool == "interbench" && holds(kOfInterbench)) ||
         (source.tool == "top" && holds(kOfTop));
}

std::string DetailOf(const Source& source) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : source.context) {
    if (Varies(source, name)) continue;
    parts.push_back(name == "label" ? value : absl::StrCat(name, " ", value));
  }
  return Clear(absl::StrJoin(parts, "; "));
}

// Which run and iteration a result is of.
class Counter {
 public:
  void Number(const Source& source, Row& row) {
    int given = 0;
    if (absl::SimpleAtoi(ValueOf(source, "run"), &given) && given >= 1) {
      row.run = given;
      return;
    }
    const std::string table_row = ValueOf(source, "row");
    const std::string time = ValueOf(source, "time");
    int number = 0;
    if (absl::SimpleAtoi(table_row, &number)) {
      TableRow(number, row);
    } else if (!time.empty()) {
      row.iteration = Snapshot(row.variant, time);
    } else {
      row.run = ++seen_[KeyOf(row)];
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Table {
    int run = 1;
    int last_row = 0;
    int iteration = 0;
  };

  static Key KeyOf(const Row& row) { return {row.variant, row.metric, row.detail}; }

  // The rows of a table are numbered: where the numbers begin anew there is another table.
  void TableRow(int number, Row& row) {
    Table& table = tables_[KeyOf(row)];
    if (number <= table.last_row) {
      ++table.run;
      table.iteration = 0;
    }
    table.last_row = number;
    row.run = table.run;
    row.iteration = ++table.iteration;
  }

  int Snapshot(const std::string& variant, const std::string& time) {
    auto& [last, count] = snapshots_[variant];
    if (time != last) {
      last = time;
      ++count;
    }
    return count;
  }

  std::map<Key, int> seen_;
  std::map<Key, Table> tables_;
  std::map<std::string, std::pair<std::string, int>> snapshots_;
};

}  // namespace

std::vector<Row> RowsOf(const Parsed& parsed) {
  std::vector<Row> rows;
  rows.reserve(parsed.results.size());
  Counter counter;
  const Source* last = nullptr;
  std::string variant, detail;
  for (const Result& result : parsed.results) {
    if (result.source.get() != last) {
      last = result.source.get();
      variant = VariantOf(*last);
      detail = DetailOf(*last);
    }
    Row row{.variant = variant,
            .metric = Clear(result.metric),
            .detail = detail,
            .value = result.value,
            .unit = Clear(result.unit),
            .unit_said = result.unit_said,
            .direction = result.direction,
            .line = std::max(result.line, 1)};
    // Plain texts part marks by bars.
    for (const std::string& mark : result.marks)
      row.marks.push_back(absl::StrReplaceAll(Clear(mark), {{"|", "/"}}));
    if (last->tool == kPlainTool) {
      FillPlainRow(*last, row);
    } else {
      row.warmup = std::any_of(row.marks.begin(), row.marks.end(), [](const std::string& mark) {
        return absl::StartsWith(mark, "first row");
      });
      counter.Number(*last, row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> VariantsOf(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Row& row : rows) {
    if ((names.empty() || names.back() != row.variant) && seen.insert(row.variant).second) {
      names.push_back(row.variant);
    }
  }
  if (names.empty()) names.emplace_back();
  return names;
}

std::string ToolsOf(const Parsed& parsed) {
  std::vector<std::string> tools;
  const Source* last = nullptr;
  for (const Result& result : parsed.results) {
    if (result.source.get() == last) continue;
    last = result.source.get();
    if (std::find(tools.begin(), tools.end(), last->tool) == tools.end()) {
      tools.push_back(last->tool);
    }
  }
  return Clear(absl::StrJoin(tools, ", "));
}

bool IsStarred(const Row& row) {
  return std::find(row.marks.begin(), row.marks.end(), "*") != row.marks.end();
}

}  // namespace shakedown::importer
