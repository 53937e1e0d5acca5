#include "controller/cli/imported_lines.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/cli/history_lines.h"
#include "controller/cli/tables.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr size_t kWidest = 400;   // Bytes of one text of the farm's.
constexpr int kMostImports = 3;   // In one cell.
constexpr size_t kMostNotes = 5;  // Subjects in one line.

std::string Plain(const std::string& text) { return PrintableLine(text, kWidest); }

std::string Head(const v1::HistorySeries& series) {
  const std::string unit = series.unit() == "1" ? "" : Plain(series.unit());
  return absl::StrCat(
      "Imported: ", Plain(series.key().metric()), unit.empty() ? "" : absl::StrCat(" [", unit, "]"),
      " on ", Plain(series.key().machine()),
      series.key().loads().empty() ? "" : absl::StrCat(", ", Plain(series.key().loads())),
      series.better().empty() ? "" : absl::StrCat(" (", Plain(series.better()), " is better)"),
      "\n");
}

std::string ValueText(double value, bool starred) {
  return absl::StrFormat("%.6g%s", value, starred ? "*" : "");
}

std::string Footer(const v1::HistorySeries& series) {
  std::string text;
  const bool starred = std::any_of(series.points().begin(), series.points().end(),
                                   [](const v1::HistoryPoint& point) { return point.starred(); });
  if (starred) text += "*: an asterisk of the text's author; it plays no part\n";
  for (const std::string& warning : series.warnings()) {
    absl::StrAppend(&text, Plain(warning), "\n");
  }
  if (!series.note().empty()) absl::StrAppend(&text, Plain(series.note()), "\n");
  return absl::StrCat(text, NotesLine(series));
}

}  // namespace

std::string ImportsText(const v1::HistoryPoint& point) {
  std::vector<std::string> shown;
  for (int i = 0; i < std::min(point.imports_size(), kMostImports); ++i) {
    shown.push_back(absl::StrCat(point.imports(i).import()));
  }
  std::string text = absl::StrJoin(shown, ", ");
  const int more = point.imports_size() - kMostImports;
  if (more > 0) absl::StrAppend(&text, " and ", more, " more");
  return text;
}

std::string SourcesText(const v1::HistoryPoint& point) {
  std::vector<std::string> sources;
  for (const v1::HistoryImport& import : point.imports()) {
    const std::string source = Plain(import.source());
    std::string text = import.shipped() ? "published" : Plain(import.format());
    if (!source.empty()) absl::StrAppend(&text, ": ", source);
    if (std::find(sources.begin(), sources.end(), text) == sources.end()) sources.push_back(text);
  }
  return absl::StrJoin(sources, "; ");
}

std::string NotesLine(const v1::HistorySeries& series) {
  std::vector<std::string> subjects;
  const auto add = [&](absl::string_view kind, absl::string_view name, uint32_t notes) {
    if (notes == 0) return;
    const std::string text = absl::StrCat(kind, PrintableLine(name, kWidest), " (", notes, ")");
    if (std::find(subjects.begin(), subjects.end(), text) == subjects.end())
      subjects.push_back(text);
  };
  for (const v1::HistoryPoint& point : series.points()) {
    add("kernel:", absl::string_view(point.kernel()).substr(0, point.kernel().find(' ')),
        point.notes());
  }
  add("machine:", series.key().machine(), series.machine_notes());
  if (subjects.empty()) return "";
  const size_t more = subjects.size() > kMostNotes ? subjects.size() - kMostNotes : 0;
  subjects.resize(subjects.size() - more);
  return absl::StrCat("what people saw: shakedown notes ", absl::StrJoin(subjects, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "", "\n");
}

std::string ImportedText(const v1::HistorySeries& series, size_t columns, bool unicode) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::HistoryPoint& point : series.points()) {
    rows.push_back({Plain(point.kernel()), absl::StrCat(point.runs()),
                    ValueText(point.median(), point.starred()),
                    point.runs() > 1 ? ValueText(point.mad(), false) : "-", ImportsText(point),
                    SourcesText(point)});
  }
  return absl::StrCat(Head(series), SparkText(series, columns, unicode), "\n",
                      PrintTable({{.header = "KERNEL", .may_shrink = true},
                                  {.header = "RUNS", .align = Column::Align::kRight},
                                  {.header = "MEDIAN", .align = Column::Align::kRight},
                                  {.header = "MAD", .align = Column::Align::kRight},
                                  {.header = "IMPORT"},
                                  {.header = "SOURCE", .may_shrink = true}},
                                 rows, columns),
                      Footer(series));
}

}  // namespace shakedown::cli
