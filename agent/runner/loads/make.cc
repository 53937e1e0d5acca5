#include "agent/runner/loads/make.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/build_tree.h"
#include "agent/runner/loads/caches.h"
#include "agent/runner/loads/prepare_build.h"
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

absl::StatusOr<Iteration> RunOnce(const BuildPlan& plan, bool cold, const LoadContext& context) {
  TimedCommand make;
  make.argv = plan.Argv();
  make.folder = plan.tree;
  make.share_output = context.share_output;
  Iteration result;
  RETURN_IF_ERROR(RemoveObjects(plan));
  ASSIGN_OR_RETURN(const size_t before, CountObjects(plan));
  if (cold) RETURN_IF_ERROR(context.drop_caches());
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

void Record(const Iteration& i, bool cold, Recorder recorder) {
  const auto add = [&](absl::string_view what, double value, absl::string_view unit) {
    recorder.Add(absl::StrCat(cold ? "make.cold." : "make.", what), value, unit);
  };
  const auto voluntary = static_cast<double>(i.times.voluntary_switches);
  const auto involuntary = static_cast<double>(i.times.involuntary_switches);
  add("real", i.times.real_s, "s");
  add("user", i.times.user_s, "s");
  add("sys", i.times.system_s, "s");
  add("idle", i.idle_percent, "%");
  add("majflt", static_cast<double>(i.times.major_faults), "1");
  add("ctxt", voluntary + involuntary, "1");
  add("ctxt.voluntary", voluntary, "1");
  add("ctxt.involuntary", involuntary, "1");
  add("objects", static_cast<double>(i.objects), "1");
}

}  // namespace

absl::StatusOr<v1::LoadRun> RunMakeLoad(const v1::Load& load, const LoadContext& context) {
  v1::LoadRun run;
  ASSIGN_OR_RETURN(const BuildPlan plan, PrepareBuild(load.make(), context, run));
  const bool cold = load.make().cold();
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    context.progress(
        static_cast<double>(i - 1) / all,
        absl::StrCat("make -j", plan.jobs, cold ? ", cold" : "", ", iteration ", i, " of ", all));
    absl::StatusOr<Iteration> once = RunOnce(plan, cold, context);
    if (!once.ok()) return Annotate(once.status(), absl::StrCat("iteration ", i));
    Record(*once, cold, Recorder(run, i, IsWarmup(load, i)));
    absl::StrAppend(run.mutable_output(), ClassicTimes(once->times));
  }
  if (!BuildsInScratch(load.make())) RETURN_IF_ERROR(RemoveObjects(plan));
  return run;
}

}  // namespace shakedown::runner
