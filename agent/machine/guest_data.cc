#include "agent/machine/guest_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {

bool IsMetricName(absl::string_view name) {
  constexpr size_t kMaxName = 96;
  return !name.empty() && name.size() <= kMaxName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '.' || c == '_' ||
                  c == '-';
         });
}

namespace {

constexpr int kMaxTunables = 256;

absl::Status CheckMetricName(absl::string_view what, absl::string_view name) {
  if (IsMetricName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", Quoted(name), ": want a name of 1 to 96 of a-z 0-9 . _ -"));
}

absl::Status CheckCount(absl::string_view what, int64_t count, int64_t most) {
  if (count <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(count, " ", what, ": want at most ", most));
}

absl::Status CheckMeasurement(v1::Measurement& measurement) {
  RETURN_IF_ERROR(CheckMetricName("metric", measurement.metric()));
  if (!std::isfinite(measurement.value())) {
    return absl::InvalidArgumentError(absl::StrCat("metric ", measurement.metric(), ": value ",
                                                   measurement.value(), ": want a finite number"));
  }
  measurement.set_unit(PrintableLine(measurement.unit(), kMaxUnit));
  return absl::OkStatus();
}

absl::Status CheckSeries(v1::Series& series) {
  RETURN_IF_ERROR(CheckMetricName("series", series.name()));
  RETURN_IF_ERROR(CheckCount(absl::StrCat("values in series ", series.name()), series.values_size(),
                             kMaxSeriesValues));
  for (const double value : series.values()) {
    if (std::isinf(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("series ", series.name(), ": value ", value, ": want a number"));
    }
  }
  series.set_unit(PrintableLine(series.unit(), kMaxUnit));
  return absl::OkStatus();
}

// As the runner words them: anything else is a guest that makes up rules.
bool IsRule(absl::string_view rule) {
  constexpr absl::string_view kRules[] = {"throttled", "suspended",        "clock_stepped",
                                          "steal",     "foreign_cpu",      "oom",
                                          "ac_lost",   "scheduler_changed"};
  return std::find(std::begin(kRules), std::end(kRules), rule) != std::end(kRules);
}

absl::Status CheckDisturbances(v1::LoadRun& run) {
  RETURN_IF_ERROR(CheckCount("disturbances", run.disturbances_size(), kMaxDisturbances));
  for (v1::Disturbance& disturbance : *run.mutable_disturbances()) {
    if (!IsRule(disturbance.rule())) {
      return absl::InvalidArgumentError(
          absl::StrCat("disturbance ", Quoted(disturbance.rule()), ": want a rule's name"));
    }
    disturbance.set_fact(PrintableLine(disturbance.fact(), 300));
  }
  return absl::OkStatus();
}

absl::Status CheckTop(v1::LoadRun& run) {
  RETURN_IF_ERROR(CheckCount("top snapshots", run.top_size(), kMaxTopSnapshots));
  for (v1::TopSnapshot& snapshot : *run.mutable_top()) {
    RETURN_IF_ERROR(CheckCount("tasks in a top snapshot", snapshot.tasks_size(), kMaxTopTasks));
    for (v1::TopTask& task : *snapshot.mutable_tasks()) {
      task.set_state(PrintableLine(task.state(), 1));
      task.set_command(PrintableLine(task.command(), 48));
      if (!std::isfinite(task.cpu_percent()) || !std::isfinite(task.memory_percent())) {
        return absl::InvalidArgumentError(
            absl::StrCat("top, task ", task.pid(), ": want finite percentages"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckHistogram(v1::LatencyHistogram& histogram) {
  RETURN_IF_ERROR(CheckMetricName("histogram", histogram.metric()));
  const std::string what = absl::StrCat("histogram ", histogram.metric());
  RETURN_IF_ERROR(
      CheckCount(absl::StrCat("buckets in ", what), histogram.smallest_size(), kMaxBuckets));
  if (histogram.smallest_size() != histogram.count_size()) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", histogram.count_size(),
                                                   " counts: want one for each of ",
                                                   histogram.smallest_size(), " buckets"));
  }
  for (int i = 1; i < histogram.smallest_size(); ++i) {
    if (histogram.smallest(i) <= histogram.smallest(i - 1)) {
      return absl::InvalidArgumentError(absl::StrCat(what, ": bucket ", histogram.smallest(i),
                                                     " after ", histogram.smallest(i - 1),
                                                     ": want them ascending"));
    }
  }
  histogram.set_unit(PrintableLine(histogram.unit(), kMaxUnit));
  return absl::OkStatus();
}

std::string BoundedOutput(absl::string_view output) {
  if (output.size() <= kMaxOutput) {
    std::string text = ToUtf8(output);
    if (text.size() <= kMaxOutput) return text;  // Each foreign byte has become three.
  }
  constexpr size_t kNote = 100;
  const size_t kept = std::min(output.size(), kMaxOutput / 3 - kNote);
  return absl::StrCat("[shakedown: the first ", output.size() - kept, " bytes left out]\n",
                      ToUtf8(output.substr(output.size() - kept)));
}

std::string Text(absl::string_view text) {
  std::string clean = ToUtf8(text.substr(0, kMaxText));
  return clean;
}

}  // namespace

absl::StatusOr<v1::LoadRun> CheckLoadRun(uint32_t index, v1::LoadRun run) {
  if (run.load() != index) {
    return absl::InvalidArgumentError(
        absl::StrCat("load run of load ", run.load(), ": want that of load ", index));
  }
  RETURN_IF_ERROR(CheckCount("measurements", run.measurements_size(), kMaxMeasurements));
  RETURN_IF_ERROR(CheckCount("series", run.series_size(), kMaxSeries));
  RETURN_IF_ERROR(CheckCount("histograms", run.histograms_size(), kMaxHistograms));
  RETURN_IF_ERROR(CheckCount("warnings", run.warnings_size(), kMaxWarnings));
  if (run.measurements().empty()) {
    return absl::InvalidArgumentError("no measurements: want at least one");
  }
  for (v1::Measurement& measurement : *run.mutable_measurements()) {
    RETURN_IF_ERROR(CheckMeasurement(measurement));
  }
  for (v1::Series& series : *run.mutable_series()) RETURN_IF_ERROR(CheckSeries(series));
  RETURN_IF_ERROR(CheckDisturbances(run));
  RETURN_IF_ERROR(CheckTop(run));
  run.set_tool_version(PrintableLine(run.tool_version(), 200));
  for (v1::LatencyHistogram& histogram : *run.mutable_histograms()) {
    RETURN_IF_ERROR(CheckHistogram(histogram));
  }
  for (std::string& warning : *run.mutable_warnings()) warning = PrintableLine(warning, 500);
  run.set_output(BoundedOutput(run.output()));
  run.DiscardUnknownFields();
  return run;
}

std::vector<v1::SetupRecord> CleanSetup(const v1::SetupDone& done) {
  std::vector<v1::SetupRecord> records;
  for (const v1::SetupRecord& record : done.records()) {
    if (records.size() == kMaxSetup) break;
    v1::SetupRecord& kept = records.emplace_back();
    kept.set_step(PrintableLine(record.step(), kMaxText));
    kept.set_before(PrintableLine(record.before(), kMaxText));
    kept.set_undo(Text(record.undo()));
    kept.set_undone(record.undone());
  }
  return records;
}

v1::Identity CleanIdentity(const v1::Identity& identity) {
  v1::Identity clean;
  clean.set_release(Text(identity.release()));
  clean.set_version(Text(identity.version()));
  clean.set_build_id(Text(identity.build_id()));
  clean.set_command_line(Text(identity.command_line()));
  clean.set_boot_id(Text(identity.boot_id()));
  clean.set_sched_ext_state(Text(identity.sched_ext_state()));
  clean.set_sched_ext_ops(Text(identity.sched_ext_ops()));
  for (const v1::Tunable& tunable : identity.tunables()) {
    if (clean.tunables_size() == kMaxTunables) break;
    v1::Tunable* kept = clean.add_tunables();
    kept->set_name(Text(tunable.name()));
    kept->set_value(Text(tunable.value()));
  }
  return clean;
}

v1::Fingerprint CleanFingerprint(const v1::Fingerprint& fingerprint) {
  // Sorted, so that what is kept of too many does not depend on a hash.
  const std::map<std::string, std::string> facts(fingerprint.facts().begin(),
                                                 fingerprint.facts().end());
  v1::Fingerprint clean;
  for (const auto& [name, value] : facts) {
    if (clean.facts_size() == kMaxFacts) break;
    if (CheckMetricName("fact", name).ok()) {
      (*clean.mutable_facts())[name] = PrintableLine(value, kMaxText);
    }
  }
  return clean;
}

}  // namespace shakedown::agent
