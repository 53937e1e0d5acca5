#include "agent/runner/loads/launch.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/loads/beside.h"
#include "agent/runner/loads/caches.h"
#include "agent/runner/loads/latency_stats.h"
#include "agent/runner/loads/program_start.h"
#include "agent/runner/loads/timed_command.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr uint32_t kMostLaunches = 10000;
constexpr uint32_t kLongestPauseMs = 60000;

struct LaunchPlan {
  std::vector<std::string> argv;
  uint32_t count = 50;
  uint32_t pause_ms = 100;
  bool cold = false;
  std::string prefix() const { return cold ? "launch.cold" : "launch.warm"; }
};

absl::StatusOr<std::string> CopyOfSelf(const LoadContext& context) {
  const std::string copy = context.scratch + "/launched";
  std::error_code error;
  std::filesystem::copy_file(context.self, copy, error);
  if (error)
    return ErrnoStatus(error.value(), absl::StrCat("copy of ", context.self, " to ", copy));
  if (chmod(copy.c_str(), 0700) != 0) return ErrnoStatus(errno, copy);
  return copy;
}

absl::StatusOr<LaunchPlan> PlanLaunch(const v1::LaunchLoad& load, const LoadContext& context) {
  LaunchPlan plan;
  if (load.count() > kMostLaunches || load.pause_ms() > kLongestPauseMs) {
    return absl::InvalidArgumentError(absl::StrCat("launch: count ", load.count(), ", pause_ms ",
                                                   load.pause_ms(), ", want at most ",
                                                   kMostLaunches, " and ", kLongestPauseMs));
  }
  if (load.count() > 0) plan.count = load.count();
  if (load.pause_ms() > 0) plan.pause_ms = load.pause_ms();
  plan.cold = load.cold();
  if (load.program().empty()) {
    if (plan.cold) RETURN_IF_ERROR(CheckOnDisk(context.scratch));
    ASSIGN_OR_RETURN(const std::string copy, CopyOfSelf(context));
    plan.argv = {copy, kSayOneByte};
    return plan;
  }
  plan.argv = {load.program().begin(), load.program().end()};
  const std::string path = FindProgram(plan.argv[0]);
  if (path.empty()) {
    return absl::NotFoundError(absl::StrCat("launch: program ", plan.argv[0], " is not there"));
  }
  plan.argv[0] = path;
  return plan;
}

absl::StatusOr<LatencyStats> LaunchAll(const LaunchPlan& plan, const LoadContext& context,
                                       BesideLoad& beside) {
  LatencyStats us;
  for (uint32_t n = 1; n <= plan.count; ++n) {
    if (n > 1) context.clock.Sleep(absl::Milliseconds(plan.pause_ms));
    if (plan.cold) RETURN_IF_ERROR(context.drop_caches());
    absl::StatusOr<int64_t> took = TimeToFirstByte(plan.argv);
    if (!took.ok()) return Annotate(took.status(), absl::StrCat("launch ", n, " of ", plan.count));
    us.Add(static_cast<uint64_t>(*took / 1000));
    RETURN_IF_ERROR(beside.CheckAlive());
  }
  return us;
}

void Record(const LaunchPlan& plan, const LatencyStats& us, absl::Duration took, uint32_t iteration,
            bool warmup, v1::LoadRun& run) {
  const std::string prefix = plan.prefix();
  Recorder recorder(run, iteration, warmup);
  recorder.Add(prefix + ".avg", us.Mean(), "us");
  for (const auto& [what, q] : {std::pair("p50", 0.5), {"p95", 0.95}, {"p99", 0.99}}) {
    recorder.Add(absl::StrCat(prefix, ".", what), us.Quantile(q), "us");
  }
  recorder.Add(prefix + ".max", static_cast<double>(us.max()), "us");
  recorder.Add(prefix + ".n", static_cast<double>(us.n()), "1");
  recorder.AddHistogram(prefix, us.histogram(), took);
  absl::StrAppendFormat(run.mutable_output(),
                        "%d %s launches of %s: avg %.0f, p50 %.0f, p95 %.0f, p99 %.0f, max %d us\n",
                        us.n(), plan.cold ? "cold" : "warm", plan.argv[0], us.Mean(),
                        us.Quantile(0.5), us.Quantile(0.95), us.Quantile(0.99), us.max());
}

}  // namespace

absl::StatusOr<v1::LoadRun> RunLaunchLoad(const v1::Load& load, const LoadContext& context) {
  v1::LoadRun run;
  ASSIGN_OR_RETURN(const LaunchPlan plan, PlanLaunch(load.launch(), context));
  if (!plan.cold) RETURN_IF_ERROR(TimeToFirstByte(plan.argv).status());
  ASSIGN_OR_RETURN(BesideLoad beside, BesideLoad::Start(load.launch().beside(), context, run));
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    context.progress(static_cast<double>(i - 1) / all,
                     absl::StrCat("launch, ", plan.count, plan.cold ? " cold" : " warm",
                                  ", iteration ", i, " of ", all));
    const absl::Duration start = context.clock.Elapsed();
    ASSIGN_OR_RETURN(const LatencyStats us, LaunchAll(plan, context, beside));
    Record(plan, us, context.clock.Elapsed() - start, i, IsWarmup(load, i), run);
  }
  RETURN_IF_ERROR(beside.Stop());
  return run;
}

}  // namespace shakedown::runner
