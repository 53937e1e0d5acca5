#include "agent/runner/loads/interbench_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace shakedown::runner {

std::string FormatInterbenchHead(const InterbenchPlan& plan, absl::string_view release,
                                 absl::string_view datestamp, absl::string_view comment) {
  std::string text;
  if (plan.profile == InterbenchProfile::kHead) {
    absl::StrAppend(&text, "Load set to ", plan.burn_threads, " processors\n");
  }
  absl::StrAppend(&text, "\nUsing ", plan.loops_per_ms, " loops per ms, running every load for ",
                  plan.seconds, " seconds\nBenchmarking kernel ", release, " at datestamp ",
                  datestamp, "\n");
  if (!comment.empty()) absl::StrAppend(&text, "Comment: ", comment, "\n");
  return text + "\n";
}

std::string FormatTaskHead(const InterbenchPlan& plan, const NamedTask& task) {
  std::string text = absl::StrCat("--- Benchmarking simulated cpu of ", task.label, " ");
  if (plan.realtime) {
    text += "real time ";
  } else if (plan.bench_nice != 0) {
    absl::StrAppend(&text, "nice ", plan.bench_nice, " ");
  }
  text += "in the presence of simulated ";
  if (plan.load_nice != 0) absl::StrAppend(&text, "nice ", plan.load_nice, " ");
  absl::StrAppend(&text, "---\nLoad\tLatency +/- SD (", plan.realtime ? "us" : "ms",
                  ")  Max Latency   % Desired CPU",
                  task.has_deadlines ? "  % Deadlines Met\n" : "\n");
  return text;
}

std::string FormatRow(const InterbenchPlan& plan, const NamedTask& task,
                      const NamedBackground& load, const TaskResult& result) {
  const LatencyStats& latency = result.latency;
  const double unit = plan.realtime ? 1 : 1000;
  std::string row = absl::StrFormat(
      "%s\t%6.1f +/- %-8.1f%6.1f\t\t%4.3g", load.label,
      static_cast<double>(latency.FlooredAverage()) / unit, latency.InterbenchSd() / unit,
      static_cast<double>(latency.max()) / unit, DesiredCpu(result.counters));
  if (task.has_deadlines) absl::StrAppendFormat(&row, "\t%11.3g", DeadlinesMet(result.counters));
  return row + "\n";
}

}  // namespace shakedown::runner
