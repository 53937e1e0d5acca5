#include "controller/compare/kernel_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/compare/statistics/descriptive.h"
#include "controller/compare/statistics/effect.h"
#include "controller/compare/statistics/metric.h"
#include "controller/compare/statistics/verdict.h"

namespace shakedown::compare {
namespace {

using Row = v1::CompareKernelsResponse::Row;
using Cell = v1::CompareKernelsResponse::Cell;

struct Column {
  std::vector<double> values;                          // Of all runs.
  std::map<std::string, std::vector<double>> by_unit;  // By text or boot: what counts as one.
  std::set<int64_t> imports;
  std::set<std::string> boots;
  bool starred = false;

  // One value a text or boot.
  std::vector<double> Units() const {
    std::vector<double> units;
    for (const auto& [name, all] : by_unit) units.push_back(statistics::Median(all));
    return units;
  }
};

struct RowRuns {
  const KernelRun* first = nullptr;
  std::string direction;
  std::vector<Column> columns;
};

void AddRun(const KernelRun& run, Column& column) {
  column.values.push_back(run.value);
  column.starred = column.starred || run.starred;
  if (run.origin == "farm") {
    column.by_unit[run.boot].push_back(run.value);
    column.boots.insert(run.boot);
  } else {
    column.by_unit[absl::StrCat(run.import)].push_back(run.value);
    column.imports.insert(run.import);
  }
}

std::vector<RowRuns> RowsOf(const std::vector<std::string>& kernels,
                            const std::vector<KernelRun>& runs) {
  std::map<std::string, size_t> columns;
  for (size_t i = 0; i < kernels.size(); ++i) columns.emplace(kernels[i], i);
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, size_t> places;
  std::vector<RowRuns> rows;
  for (const KernelRun& run : runs) {
    const auto column = columns.find(run.kernel);
    if (column == columns.end()) continue;
    const auto [place, added] =
        places.emplace(Key{run.origin, run.metric, run.detail, run.unit}, rows.size());
    if (added) rows.push_back({&run, run.direction, std::vector<Column>(kernels.size())});
    RowRuns& row = rows[place->second];
    if (row.direction.empty()) row.direction = run.direction;
    AddRun(run, row.columns[column->second]);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RowRuns& a, const RowRuns& b) {
    return (a.first->origin == "farm") < (b.first->origin == "farm");
  });
  return rows;
}

// What the number means: as our own loads know it, else as the text says; of an unknown direction
// for information only.
statistics::Metric MetricOf(const RowRuns& row) {
  if (auto known = statistics::FindMetric(row.first->metric);
      known.has_value() && known->unit == row.first->unit) {
    if (known->role == statistics::Role::kPrimary) known->role = statistics::Role::kSecondary;
    return *std::move(known);
  }
  bool positive = true;
  for (const Column& column : row.columns) {
    for (const double value : column.values) positive = positive && value > 0;
  }
  const bool ratio = positive && row.first->unit != "%";
  return statistics::MakeMetric(
      row.first->metric,
      row.direction == "higher" ? statistics::Direction::kHigherIsBetter
                                : statistics::Direction::kLowerIsBetter,
      ratio ? statistics::Scale::kRatio : statistics::Scale::kDifference, row.first->unit, 0,
      row.direction.empty() ? statistics::Role::kInfo : statistics::Role::kSecondary);
}

std::string DirectionOf(const RowRuns& row, const statistics::Metric& metric) {
  if (row.direction.empty() && metric.role == statistics::Role::kInfo) return "";
  return metric.direction == statistics::Direction::kHigherIsBetter ? "higher" : "lower";
}

void FillCell(const Column& column, Cell& cell) {
  cell.set_n(static_cast<uint32_t>(column.values.size()));
  cell.set_starred(column.starred);
  if (column.values.empty()) return;
  cell.set_median(statistics::Median(column.values));
  if (column.values.size() > 1) cell.set_spread(statistics::Mad(column.values));
  for (const int64_t import : column.imports) cell.add_imports(import);
  for (const std::string& boot : column.boots) cell.add_boots(boot);
}

double ChangeOf(const Cell& base, const Cell& other) {
  const bool both = base.n() > 0 && other.n() > 0 && base.median() != 0;
  return both ? (other.median() - base.median()) / std::fabs(base.median())
              : std::numeric_limits<double>::quiet_NaN();
}

Row Unjudged(const RowRuns& runs, const statistics::Metric& metric) {
  Row row;
  row.set_metric(runs.first->metric);
  row.set_unit(runs.first->unit);
  row.set_detail(runs.first->detail);
  row.set_origin(runs.first->origin);
  row.set_direction(DirectionOf(runs, metric));
  for (const Column& column : runs.columns) FillCell(column, *row.add_cells());
  for (int i = 1; i < row.cells_size(); ++i) row.add_change(ChangeOf(row.cells(0), row.cells(i)));
  return row;
}

}  // namespace

v1::CompareKernelsResponse CompareRuns(const std::vector<std::string>& kernels,
                                       const std::vector<KernelRun>& runs) {
  v1::CompareKernelsResponse response;
  for (const std::string& kernel : kernels) response.add_kernels(kernel);
  const std::vector<RowRuns> rows = RowsOf(kernels, runs);
  std::map<std::string, std::vector<statistics::Candidate>> families;  // By origin.
  std::map<std::string, std::vector<int>> places;                      // The row of each candidate.
  for (const RowRuns& row : rows) {
    const statistics::Metric metric = MetricOf(row);
    const std::vector<double> base = row.columns[0].Units();
    for (size_t i = 1; i < row.columns.size(); ++i) {
      const std::vector<double> other = row.columns[i].Units();
      families[row.first->origin].push_back(
          {.metric = metric,
           .effect =
               statistics::CompareUnpaired(metric, base, other, statistics::kSingleLookLevel)});
      places[row.first->origin].push_back(response.rows_size());
    }
    *response.add_rows() = Unjudged(row, metric);
  }
  for (const auto& [origin, candidates] : families) {
    const std::vector<statistics::Judgement> judged = statistics::Judge(candidates, {});
    for (size_t i = 0; i < judged.size(); ++i) {
      response.mutable_rows(places[origin][i])
          ->add_verdict(std::string(statistics::VerdictName(judged[i].verdict)));
    }
  }
  return response;
}

}  // namespace shakedown::compare
