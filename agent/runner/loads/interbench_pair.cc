#include "agent/runner/loads/interbench_pair.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/pair_process.h"
#include "agent/runner/loads/realtime.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

absl::Status Prepare(int nice, const std::optional<cpu_set_t>& cpus, absl::string_view name) {
  if (nice != 0 && setpriority(PRIO_PROCESS, 0, nice) != 0) {
    return ErrnoStatus(errno, absl::StrCat("nice ", nice, " of the ", name));
  }
  if (cpus && sched_setaffinity(0, sizeof *cpus, &*cpus) != 0) {
    return ErrnoStatus(errno, absl::StrCat("CPU of the ", name));
  }
  return absl::OkStatus();
}

std::string PackTask(const TaskResult& result) {
  std::string bytes(reinterpret_cast<const char*>(&result.counters), sizeof result.counters);
  absl::StrAppend(&bytes, result.latency.Pack());
  return bytes;
}

absl::StatusOr<TaskResult> UnpackTask(absl::string_view bytes) {
  TaskResult result;
  if (bytes.size() < sizeof result.counters) return absl::DataLossError("counters: not whole");
  std::memcpy(&result.counters, bytes.data(), sizeof result.counters);
  bytes.remove_prefix(sizeof result.counters);
  ASSIGN_OR_RETURN(result.latency, LatencyStats::Unpack(bytes));
  return result;
}

PairBody LoadBody(const Pair& pair, const BackgroundSettings& settings) {
  return {[&] { return Prepare(pair.load_nice, pair.cpus, "load"); },
          [&](const StopSignal& stop) -> absl::StatusOr<std::string> {
            RETURN_IF_ERROR(RunBackground(pair.load, settings, stop));
            return std::string();
          }};
}

PairBody TaskBody(const Pair& pair, const BackgroundSettings& settings) {
  return {[&]() -> absl::Status {
            if (pair.realtime && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
              return ErrnoStatus(errno, "lock the benchmark's memory");
            }
            return Prepare(pair.bench_nice, pair.cpus, "benchmark");
          },
          [&](const StopSignal& stop) -> absl::StatusOr<std::string> {
            if (pair.realtime && !SetFifo(kTaskFifo)) {
              return ErrnoStatus(errno,
                                 absl::StrCat("SCHED_FIFO ", kTaskFifo, " of the benchmark"));
            }
            MachineWorld world(settings.loops_per_ms, settings.world);
            TaskResult result;
            RunTask(
                pair.task, world, [&] { return stop.Asked(); }, result, settings.custom);
            return PackTask(result);
          }};
}

// Sleeps unless one of the two fails meanwhile.
absl::Status Rest(absl::Duration duration, PairProcess& load, PairProcess& bench) {
  pollfd failed[2] = {{load.fd(), POLLIN, 0}, {bench.fd(), POLLIN, 0}};
  timespec left = absl::ToTimespec(duration);
  timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (ppoll(failed, 2, &left, nullptr) < 0) {
    if (errno != EINTR) return ErrnoStatus(errno, "wait for the pair's end");
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const absl::Duration spent =
        absl::DurationFromTimespec(now) - absl::DurationFromTimespec(start);
    left = absl::ToTimespec(std::max(absl::ZeroDuration(), duration - spent));
  }
  if (failed[0].revents != 0) return load.Failure();
  return failed[1].revents != 0 ? bench.Failure() : absl::OkStatus();
}

// The main process from "both are ready" to "stop is sent".
class Conductor {
 public:
  explicit Conductor(const std::optional<cpu_set_t>& cpus)
      : realtime_(SetFifo(kHighestFifo)), locked_(mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
    pinned_ = cpus && sched_getaffinity(0, sizeof before_, &before_) == 0 &&
              sched_setaffinity(0, sizeof *cpus, &*cpus) == 0;
  }
  ~Conductor() {
    if (pinned_) sched_setaffinity(0, sizeof before_, &before_);
    if (realtime_) SetOrdinary();
    if (locked_) munlockall();
  }
  Conductor(const Conductor&) = delete;

 private:
  const bool realtime_;
  const bool locked_;
  bool pinned_ = false;
  cpu_set_t before_;
};

absl::Status Conduct(const Pair& pair, PairProcess& load, PairProcess& bench) {
  const Conductor conductor(pair.cpus);
  RETURN_IF_ERROR(load.Begin());
  RETURN_IF_ERROR(Rest(pair.settle, load, bench));
  RETURN_IF_ERROR(bench.Begin());
  RETURN_IF_ERROR(Rest(pair.duration, load, bench));
  RETURN_IF_ERROR(bench.AskStop());
  return load.AskStop();
}

}  // namespace

absl::StatusOr<PairResult> MeasurePair(const Pair& pair, const BackgroundSettings& settings) {
  PairProcess load("load"), bench("benchmark");
  RETURN_IF_ERROR(load.Start(LoadBody(pair, settings)));
  RETURN_IF_ERROR(bench.Start(TaskBody(pair, settings)));
  RETURN_IF_ERROR(Conduct(pair, load, bench));
  PairResult result;
  const absl::Status ended = load.Finish(pair.end_limit).status();
  result.load_killed = absl::IsDeadlineExceeded(ended);
  if (!result.load_killed) RETURN_IF_ERROR(ended);
  ASSIGN_OR_RETURN(const std::string bytes, bench.Finish(pair.end_limit));
  for (int i = 0; i < 3; ++i) sync();
  ASSIGN_OR_RETURN(result.task, UnpackTask(bytes));
  return result;
}

}  // namespace shakedown::runner
