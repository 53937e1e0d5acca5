// The calls of HistoryApi that list and show series: the farm's own, then those of imports.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/service/history_api.h"
#include "controller/service/history_checks.h"
#include "controller/service/history_view.h"
#include "controller/service/imported_history.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_call.h"
#include "db/store/import_series.h"
#include "db/store/notes.h"
#include "db/store/regressions.h"
#include "db/store/series.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr int kMostPatterns = 100;
constexpr size_t kMostSeries = 200;  // Machines and loads of one metric in one answer.
constexpr size_t kMostPoints = 20000;

absl::Status CheckHistory(const v1::GetHistoryRequest& request) {
  if (request.metric().empty()) {
    return absl::InvalidArgumentError("metric: want one, as `shakedown series` lists them");
  }
  RETURN_IF_ERROR(CheckText("metric", request.metric()));
  RETURN_IF_ERROR(CheckText("machine", request.machine()));
  RETURN_IF_ERROR(CheckText("since", request.since()));
  RETURN_IF_ERROR(CheckText("until", request.until()));
  if (request.kernels_size() > kMostPatterns) {
    return absl::InvalidArgumentError(absl::StrCat("kernels: ", request.kernels_size(),
                                                   " patterns, want at most ", kMostPatterns));
  }
  for (const std::string& pattern : request.kernels())
    RETURN_IF_ERROR(CheckText("kernels", pattern));
  return absl::OkStatus();
}

absl::Status CheckAnswer(const v1::GetHistoryRequest& request, size_t series,
                         const v1::GetHistoryResponse& response) {
  if (series > kMostSeries) {
    return absl::ResourceExhaustedError(
        absl::StrCat("metric ", Quoted(request.metric()), ": ", series, " series, name a machine"));
  }
  size_t points = 0;
  for (const v1::HistorySeries& one : response.series()) points += one.points_size();
  if (points <= kMostPoints) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("metric ", Quoted(request.metric()),
                                                   ": more than ", kMostPoints,
                                                   " points, name a machine or kernels"));
}

absl::Status AddFarm(store::Database& database, const std::vector<store::SeriesRow>& rows,
                     const v1::GetHistoryRequest& request, v1::GetHistoryResponse& response) {
  RETURN_IF_ERROR(CheckAnswer(request, rows.size(), response));
  for (const store::SeriesRow& row : rows) {
    ASSIGN_OR_RETURN(const store::SeriesContent content,
                     FromStore([&] { return store::ReadSeries(database, row.id); }));
    ASSIGN_OR_RETURN(const std::vector<store::KnownRegression> known,
                     FromStore([&] { return store::KnownRegressions(database, row.id); }));
    RETURN_IF_ERROR(NoThrow("history", [&] {
      for (v1::HistorySeries& series : HistoryOf(row, content, known, request)) {
        *response.add_series() = std::move(series);
      }
      return absl::OkStatus();
    }));
    RETURN_IF_ERROR(CheckAnswer(request, rows.size(), response));
  }
  return absl::OkStatus();
}

absl::Status AddImported(const store::ImportedHistory& history,
                         const v1::GetHistoryRequest& request, v1::GetHistoryResponse& response) {
  if (history.runs.empty()) return absl::OkStatus();
  std::vector<v1::HistorySeries> all;
  RETURN_IF_ERROR(NoThrow("history of imports", [&] {
    all = ImportedHistoryOf(history, request);
    return absl::OkStatus();
  }));
  for (v1::HistorySeries& series : all) *response.add_series() = std::move(series);
  return CheckAnswer(request, all.size(), response);
}

// Machines that have the metric, by name.
absl::StatusOr<std::set<std::string>> MachinesOf(store::Database& database,
                                                 const std::string& metric) {
  ASSIGN_OR_RETURN(const std::vector<store::SeriesRow> rows,
                   FromStore([&] { return store::FindSeries(database, metric, ""); }));
  ASSIGN_OR_RETURN(const std::vector<v1::SeriesView> imported, FromStore([&] {
                     return store::ListImportedSeries(database, metric, "", kMostListed);
                   }));
  std::set<std::string> machines;
  for (const store::SeriesRow& row : rows) machines.insert(row.machine);
  for (const v1::SeriesView& series : imported) {
    if (series.key().metric() == metric) machines.insert(series.key().machine());
  }
  return machines;
}

