#include "controller/service/imported_history.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "controller/compare/statistics/metric.h"
#include "controller/history/imported_series.h"
#include "controller/service/import_warnings.h"

namespace shakedown::service {
namespace {

// A point names so many of its texts: enough to look at some.
constexpr size_t kMostImports = 100;

constexpr char kWhyNoChanges[] =
    "not run in turns, mostly once each: no change is looked for, none is suspected";

std::vector<history::ImportedNumber> ToNumbers(const store::ImportedHistory& history) {
  std::vector<history::ImportedNumber> numbers;
  numbers.reserve(history.runs.size());
  for (const store::ImportedRun& run : history.runs) {
    numbers.push_back({.import = run.import,
                       .machine = history.imports.at(run.import).machine,
                       .kernel = run.kernel,
                       .tunables = run.tunables,
                       .detail = run.detail,
                       .unit = run.unit,
                       .direction = run.direction,
                       .value = run.value,
                       .starred = run.starred});
  }
  return numbers;
}

// As the text says, else as our own loads know it.
std::string BetterOf(const std::string& metric, const history::ImportedSeries& series) {
  if (!series.direction.empty()) return series.direction;
  const std::optional<statistics::Metric> known = statistics::FindMetric(metric);
  if (!known.has_value() || known->unit != series.unit) return "";
  return known->direction == statistics::Direction::kLowerIsBetter ? "lower" : "higher";
}

bool IsNewer(const google::protobuf::Timestamp& a, const google::protobuf::Timestamp& b) {
  return std::pair(a.seconds(), a.nanos()) > std::pair(b.seconds(), b.nanos());
}

void FillPoint(const store::ImportedHistory& history, const history::ImportedPoint& point,
               v1::HistoryPoint* out) {
  out->set_kernel(point.kernel);
  out->set_version(point.version);
  out->set_median(point.median);
  out->set_mad(point.mad);
  out->set_runs(point.runs);
  out->set_starred(point.starred);
  for (const int64_t import : point.imports) {
    const store::ImportOrigin& origin = history.imports.at(import);
    if (IsNewer(origin.when, out->newest())) *out->mutable_newest() = origin.when;
    if (static_cast<size_t>(out->imports_size()) >= kMostImports) continue;
    v1::HistoryImport* added = out->add_imports();
    added->set_import(import);
    added->set_format(origin.format);
    added->set_source(origin.source);
    added->set_shipped(origin.shipped);
  }
}

void FillWarnings(const store::ImportedHistory& history, const history::ImportedSeries& series,
                  v1::HistorySeries* out) {
  std::vector<std::string> kernels;
  TextsByKernel texts;
  for (const history::ImportedPoint& point : series.points) {
    kernels.push_back(point.kernel);
    for (const int64_t import : point.imports) {
      const store::ImportOrigin& origin = history.imports.at(import);
      texts[point.kernel].push_back(
          {.import = import, .source = origin.source, .facts = origin.facts});
    }
  }
  for (const std::string& warning : FactWarnings(kernels, texts)) out->add_warnings(warning);
  for (const std::string& warning : PoolingWarnings(kernels, texts)) out->add_warnings(warning);
}

}  // namespace

std::vector<v1::HistorySeries> ImportedHistoryOf(const store::ImportedHistory& history,
                                                 const v1::GetHistoryRequest& request) {
  const history::ImportedOptions options = {
      .since = request.since(),
      .until = request.until(),
      .patterns = {request.kernels().begin(), request.kernels().end()}};
  std::vector<v1::HistorySeries> all;
  for (const history::ImportedSeries& series :
       history::BuildImportedSeries(ToNumbers(history), options)) {
    v1::HistorySeries& out = all.emplace_back();
    out.set_imported(true);
    out.mutable_key()->set_metric(request.metric());
    out.mutable_key()->set_machine(series.machine);
    out.mutable_key()->set_loads(series.detail);
    out.set_unit(series.unit);
    out.set_better(BetterOf(request.metric(), series));
    out.set_drift(std::numeric_limits<double>::quiet_NaN());
    out.set_note(kWhyNoChanges);
    for (const history::ImportedPoint& point : series.points) {
      FillPoint(history, point, out.add_points());
    }
    FillWarnings(history, series, &out);
  }
  return all;
}

}  // namespace shakedown::service
