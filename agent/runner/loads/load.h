// What every load is given and gives back.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/runner/loads/caches.h"
#include "proto/wire/clock.h"
#include "proto/wire/latency_histogram.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::runner {

struct LoadContext {
  Clock& clock;
  // An empty folder on a disk for the load's files. The caller removes it with all in it.
  std::string scratch;
  std::string tree = "/usr/src/load";  // The kernel tree of the make load.
  // Commands write to our own standard output and error instead of a bounded buffer.
  bool share_output = false;
  // Called at times that do not disturb what is measured.
  std::function<void(double fraction, absl::string_view text)> progress;
  uint64_t loops_per_ms = 0;  // For work of a known amount. 0: not measured.
  // Where the inputs that loads name stand, each as a folder, read-only.
  std::string inputs = "/run/shakedown/inputs";
  std::string self = "/proc/self/exe";  // This program: what launch starts by itself.
  // A person waits at a terminal: commands have the person's environment, any exit code of them is
  // a result, and ^C is for them.
  bool for_person = false;
  // Empties the caches before a cold iteration; a load that is not root has it done.
  std::function<absl::Status()> drop_caches = [] { return DropCaches(); };
  // For people: pieces of interbench's table as they come, and lines about each round of latt.
  std::function<void(absl::string_view)> table, trace;
  std::string comment;  // A line in interbench's head.
};

// Checks the whole request, performs all iterations in the calling process and gives measurements,
// output and warnings (no series, no duration: the caller's). Leaves its children to the caller,
// who ends them. InvalidArgument: the request is wrong. Others: the load failed.
absl::StatusOr<v1::LoadRun> RunLoad(const v1::Load& load, const LoadContext& context);

// The number of iterations with warm-ups, and whether iteration i (from 1) is one.
// InvalidArgument: more than 100 iterations or 10 warm-ups.
absl::Status CheckIterations(const v1::Load& load);
uint32_t AllIterations(const v1::Load& load);
inline bool IsWarmup(const v1::Load& load, uint32_t i) { return i <= load.warmups(); }

// Adds measurements of one iteration to a LoadRun.
class Recorder {
 public:
  Recorder(v1::LoadRun& run, uint32_t iteration, bool warmup)
      : run_(run), iteration_(iteration), warmup_(warmup) {}
  void Add(absl::string_view metric, double value, absl::string_view unit);
  // In microseconds, collected over `duration`. Nothing when there are no values.
  void AddHistogram(absl::string_view metric, const LatencyHistogram& histogram,
                    absl::Duration duration, bool from_intended_start = false);

 private:
  v1::LoadRun& run_;
  uint32_t iteration_;
  bool warmup_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_H_
