#include "agent/runner/loads/interbench.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/conditions.h"
#include "agent/runner/loads/interbench_pair.h"
#include "agent/runner/loads/interbench_plan.h"
#include "agent/runner/loads/interbench_text.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr double kCalibratedShare = 98;  // Of the CPU that Gaming wants, when it is alone.

absl::StatusOr<InterbenchMachine> ReadMachine(const Conditions& conditions) {
  InterbenchMachine machine;
  machine.online_cpus = conditions.online_cpus;
  ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/meminfo", 1 << 16));
  ASSIGN_OR_RETURN(machine.memory_kib, MeminfoKib(text, "MemTotal"));
  ASSIGN_OR_RETURN(machine.swap_kib, MeminfoKib(text, "SwapTotal"));
  return machine;
}

std::string Datestamp() {
  const time_t now = time(nullptr);
  tm local = {};
  localtime_r(&now, &local);
  char text[16];
  strftime(text, sizeof text, "%Y%m%d%H%M", &local);
  return text;
}

// One load run: what its iterations share.
class Interbench {
 public:
  Interbench(const LoadContext& context, v1::LoadRun& run) : context_(context), run_(run) {}

  absl::Status Prepare(const v1::InterbenchLoad& load) {
    const Conditions conditions = ReadConditions();
    ASSIGN_OR_RETURN(const InterbenchMachine machine, ReadMachine(conditions));
    ASSIGN_OR_RETURN(plan_, PlanInterbench(load, machine));
    for (const std::string& warning : plan_.warnings) Warn(warning);
    if (plan_.realtime && !conditions.realtime) {
      return absl::PermissionDeniedError(
          "interbench: realtime: SCHED_FIFO is refused, want the permission (CAP_SYS_NICE)");
    }
    for (const std::string& warning : ConditionWarnings("interbench", conditions)) Warn(warning);
    ASSIGN_OR_RETURN(plan_.loops_per_ms, Calibration());
    settings_.loops_per_ms = plan_.loops_per_ms;
    settings_.burn_threads = plan_.burn_threads;
    settings_.folder = context_.scratch;
    settings_.memory_mib = MemloadMib(machine.memory_kib, machine.swap_kib);
    settings_.custom = plan_.custom;
    if (plan_.profile == InterbenchProfile::k031) settings_.world.clock = CLOCK_REALTIME;
    RETURN_IF_ERROR(ChooseCpus(conditions));
    return PrepareFiles(plan_.profile == InterbenchProfile::kHead ? kHeadFileBytes
                                                                  : machine.memory_kib * 1024);
  }

  absl::Status RunIteration(uint32_t iteration, uint32_t all, Recorder recorder) {
    utsname names;
    if (uname(&names) != 0) return ErrnoStatus(errno, "uname");
    Print(FormatInterbenchHead(plan_, names.release, Datestamp(), context_.comment));
    recorder.Add("interbench.loops_per_ms", static_cast<double>(plan_.loops_per_ms), "1");
    size_t done = (iteration - 1) * plan_.Pairs();
    for (const NamedTask& task : plan_.tasks) {
      Print(FormatTaskHead(plan_, task));
      for (const NamedBackground& load : plan_.loads) {
        if (plan_.Skips(task, load)) continue;
        const std::string name = absl::StrCat(task.label, " with ", load.label);
        context_.progress(static_cast<double>(done++) / static_cast<double>(all * plan_.Pairs()),
                          absl::StrCat("interbench, ", name, ", ", plan_.seconds, " s, iteration ",
                                       iteration, " of ", all));
        absl::StatusOr<PairResult> result = MeasurePair(PairOf(task, load), settings_);
        if (!result.ok()) return Annotate(result.status(), name);
        Print(FormatRow(plan_, task, load, result->task));
        Record(task, load, *result, recorder);
      }
      Print("\n");
    }
    Print("\n");
    return absl::OkStatus();
  }

  void Finish() {
    if (unsaid_warnings_ == 0) return;
    run_.add_warnings(
        absl::StrCat("interbench: ", unsaid_warnings_, " warnings more of these kinds"));
  }

 private:
  void Print(const std::string& piece) {
    run_.mutable_output()->append(piece);
    if (context_.table) context_.table(piece);
  }

  // Each once; what is too much for a message is only counted, and said at the end.
  void Warn(const std::string& warning) {
    constexpr int kMostWarnings = 40;
    const auto& said = run_.warnings();
    if (std::find(said.begin(), said.end(), warning) != said.end()) return;
    if (said.size() < kMostWarnings) {
      run_.add_warnings(warning);
    } else {
      ++unsaid_warnings_;
    }
  }

  absl::StatusOr<uint64_t> Calibration() const {
    if (plan_.loops_per_ms > 0) return plan_.loops_per_ms;
    if (context_.loops_per_ms > 0) return context_.loops_per_ms;
    context_.progress(0, "interbench, calibrating");
    return CalibrateThisCpu();
  }

  // All but the timekeepers on one CPU, when that is asked for.
  absl::Status ChooseCpus(const Conditions& conditions) {
    if (!plan_.single_cpu) return absl::OkStatus();
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return ErrnoStatus(errno, "affinity");
    settings_.world.timekeeper_cpus = all;
    cpus_ = JustCpu(FirstCpu(conditions));
    return absl::OkStatus();
  }

