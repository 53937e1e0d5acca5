#include "agent/runner/loads/parallel_command.h"

#include <time.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

}  // namespace

CommandTimes ParallelTimes::Whole() const {
  CommandTimes whole;
  whole.real_s = copies.size() == 1 ? copies[0].real_s : real_s;
  for (const CommandTimes& copy : copies) {
    whole.exit_code = std::max(whole.exit_code, copy.exit_code);
    whole.user_s += copy.user_s;
    whole.system_s += copy.system_s;
    whole.major_faults += copy.major_faults;
    whole.voluntary_switches += copy.voluntary_switches;
    whole.involuntary_switches += copy.involuntary_switches;
  }
  return whole;
}

absl::StatusOr<ParallelTimes> TimeParallel(const TimedCommand& command, uint32_t copies,
                                           bool any_status) {
  std::vector<absl::StatusOr<CommandTimes>> results(copies, absl::UnknownError("did not run"));
  ParallelTimes times;
  const double start = Now();
  if (copies == 1) {
    results[0] = TimeCommand(command);
  } else {
    std::vector<std::thread> threads;
    for (absl::StatusOr<CommandTimes>& result : results) {
      threads.emplace_back([&] { result = TimeCommand(command); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  times.real_s = Now() - start;
  for (uint32_t i = 0; i < copies; ++i) {
    absl::Status status = results[i].status();
    if (status.ok() && !any_status) status = CommandStatus(command, *results[i]);
    if (!status.ok() && copies > 1) {
      status = Annotate(status, absl::StrCat("copy ", i + 1, " of ", copies));
    }
    RETURN_IF_ERROR(status);
    times.copies.push_back(*std::move(results[i]));
  }
  return times;
}

}  // namespace shakedown::runner
