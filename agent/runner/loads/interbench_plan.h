// Which pairs an interbench load measures, and how its results are printed. Pure.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PLAN_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/runner/loads/background.h"
#include "agent/runner/loads/periodic_cycle.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

struct NamedTask {
  const char* label;
  Task task;
  bool has_deadlines;
};
struct NamedBackground {
  const char* label;
  Background load;
};

struct InterbenchPlan {
  std::vector<NamedTask> tasks;        // In the table's order, each once.
  std::vector<NamedBackground> loads;  // Same.
  uint32_t seconds = 30;               // A multiple of 10.
  uint64_t loops_per_ms = 0;           // 0: to be calibrated.
  uint32_t burn_threads = 1;
  // A task does not meet itself as a load.
  bool Skips(const NamedTask& task, const NamedBackground& load) const;
  size_t Pairs() const;
};

// Names count without regard to case. No benchmarks: Video and X. No loads: all but Ring, and
// Memload only with swap, as in the original. InvalidArgument: an unknown name, no pair is left,
// Memload asked for without swap, times or numbers out of range.
absl::StatusOr<InterbenchPlan> PlanInterbench(const v1::InterbenchLoad& load, uint32_t online_cpus,
                                              uint64_t swap_kib);

// The original's table, in pieces as they come.
std::string FormatInterbenchHead(const InterbenchPlan& plan, absl::string_view release,
                                 absl::string_view datestamp);
std::string FormatTaskHead(const NamedTask& task);
std::string FormatRow(const NamedTask& task, const NamedBackground& load, const TaskResult& result);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PLAN_H_