// `there`: series are, but no kernel of them is asked for.
absl::Status Nothing(store::Database& database, const v1::GetHistoryRequest& request, bool there) {
  const std::string what = absl::StrCat(
      "metric ", Quoted(request.metric()),
      request.machine().empty() ? "" : absl::StrCat(" on machine ", Quoted(request.machine())));
  if (there) {
    return absl::NotFoundError(
        absl::StrCat(what, ": none of its kernels is in the range or fits the names asked for"));
  }
  std::set<std::string> machines;
  if (!request.machine().empty()) {
    ASSIGN_OR_RETURN(machines, MachinesOf(database, request.metric()));
  }
  return absl::NotFoundError(absl::StrCat(
      what, ": no such series, ",
      machines.empty() ? "see shakedown series"
                       : absl::StrCat("there are some on ", absl::StrJoin(machines, ", "))));
}

std::string SubjectOf(const v1::HistorySeries& series) {
  return absl::StrCat("machine:", series.key().machine());
}
// The notes are on a kernel, whatever its tunables.
std::string SubjectOf(const v1::HistoryPoint& point) {
  return absl::StrCat("kernel:", point.kernel().substr(0, point.kernel().find(' ')));
}

// Of imported series: beside a figure of long ago there is often a word of who saw it. The farm's
// own notes stand in the reports of its jobs, and its answers are not to wait for a count.
absl::Status FillNotes(store::Database& database, v1::GetHistoryResponse& response) {
  std::set<std::string> subjects;
  for (const v1::HistorySeries& series : response.series()) {
    if (!series.imported()) continue;
    subjects.insert(SubjectOf(series));
    for (const v1::HistoryPoint& point : series.points()) subjects.insert(SubjectOf(point));
  }
  if (subjects.empty()) return absl::OkStatus();
  using Counts = std::map<std::string, uint32_t>;
  ASSIGN_OR_RETURN(const Counts counts, FromStore([&] {
                     return store::CountNotes(database, {subjects.begin(), subjects.end()});
                   }));
  const auto count_of = [&](const auto& message) {
    const auto found = counts.find(SubjectOf(message));
    return found == counts.end() ? 0 : found->second;
  };
  for (v1::HistorySeries& series : *response.mutable_series()) {
    if (!series.imported()) continue;
    series.set_machine_notes(count_of(series));
    for (v1::HistoryPoint& point : *series.mutable_points()) point.set_notes(count_of(point));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::ListSeriesResponse> HistoryApi::ListSeries(
    const v1::ListSeriesRequest& request) {
  RETURN_IF_ERROR(CheckText("metric", request.metric()));
  RETURN_IF_ERROR(CheckText("machine", request.machine()));
  ASSIGN_OR_RETURN(const uint32_t limit, LimitOf(request.limit(), 100));
  v1::ListSeriesResponse response;
  if (!request.imported_only()) {
    ASSIGN_OR_RETURN(const std::vector<v1::SeriesView> farm, FromStore([&] {
                       return store::ListSeries(database_, request.metric(), request.machine(),
                                                limit);
                     }));
    *response.mutable_series() = {farm.begin(), farm.end()};
  }
  const uint32_t left = limit - static_cast<uint32_t>(response.series_size());
  if (left == 0) return response;
  ASSIGN_OR_RETURN(const std::vector<v1::SeriesView> imported, FromStore([&] {
                     return store::ListImportedSeries(database_, request.metric(),
                                                      request.machine(), left);
                   }));
  for (const v1::SeriesView& series : imported) *response.add_series() = series;
  return response;
}

absl::StatusOr<v1::GetHistoryResponse> HistoryApi::GetHistory(
    const v1::GetHistoryRequest& request) {
  RETURN_IF_ERROR(CheckHistory(request));
  v1::GetHistoryResponse response;
  ASSIGN_OR_RETURN(const store::HistorySources sources, FromStore([&] {
                     return store::FindHistory(database_, request.metric(), request.machine());
                   }));
  RETURN_IF_ERROR(AddFarm(database_, sources.series, request, response));
  RETURN_IF_ERROR(AddImported(sources.imported, request, response));
  if (response.series().empty()) {
    return Nothing(database_, request, !sources.series.empty() || !sources.imported.runs.empty());
  }
  RETURN_IF_ERROR(FillNotes(database_, response));
  return response;
}

}  // namespace shakedown::service
