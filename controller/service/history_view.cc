#include "controller/service/history_view.h"

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "controller/history/epoch.h"
#include "controller/history/watch_series.h"
#include "controller/service/history_numbers.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

// A point names so many of its boots: enough to look at some.
constexpr size_t kMostBoots = 100;

void FillTime(absl::Time time, google::protobuf::Timestamp* out) {
  const int64_t nanos = absl::ToUnixNanos(time);
  out->set_seconds(nanos / 1'000'000'000);
  out->set_nanos(static_cast<int32_t>(nanos % 1'000'000'000));
}

std::string NameOf(const history::BootNumber& boot) {
  return FormatBootName({boot.job, boot.block, boot.variant, boot.attempt});
}

void FillPoint(const history::Numbers& numbers, const history::Point& point, bool relative,
               v1::HistoryPoint* out) {
  const history::KernelId& kernel = numbers.kernels[point.kernel];
  out->set_kernel(kernel.kernel);
  out->set_version(kernel.version);
  out->set_epoch(static_cast<uint32_t>(point.epoch));
  out->set_median(point.median);
  out->set_mad(point.mad);
  out->set_boots(static_cast<uint32_t>(point.boots.size()));
  out->set_failed(kernel.failed);
  out->set_relative(relative);
  FillTime(point.newest, out->mutable_newest());
  std::set<int64_t> jobs;
  for (const history::BootNumber* boot : point.boots) {
    jobs.insert(boot->job);
    if (static_cast<size_t>(out->boot_names_size()) < kMostBoots)
      out->add_boot_names(NameOf(*boot));
  }
  for (const int64_t job : jobs) out->add_jobs(job);
}

void FillChange(const history::ChangePoint& point, const std::string& level,
                v1::HistoryChange* out) {
  out->set_index(static_cast<uint32_t>(point.index));
  out->set_magnitude(point.magnitude);
  out->set_p(point.p);
  out->set_before_median(point.before_median);
  out->set_after_median(point.after_median);
  out->set_level(level);
}

std::string NoteOf(const history::Series& series) {
  if (series.left_out == 0) return "";
  return absl::StrCat(series.left_out,
                      " boots without the reference in their block are left out; --absolute shows "
                      "them");
}

}  // namespace

std::vector<v1::HistorySeries> HistoryOf(const store::SeriesRow& row,
                                         const store::SeriesContent& content,
                                         const std::vector<store::KnownRegression>& known,
                                         const v1::GetHistoryRequest& request) {
  const history::Numbers numbers = ToNumbers(content);
  bool is_known = false;
  const statistics::Metric metric = MetricOf(row.metric, row.unit, numbers, &is_known);
  const std::vector<history::KnownStep> steps = ToSteps(known);
  const std::vector<history::Point> control = history::ControlSeries(numbers);
  const std::vector<history::ChangePoint> moves = history::ControlChanges(control);
  const history::SeriesOptions options = {
      .absolute = request.absolute(),
      .since = request.since(),
      .until = request.until(),
      .patterns = {request.kernels().begin(), request.kernels().end()}};
  std::vector<v1::HistorySeries> all;
  for (const history::Series& series : history::BuildSeries(numbers, metric, options)) {
    if (series.points.empty()) continue;
    v1::HistorySeries& out = all.emplace_back();
    out.mutable_key()->set_metric(row.metric);
    out.mutable_key()->set_machine(row.machine);
    out.mutable_key()->set_loads(row.loads);
    out.mutable_key()->set_config_class(series.class_name);
    out.set_unit(row.unit);
    if (is_known) {
      out.set_better(metric.direction == statistics::Direction::kLowerIsBetter ? "lower"
                                                                               : "higher");
    }
    for (const history::Point& point : series.points) {
      FillPoint(numbers, point, series.relative, out.add_points());
    }
    const std::vector<history::Change> changes = history::FindChanges(series, control, metric);
    for (const history::Change& change : changes) {
      v1::HistoryChange* added = out.add_changes();
      FillChange(change.point, history::LevelWord(change.level), added);
      history::Suspicion step;
      step.good = change.point.index - 1;
      step.bad = change.point.index;
      step.improvement = (change.point.after_median < change.point.before_median) ==
                         (metric.direction == statistics::Direction::kLowerIsBetter);
      const history::KnownStep* found = history::FindKnown(numbers, series, step, steps);
      if (found != nullptr) added->set_regression(found->id);
    }
    if (!control.empty()) {
      const history::KernelId& reference = numbers.kernels[control.front().kernel];
      out.set_reference(absl::StrCat(reference.kernel, " ", reference.version));
    }
    for (const history::Point& point : control) {
      FillPoint(numbers, point, false, out.add_control());
    }
    for (const history::ChangePoint& move : moves) {
      FillChange(move, history::LevelWord(history::Level::kEnvironment), out.add_control_changes());
    }
    out.set_drift(history::Drift(series, changes).value_or(std::nan("")));
    for (size_t i = 1; i < series.epochs.size(); ++i) {
      out.add_epoch_changes(history::WhatChanged(content.epochs[series.epochs[i - 1]].facts,
                                                 content.epochs[series.epochs[i]].facts));
    }
    out.set_note(NoteOf(series));
  }
  return all;
}

}  // namespace shakedown::service