  Pair PairOf(const NamedTask& task, const NamedBackground& load) const {
    Pair pair;
    pair.task = task.task;
    pair.load = load.load;
    pair.duration = absl::Seconds(plan_.seconds);
    pair.bench_nice = plan_.bench_nice;
    pair.load_nice = plan_.load_nice;
    pair.realtime = plan_.realtime;
    pair.cpus = cpus_;
    return pair;
  }

  absl::Status PrepareFiles(uint64_t wanted) {
    const uint64_t files = (plan_.Writes() ? 1 : 0) + (plan_.Reads() ? 1 : 0);
    if (files == 0) return absl::OkStatus();
    struct statvfs disk;
    if (statvfs(context_.scratch.c_str(), &disk) != 0) return ErrnoStatus(errno, context_.scratch);
    const uint64_t free_bytes = uint64_t{disk.f_bavail} * disk.f_frsize;
    const uint64_t bytes = LoadFileBytes(wanted, free_bytes, plan_.most_file_bytes, files);
    constexpr uint64_t kFewest = 1 << 20;
    if (bytes < kFewest) {
      return absl::ResourceExhaustedError(
          absl::StrCat("interbench: ", context_.scratch, ": ", free_bytes, " bytes are free and ",
                       plan_.most_file_bytes, " (0: half of them) allowed, want at least ", kFewest,
                       " for each of ", files, " files"));
    }
    if (bytes < wanted) {
      Warn(absl::StrCat("interbench: the files of Read, Write and Compile have ", bytes,
                        " bytes instead of ", wanted, " (", free_bytes,
                        " are free): they are more likely to be cached"));
    }
    settings_.write_bytes = bytes;
    if (!plan_.Reads()) return absl::OkStatus();
    context_.progress(0, "interbench, creating file for read load");
    return MakeReadFile(context_.scratch, bytes);
  }

  void Record(const NamedTask& task, const NamedBackground& load, const PairResult& result,
              Recorder& recorder) {
    const std::string prefix = plan_.MetricPrefix(task, load);
    const auto add = [&](absl::string_view what, double value, absl::string_view unit) {
      recorder.Add(absl::StrCat(prefix, ".", what), value, unit);
    };
    const LatencyStats& latency = result.task.latency;
    const absl::string_view unit = plan_.realtime ? "us" : "ms";
    const auto add_time = [&](absl::string_view what, double us) {
      add(absl::StrCat("latency.", what), plan_.realtime ? us : us / 1000, unit);
    };
    add_time("avg", static_cast<double>(latency.FlooredAverage()));
    if (latency.n() > 1) {
      add_time("rms", latency.InterbenchSd());
      add_time("sd", latency.StandardDeviation());
    } else {
      Warn(
          absl::StrCat(prefix, ".latency: a single cycle in ", plan_.seconds, " s: no rms and sd"));
    }
    add_time("max", static_cast<double>(latency.max()));
    for (const auto& [name, q] :
         {std::pair("p50", 0.5), {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}}) {
      add_time(name, latency.Quantile(q));
    }
    RecordCounts(task, result.task, add);
    recorder.AddHistogram(absl::StrCat(prefix, ".latency"), latency.histogram(),
                          absl::Seconds(plan_.seconds));
    Judge(task, load, result);
  }

  template <typename Add>
  static void RecordCounts(const NamedTask& task, const TaskResult& result, const Add& add) {
    const TaskCounters& counters = result.counters;
    add("desired_cpu", DesiredCpu(counters), "%");
    if (task.has_deadlines) {
      add("deadlines_met", DeadlinesMet(counters), "%");
      add("met", static_cast<double>(counters.deadlines_met), "1");
      add("missed", static_cast<double>(counters.deadlines_missed), "1");
      add("achieved", static_cast<double>(counters.achieved_burns), "1");
    }
    add("n", static_cast<double>(result.latency.n()), "1");
  }

  void Judge(const NamedTask& task, const NamedBackground& load, const PairResult& result) {
    const double desired = DesiredCpu(result.task.counters);
    if (task.task == Task::kGaming && load.load == Background::kNone &&
        desired < kCalibratedShare) {
      Warn(absl::StrFormat(
          "interbench: Gaming alone got %.1f %% of the CPU it wanted, want at least %.0f: the "
          "calibration does not hold or the machine is disturbed",
          desired, kCalibratedShare));
    }
    if (result.load_killed) {
      Warn(absl::StrCat("interbench: ", load.label, " had not ended a minute after ", task.label,
                        " was done and was killed: its numbers are whole"));
    }
  }

  const LoadContext& context_;
  v1::LoadRun& run_;
  InterbenchPlan plan_;
  BackgroundSettings settings_;
  std::optional<cpu_set_t> cpus_;
  int unsaid_warnings_ = 0;
};

}  // namespace

absl::StatusOr<v1::LoadRun> RunInterbenchLoad(const v1::Load& load, const LoadContext& context) {
  v1::LoadRun run;
  Interbench interbench(context, run);
  RETURN_IF_ERROR(interbench.Prepare(load.interbench()));
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    RETURN_IF_ERROR(interbench.RunIteration(i, all, Recorder(run, i, IsWarmup(load, i))));
  }
  interbench.Finish();
  return run;
}

}  // namespace shakedown::runner
