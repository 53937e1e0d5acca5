#include "agent/runner/loads/make.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/loads/build_tree.h"
#include "agent/runner/loads/timed_command.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

absl::StatusOr<CpuCounters> ReadCpu() {
  ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/stat", 4 << 20));
  return ParseProcStat(text);
}

struct Iteration {
  CommandTimes times;
  double idle_percent = 0;
  size_t objects = 0;
};

absl::StatusOr<Iteration> RunOnce(const BuildPlan& plan, bool share_output) {
  TimedCommand make;
  make.argv = plan.Argv();
  make.folder = plan.tree;
  make.share_output = share_output;
  Iteration result;
  RETURN_IF_ERROR(RemoveObjects(plan));
  ASSIGN_OR_RETURN(const size_t before, CountObjects(plan));
  ASSIGN_OR_RETURN(const CpuCounters cpu_before, ReadCpu());
  ASSIGN_OR_RETURN(result.times, TimeCommand(make));
  ASSIGN_OR_RETURN(const CpuCounters cpu_after, ReadCpu());
  RETURN_IF_ERROR(CommandStatus(make, result.times));
  ASSIGN_OR_RETURN(const size_t after, CountObjects(plan));
  if (after <= before) {
    return absl::InternalError(absl::StrCat("make: ", after, " objects in ", plan.tree,
                                            " after the build and ", before,
                                            " before it: nothing was compiled"));
  }
  result.objects = after - before;
  ASSIGN_OR_RETURN(result.idle_percent, IdlePercent(cpu_before, cpu_after));
  return result;
}

// As bash's `time` prints it.
std::string ClassicTime(absl::string_view name, double seconds) {
  const double minutes = std::floor(seconds / 60);
  return absl::StrFormat("%s\t%.0fm%.3fs\n", name, minutes, seconds - 60 * minutes);
}

void Record(const Iteration& i, Recorder recorder) {
  recorder.Add("make.real", i.times.real_s, "s");
  recorder.Add("make.user", i.times.user_s, "s");
  recorder.Add("make.sys", i.times.system_s, "s");
  recorder.Add("make.idle", i.idle_percent, "%");
  recorder.Add("make.majflt", static_cast<double>(i.times.major_faults), "1");
  recorder.Add("make.ctxt",
               static_cast<double>(i.times.voluntary_switches + i.times.involuntary_switches), "1");
  recorder.Add("make.objects", static_cast<double>(i.objects), "1");
}

}  // namespace

absl::StatusOr<v1::LoadRun> RunMakeLoad(const v1::Load& load, const LoadContext& context) {
  ASSIGN_OR_RETURN(const BuildPlan plan, PlanBuild(load.make(), context.tree));
  v1::LoadRun run;
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    context.progress(static_cast<double>(i - 1) / all,
                     absl::StrCat("make -j", plan.jobs, ", iteration ", i, " of ", all));
    absl::StatusOr<Iteration> once = RunOnce(plan, context.share_output);
    if (!once.ok()) return Annotate(once.status(), absl::StrCat("iteration ", i));
    Record(*once, Recorder(run, i, IsWarmup(load, i)));
    absl::StrAppend(run.mutable_output(), "\n", ClassicTime("real", once->times.real_s),
                    ClassicTime("user", once->times.user_s),
                    ClassicTime("sys", once->times.system_s));
  }
  RETURN_IF_ERROR(RemoveObjects(plan));
  return run;
}

}  // namespace shakedown::runner
