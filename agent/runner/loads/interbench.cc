#include "agent/runner/loads/interbench.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/interbench_pair.h"
#include "agent/runner/loads/interbench_plan.h"
#include "agent/runner/loads/realtime.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr double kCalibratedShare = 98;  // Of the CPU that Gaming wants, when it is alone.

struct Memory {
  uint64_t total_kib = 0, swap_kib = 0;
};

absl::StatusOr<Memory> ReadMemory() {
  Memory memory;
  ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/meminfo", 1 << 16));
  ASSIGN_OR_RETURN(memory.total_kib, MeminfoKib(text, "MemTotal"));
  ASSIGN_OR_RETURN(memory.swap_kib, MeminfoKib(text, "SwapTotal"));
  return memory;
}

bool MayBeRealtime() {
  if (!SetFifo(kHighestFifo)) return false;
  const bool is = (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
  SetOrdinary();
  return is;
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
    ASSIGN_OR_RETURN(const Memory memory, ReadMemory());
    const auto cpus = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    ASSIGN_OR_RETURN(plan_, PlanInterbench(load, cpus, memory.swap_kib));
    if (load.loads().empty() && memory.swap_kib == 0) {
      run_.add_warnings("interbench: Memload is left out: SwapTotal is 0 kB");
    }
    if (!MayBeRealtime()) {
      run_.add_warnings(
          "interbench: no RT permission: the timekeepers run as ordinary tasks, so that their own "
          "lateness counts as latency");
    }
    if (plan_.loops_per_ms == 0) {
      context_.progress(0, "interbench, calibrating");
      ASSIGN_OR_RETURN(plan_.loops_per_ms, CalibrateThisCpu());
    }
    settings_.loops_per_ms = plan_.loops_per_ms;
    settings_.burn_threads = plan_.burn_threads;
    settings_.folder = context_.scratch;
    settings_.memory_mib = MemloadMib(memory.total_kib, memory.swap_kib);
    return PrepareFiles();
  }

  absl::Status RunIteration(uint32_t iteration, uint32_t all, Recorder recorder) {
    utsname names;
    if (uname(&names) != 0) return ErrnoStatus(errno, "uname");
    std::string& output = *run_.mutable_output();
    absl::StrAppend(&output, FormatInterbenchHead(plan_, names.release, Datestamp()));
    recorder.Add("interbench.loops_per_ms", static_cast<double>(plan_.loops_per_ms), "1");
    size_t done = (iteration - 1) * plan_.Pairs();
    for (const NamedTask& task : plan_.tasks) {
      absl::StrAppend(&output, FormatTaskHead(task));
      for (const NamedBackground& load : plan_.loads) {
        if (plan_.Skips(task, load)) continue;
        const std::string name = absl::StrCat(task.label, " with ", load.label);
        context_.progress(static_cast<double>(done++) / static_cast<double>(all * plan_.Pairs()),
                          absl::StrCat("interbench, ", name, ", ", plan_.seconds, " s, iteration ",
                                       iteration, " of ", all));
        absl::StatusOr<std::unique_ptr<TaskResult>> result = MeasurePair(
            {task.task, load.load, absl::Seconds(1), absl::Seconds(plan_.seconds)}, settings_);
        if (!result.ok()) return Annotate(result.status(), name);
        absl::StrAppend(&output, FormatRow(task, load, **result));
        Record(task, load, **result, recorder);
      }
      output += "\n";
    }
    output += "\n";
    return absl::OkStatus();
  }

 private:
  bool Has(Background load) const {
    return std::any_of(plan_.loads.begin(), plan_.loads.end(), [&](const NamedBackground& named) {
      return named.load == load || named.load == Background::kCompile;
    });
  }

  absl::Status PrepareFiles() {
    if (!Has(Background::kRead) && !Has(Background::kWrite)) return absl::OkStatus();
    struct statvfs disk;
    if (statvfs(context_.scratch.c_str(), &disk) != 0) return ErrnoStatus(errno, context_.scratch);
    const uint64_t free_bytes = uint64_t{disk.f_bavail} * disk.f_frsize;
    const uint64_t bytes = LoadFileBytes(free_bytes);
    constexpr uint64_t kFewest = 1 << 20;
    if (bytes < kFewest) {
      return absl::ResourceExhaustedError(absl::StrCat(
          context_.scratch, ": ", free_bytes, " bytes are free, want at least ", kFewest * 5 / 2));
    }
    if (bytes < kWantedFileBytes) {
      run_.add_warnings(absl::StrCat("interbench: the files of Read, Write and Compile have ",
                                     bytes, " bytes instead of ", kWantedFileBytes, ": ",
                                     free_bytes, " are free"));
    }
    settings_.write_bytes = bytes;
    if (!Has(Background::kRead)) return absl::OkStatus();
    context_.progress(0, "interbench, creating file for read load");
    return MakeReadFile(context_.scratch, bytes);
  }

  void Record(const NamedTask& task, const NamedBackground& load, const TaskResult& result,
              Recorder& recorder) {
    const std::string prefix =
        absl::AsciiStrToLower(absl::StrCat("interbench.", task.label, ".", load.label, "."));
    const auto add = [&](absl::string_view what, double value, absl::string_view unit) {
      recorder.Add(absl::StrCat(prefix, what), value, unit);
    };
    const LatencyStats& latency = result.latency;
    add("latency.avg", static_cast<double>(latency.FlooredAverage()) / 1000, "ms");
    if (latency.n() > 1) {
      add("latency.rms", latency.InterbenchSd() / 1000, "ms");
      add("latency.sd", latency.StandardDeviation() / 1000, "ms");
    } else {
      run_.add_warnings(
          absl::StrCat(prefix, "latency: a single cycle in ", plan_.seconds, " s: no rms and sd"));
    }
    add("latency.max", static_cast<double>(latency.max()) / 1000, "ms");
    for (const auto& [name, q] :
         {std::pair("p50", 0.5), {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}}) {
      add(absl::StrCat("latency.", name), latency.Quantile(q) / 1000, "ms");
    }
    const TaskCounters& counters = result.counters;
    add("desired_cpu", DesiredCpu(counters), "%");
    if (task.has_deadlines) {
      add("deadlines_met", DeadlinesMet(counters), "%");
      add("met", static_cast<double>(counters.deadlines_met), "1");
      add("missed", static_cast<double>(counters.deadlines_missed), "1");
      add("achieved", static_cast<double>(counters.achieved_burns), "1");
    }
    add("n", static_cast<double>(latency.n()), "1");
    const double desired = DesiredCpu(counters);
    if (task.task == Task::kGaming && load.load == Background::kNone &&
        desired < kCalibratedShare) {
      run_.add_warnings(absl::StrFormat(
          "interbench: Gaming alone got %.1f %% of the CPU it wanted, want at least %.0f: the "
          "calibration does not hold or the machine is disturbed",
          desired, kCalibratedShare));
    }
  }

  const LoadContext& context_;
  v1::LoadRun& run_;
  InterbenchPlan plan_;
  BackgroundSettings settings_;
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
  return run;
}

}  // namespace shakedown::runner
