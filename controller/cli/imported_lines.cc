#include "controller/cli/imported_lines.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/cli/history_lines.h"
#include "controller/cli/tables.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr size_t kWidest = 400;              // Bytes of one text of the farm's.
constexpr size_t kInCell = 3, kInLine = 12;  // Imports that are named.
constexpr size_t kMostSources = 8;
constexpr size_t kMostNotes = 5;  // Subjects in one line.

std::string Plain(const std::string& text) { return PrintableLine(text, kWidest); }

std::string SomeOf(const std::set<int64_t>& imports, size_t most) {
  if (imports.size() <= most) return absl::StrJoin(imports, ", ");
  const auto end = std::next(imports.begin(), static_cast<std::ptrdiff_t>(most));
  return absl::StrCat(absl::StrJoin(imports.begin(), end, ", "), " and ", imports.size() - most,
                      " more");
}

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

// "published: linux-kernel, 2010-08-08", "latt: https://…".
std::string SourceText(const v1::HistoryImport& import) {
  const std::string source = Plain(import.source());
  return absl::StrCat(import.shipped() ? "published" : Plain(import.format()),
                      source.empty() ? "" : ": ", source);
}

// "import 8, 9: published: linux-kernel, 2010-08-08", a line a source.
std::string SourceLines(const v1::HistorySeries& series) {
  std::map<std::string, std::set<int64_t>> sources;
  for (const v1::HistoryPoint& point : series.points()) {
    for (const v1::HistoryImport& import : point.imports()) {
      sources[SourceText(import)].insert(import.import());
    }
  }
  std::vector<std::pair<std::set<int64_t>, std::string>> lines;  // By the first import.
  for (const auto& [source, imports] : sources) lines.emplace_back(imports, source);
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (size_t i = 0; i < std::min(lines.size(), kMostSources); ++i) {
    absl::StrAppend(&text, "import ", SomeOf(lines[i].first, kInLine), ": ", lines[i].second, "\n");
  }
  if (lines.size() > kMostSources) {
    absl::StrAppend(&text, lines.size() - kMostSources,
                    " more sources: see shakedown imports --machine ",
                    Plain(series.key().machine()), "\n");
  }
  return text;
}

std::string Footer(const v1::HistorySeries& series) {
  std::string text = SourceLines(series);
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
  std::set<int64_t> imports;
  for (const v1::HistoryImport& import : point.imports()) imports.insert(import.import());
  return SomeOf(imports, kInCell);
}

std::string SourcesText(const v1::HistoryPoint& point) {
  std::vector<std::string> sources;
  for (const v1::HistoryImport& import : point.imports()) {
    std::string text = SourceText(import);
    if (std::find(sources.begin(), sources.end(), text) == sources.end())
      sources.push_back(std::move(text));
  }
  return absl::StrJoin(sources, "; ");
}

std::string NotesLine(const v1::HistorySeries& series) {
  std::vector<std::string> counts, subjects;
  const auto add = [&](const std::string& subject, uint32_t notes) {
    if (notes == 0 || std::find(subjects.begin(), subjects.end(), subject) != subjects.end())
      return;
    subjects.push_back(subject);
    if (counts.size() < kMostNotes) counts.push_back(absl::StrCat(notes, " on ", subject));
  };
  for (const v1::HistoryPoint& point : series.points()) {
    const std::string name = Plain(point.kernel());
    add(absl::StrCat("kernel:", name.substr(0, name.find(' '))), point.notes());
  }
  add(absl::StrCat("machine:", Plain(series.key().machine())), series.machine_notes());
  if (subjects.empty()) return "";
  const size_t more = subjects.size() - counts.size();
  return absl::StrCat("notes: ", absl::StrJoin(counts, ", "),
                      more > 0 ? absl::StrCat(" and on ", more, " more") : "",
                      "; see shakedown notes ", subjects[0], "\n");
}

std::string ImportedText(const v1::HistorySeries& series, size_t columns, bool unicode) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::HistoryPoint& point : series.points()) {
    rows.push_back({Plain(point.kernel()), absl::StrCat(point.runs()),
                    ValueText(point.median(), point.starred()),
                    point.runs() > 1 ? ValueText(point.mad(), false) : "-", ImportsText(point)});
  }
  return absl::StrCat(Head(series), SparkText(series, columns, unicode), "\n",
                      PrintTable({{.header = "KERNEL", .may_shrink = true},
                                  {.header = "RUNS", .align = Column::Align::kRight},
                                  {.header = "MEDIAN", .align = Column::Align::kRight},
                                  {.header = "MAD", .align = Column::Align::kRight},
                                  {.header = "IMPORT"}},
                                 rows, columns),
                      Footer(series));
}

}  // namespace shakedown::cli
