// Which pairs an interbench load measures, and how. Pure.
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

// The version whose numbers are to be compared with. kHead: 2016. k031: 2009, the published logs.
enum class InterbenchProfile { kHead, k031 };

struct InterbenchPlan {
  InterbenchProfile profile = InterbenchProfile::kHead;
  std::vector<NamedTask> tasks;        // In the table's order, each once.
  std::vector<NamedBackground> loads;  // Same.
  uint32_t seconds = 30;               // A multiple of 10.
  uint64_t loops_per_ms = 0;           // 0: the machine's.
  uint32_t burn_threads = 1;
  int bench_nice = 0, load_nice = 0;
  bool realtime = false;  // Latencies are printed and told in us, else in ms.
  CustomTask custom;
  uint64_t most_file_bytes = 0;  // 0: half of what is free.
  bool single_cpu = false;
  // Said once: what was asked for and is not done.
  std::vector<std::string> warnings;

  // A task does not meet itself as a load.
  bool Skips(const NamedTask& task, const NamedBackground& load) const;
  size_t Pairs() const;
  // Whether a load reads or writes the file; Compile does both.
  bool Writes() const;
  bool Reads() const;
  // "interbench.video.burn", "interbench.rt.video.burn".
  std::string MetricPrefix(const NamedTask& task, const NamedBackground& load) const;
};

struct InterbenchMachine {
  uint32_t online_cpus = 1;
  uint64_t memory_kib = 0, swap_kib = 0;
};

// Names count without regard to case. No benchmarks: Video and X (real time: Audio and Video). No
// loads: all of the profile's; Memload only with swap, as in the original. Custom is added to
// what is empty when it is described. InvalidArgument: an unknown name or profile, no pair is left,
// Memload asked for without swap, Ring in profile 0.31, numbers out of range.
absl::StatusOr<InterbenchPlan> PlanInterbench(const v1::InterbenchLoad& load,
                                              const InterbenchMachine& machine);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_PLAN_H_
