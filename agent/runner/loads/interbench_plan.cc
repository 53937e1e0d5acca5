#include "agent/runner/loads/interbench_plan.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr NamedTask kTasks[] = {{"Audio", Task::kAudio, true},
                                {"Video", Task::kVideo, true},
                                {"X", Task::kX, true},
                                {"Gaming", Task::kGaming, false}};
constexpr NamedBackground kLoads[] = {
    {"None", Background::kNone},
    {"Video", Background::kVideo},
    {"X", Background::kX},
    {"Burn", Background::kBurn},
    {"Write", Background::kWrite},
    {"Read", Background::kRead},
    {"Ring", Background::kRing},
    {"Compile", Background::kCompile},
    {"Memload", Background::kMemload},
};

constexpr uint32_t kLongestSeconds = 2140;  // The original's sleep overflowed from 2148 on.
constexpr uint32_t kStepSeconds = 10;       // The X task needs 10 s for one ramp.
constexpr uint64_t kFewestLoops = 1000, kMostLoops = 1000000000;
constexpr uint32_t kMostThreads = 1024;

// The entries of `table` that `names` asks for, in the table's order.
template <typename Named, size_t n>
absl::StatusOr<std::vector<Named>> Choose(
    const Named (&table)[n], const google::protobuf::RepeatedPtrField<std::string>& names,
    absl::string_view what) {
  const auto is = [](const std::string& name) {
    return [&name](const Named& named) { return absl::EqualsIgnoreCase(named.label, name); };
  };
  std::string known;
  for (const Named& named : table) absl::StrAppend(&known, known.empty() ? "" : ", ", named.label);
  for (const std::string& name : names) {
    if (std::none_of(std::begin(table), std::end(table), is(name))) {
      return absl::InvalidArgumentError(
          absl::StrCat("interbench: ", what, " ", Quoted(name), ", want one of ", known));
    }
  }
  std::vector<Named> chosen;
  for (const Named& named : table) {
    const auto wants = [&](const std::string& name) { return is(name)(named); };
    if (std::any_of(names.begin(), names.end(), wants)) chosen.push_back(named);
  }
  return chosen;
}

absl::Status CheckRange(absl::string_view what, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("interbench: ", what, " ", value, ", want ", least, " to ", most));
}

v1::InterbenchLoad WithDefaults(v1::InterbenchLoad load, uint32_t online_cpus, uint64_t swap_kib) {
  if (load.benchmarks().empty()) {
    load.add_benchmarks("Video");
    load.add_benchmarks("X");
  }
  if (load.loads().empty()) {
    for (const NamedBackground& named : kLoads) {
      const bool can = named.load != Background::kMemload || swap_kib > 0;
      if (can && named.load != Background::kRing) load.add_loads(named.label);
    }
  }
  if (load.seconds() == 0) load.set_seconds(30);
  if (load.burn_threads() == 0) load.set_burn_threads(std::max(1u, online_cpus));
  return load;
}

}  // namespace

bool InterbenchPlan::Skips(const NamedTask& task, const NamedBackground& load) const {
  return absl::string_view(task.label) == load.label;
}

size_t InterbenchPlan::Pairs() const {
  size_t pairs = 0;
  for (const NamedTask& task : tasks) {
    for (const NamedBackground& load : loads) pairs += Skips(task, load) ? 0 : 1;
  }
  return pairs;
}

absl::StatusOr<InterbenchPlan> PlanInterbench(const v1::InterbenchLoad& asked, uint32_t online_cpus,
                                              uint64_t swap_kib) {
  const v1::InterbenchLoad load = WithDefaults(asked, online_cpus, swap_kib);
  InterbenchPlan plan;
  ASSIGN_OR_RETURN(plan.tasks, Choose(kTasks, load.benchmarks(), "benchmark"));
  ASSIGN_OR_RETURN(plan.loads, Choose(kLoads, load.loads(), "load"));
  RETURN_IF_ERROR(CheckRange("seconds", load.seconds(), 1, kLongestSeconds));
  RETURN_IF_ERROR(CheckRange("burn_threads", load.burn_threads(), 1, kMostThreads));
  if (load.loops_per_ms() > 0) {
    RETURN_IF_ERROR(CheckRange("loops_per_ms", load.loops_per_ms(), kFewestLoops, kMostLoops));
  }
  plan.seconds = (load.seconds() + kStepSeconds - 1) / kStepSeconds * kStepSeconds;
  plan.loops_per_ms = load.loops_per_ms();
  plan.burn_threads = load.burn_threads();
  const bool memload = std::any_of(plan.loads.begin(), plan.loads.end(), [](const auto& named) {
    return named.load == Background::kMemload;
  });
  if (memload && swap_kib == 0) {
    return absl::InvalidArgumentError(
        "interbench: load Memload: SwapTotal is 0 kB, want some swap: it fills 110 % of the "
        "memory");
  }
  if (plan.Pairs() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("interbench: benchmark ", plan.tasks[0].label, " with load ",
                     plan.loads[0].label, " alone: nothing to measure, want another load"));
  }
  return plan;
}

std::string FormatInterbenchHead(const InterbenchPlan& plan, absl::string_view release,
                                 absl::string_view datestamp) {
  return absl::StrCat("Load set to ", plan.burn_threads, " processors\n\nUsing ", plan.loops_per_ms,
                      " loops per ms, running every load for ", plan.seconds,
                      " seconds\nBenchmarking kernel ", release, " at datestamp ", datestamp,
                      "\n\n");
}

std::string FormatTaskHead(const NamedTask& task) {
  return absl::StrCat("--- Benchmarking simulated cpu of ", task.label,
                      " in the presence of simulated ---\n",
                      "Load\tLatency +/- SD (ms)  Max Latency   % Desired CPU",
                      task.has_deadlines ? "  % Deadlines Met\n" : "\n");
}

std::string FormatRow(const NamedTask& task, const NamedBackground& load,
                      const TaskResult& result) {
  const LatencyStats& latency = result.latency;
  std::string row = absl::StrFormat(
      "%s\t%6.1f +/- %-8.1f%6.1f\t\t%4.3g", load.label,
      static_cast<double>(latency.FlooredAverage()) / 1000, latency.InterbenchSd() / 1000,
      static_cast<double>(latency.max()) / 1000, DesiredCpu(result.counters));
  if (task.has_deadlines) absl::StrAppendFormat(&row, "\t%11.3g", DeadlinesMet(result.counters));
  return row + "\n";
}

}  // namespace shakedown::runner
