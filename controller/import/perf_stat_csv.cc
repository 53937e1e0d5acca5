// perf stat -x: value, unit, event, [spread with -r,] time running in ns, part of the time in %,
// [metric, its unit].
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/import/format.h"
#include "controller/import/perf_stat.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

struct Row {
  std::vector<absl::string_view> fields;
  std::string spread;
};

bool IsEvent(absl::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(text[0])) return false;
  for (const char c : text)
    if (!absl::ascii_isalnum(c) && !absl::StrContains("_-:/=.,@", absl::string_view(&c, 1)))
      return false;
  return true;
}

// A number, or why there is none, in front; then a unit, an event, a time and a percentage.
std::optional<Row> RowOf(absl::string_view text, char separator) {
  Row row;
  row.fields = absl::StrSplit(text, separator);
  std::vector<absl::string_view>& fields = row.fields;
  if (fields.size() < 5 || fields.size() > 12) return std::nullopt;
  const bool none = fields[0] == "<not counted>" || fields[0] == "<not supported>";
  if (!none && !Number(fields[0])) return std::nullopt;
  static constexpr absl::string_view kUnits[] = {"", "msec", "ns", "Joules", "MiB"};
  bool unit = false;
  for (const absl::string_view known : kUnits) unit = unit || fields[1] == known;
  if (!unit || !IsEvent(fields[2])) return std::nullopt;
  if (absl::EndsWith(fields[3], "%")) {
    row.spread = std::string(fields[3].substr(0, fields[3].size() - 1));
    fields.erase(fields.begin() + 3);
  }
  if (fields.size() < 5 || !Count(fields[3]) || !Number(fields[4])) return std::nullopt;
  return row;
}

std::optional<Row> AnyRow(absl::string_view text) {
  if (text.empty() || (!absl::ascii_isdigit(text[0]) && text[0] != '<')) return std::nullopt;
  for (const char separator : {',', ';', '\t', '|'})
    if (std::optional<Row> row = RowOf(text, separator)) return row;
  return std::nullopt;
}

void AddRow(const Row& row, const SourcePtr& source, int line, Sink& sink) {
  const std::string metric = absl::StrCat("perf.", row.fields[2]);
  const std::optional<double> value = Number(row.fields[0]);
  if (!value.has_value()) {
    sink.Note(line, absl::StrCat(metric, ": ", row.fields[0]));
    return;
  }
  const absl::string_view unit = row.fields[1];
  Result result = {.source = source,
                   .metric = metric,
                   .value = *value,
                   .unit = unit.empty()       ? "1"
                           : unit == "msec"   ? "ms"
                           : unit == "Joules" ? "J"
                                              : std::string(unit),
                   .line = line};
  if (*Number(row.fields[4]) < 100)
    result.marks.push_back(absl::StrCat("scaled up: counted ", row.fields[4], " % of the time"));
  sink.Add(std::move(result));
  const std::optional<double> spread = Number(row.spread);
  if (spread.has_value()) {
    sink.Add({.source = source,
              .metric = absl::StrCat(metric, ".spread"),
              .value = *spread,
              .unit = "%",
              .line = line});
  }
}

}  // namespace

bool IsPerfCsv(absl::string_view text) { return AnyRow(text).has_value(); }

size_t ReadPerfStatCsv(const Lines& lines, size_t at, Sink& sink) {
  if (!AnyRow(lines[at].text).has_value()) return 0;
  const SourcePtr source = MakeSource("perf stat", "CSV");
  size_t next = at;
  for (; next < lines.size(); ++next) {
    const std::optional<Row> row = AnyRow(lines[next].text);
    if (!row.has_value()) break;
    AddRow(*row, source, lines[next].number, sink);
  }
  return next - at;
}

}  // namespace shakedown::importer
