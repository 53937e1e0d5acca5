#include "agent/runner/loads/interbench_plan.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr NamedTask kTasks[] = {{"Audio", Task::kAudio, true},
                                {"Video", Task::kVideo, true},
                                {"X", Task::kX, true},
                                {"Gaming", Task::kGaming, false},
                                {"Custom", Task::kCustom, true}};
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
    {"Custom", Background::kCustom},
};

constexpr uint32_t kLongestSeconds = 2140;  // The original's sleep overflowed from 2148 on.
constexpr uint32_t kStepSeconds = 10;       // The X task needs 10 s for one ramp.
constexpr uint64_t kFewestLoops = 1000, kMostLoops = 1000000000;
constexpr uint32_t kMostThreads = 1024;
constexpr uint32_t kBurnThreads031 = 4;
constexpr uint64_t kMostFileMib = 1 << 20;
// A cycle must be long enough to be one.
constexpr uint32_t kShortestIntervalUs = 100, kLongestIntervalUs = 10000000;

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

absl::Status CheckRange(absl::string_view what, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("interbench: ", what, " ", value, ", want ", least, " to ", most));
}

absl::StatusOr<InterbenchProfile> ProfileOf(const std::string& name) {
  if (name.empty() || name == "HEAD") return InterbenchProfile::kHead;
  if (name == "0.31") return InterbenchProfile::k031;
  return absl::InvalidArgumentError(
      absl::StrCat("interbench: profile ", Quoted(name), ", want HEAD or 0.31"));
}

bool Describes(const v1::InterbenchLoad& load) {
  return load.custom_percent() != 0 || load.custom_interval_us() != 0;
}

v1::InterbenchLoad WithDefaults(v1::InterbenchLoad load, InterbenchProfile profile,
                                const InterbenchMachine& machine) {
  const bool head = profile == InterbenchProfile::kHead;
  if (load.benchmarks().empty()) {
    load.add_benchmarks("Video");
    load.add_benchmarks(load.realtime() ? "Audio" : "X");
    if (Describes(load)) load.add_benchmarks("Custom");
  }
  if (load.loads().empty()) {
    for (const NamedBackground& named : kLoads) {
      if (named.load == Background::kMemload && machine.swap_kib == 0) continue;
      if (named.load == Background::kRing && !head) continue;
      if (named.load == Background::kCustom && !Describes(load)) continue;
      load.add_loads(named.label);
    }
  }
  if (load.seconds() == 0) load.set_seconds(30);
  if (load.burn_threads() == 0) {
    load.set_burn_threads(head ? std::max(1u, machine.online_cpus) : kBurnThreads031);
  }
  return load;
}

absl::Status CheckNumbers(const v1::InterbenchLoad& load) {
  RETURN_IF_ERROR(CheckRange("seconds", load.seconds(), 1, kLongestSeconds));
  RETURN_IF_ERROR(CheckRange("burn_threads", load.burn_threads(), 1, kMostThreads));
  RETURN_IF_ERROR(CheckRange("bench_nice", load.bench_nice(), -20, 19));
  RETURN_IF_ERROR(CheckRange("load_nice", load.load_nice(), -20, 19));
  if (load.max_file_mib() > kMostFileMib) {
    return CheckRange("max_file_mib", kMostFileMib + 1, 0, kMostFileMib);
  }
  if (load.loops_per_ms() > 0) {
    const uint64_t loops = std::min(load.loops_per_ms(), kMostLoops + 1);
    RETURN_IF_ERROR(
        CheckRange("loops_per_ms", static_cast<int64_t>(loops), kFewestLoops, kMostLoops));
  }
  if (!Describes(load)) return absl::OkStatus();
  RETURN_IF_ERROR(CheckRange("custom_percent", load.custom_percent(), 1, 100));
  return CheckRange("custom_interval_us", load.custom_interval_us(), kShortestIntervalUs,
                    kLongestIntervalUs);
}

bool HasTask(const InterbenchPlan& plan, Task task) {
  return std::any_of(plan.tasks.begin(), plan.tasks.end(),
                     [&](const NamedTask& named) { return named.task == task; });
}
bool HasLoad(const InterbenchPlan& plan, Background load) {
  return std::any_of(plan.loads.begin(), plan.loads.end(),
                     [&](const NamedBackground& named) { return named.load == load; });
}

// What the names mean together.
absl::Status CheckChoice(const InterbenchPlan& plan, bool described,
                         const InterbenchMachine& machine) {
  if (plan.realtime && (HasTask(plan, Task::kX) || HasTask(plan, Task::kGaming))) {
    return absl::InvalidArgumentError(
        "interbench: benchmarks X and Gaming are never measured in real time, want Audio, Video or "
        "Custom");
  }
  if (!described && (HasTask(plan, Task::kCustom) || HasLoad(plan, Background::kCustom))) {
    return absl::InvalidArgumentError(
        "interbench: Custom without custom_percent and custom_interval_us, want both");
  }
  if (plan.profile == InterbenchProfile::k031 && HasLoad(plan, Background::kRing)) {
    return absl::InvalidArgumentError("interbench: load Ring: profile 0.31 has none");
  }
  if (HasLoad(plan, Background::kMemload) && machine.swap_kib == 0) {
    return absl::InvalidArgumentError(
        "interbench: load Memload: SwapTotal is 0 kB, want some swap: it fills 110 % of the "
        "memory");
  }
  if (plan.Pairs() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("interbench: benchmark ", plan.tasks[0].label, " with load ",
                     plan.loads[0].label, " alone: nothing to measure, want another load"));
  }
  return absl::OkStatus();
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

bool InterbenchPlan::Writes() const {
  return HasLoad(*this, Background::kWrite) || HasLoad(*this, Background::kCompile);
}
bool InterbenchPlan::Reads() const {
  return HasLoad(*this, Background::kRead) || HasLoad(*this, Background::kCompile);
}

std::string InterbenchPlan::MetricPrefix(const NamedTask& task, const NamedBackground& load) const {
  return absl::AsciiStrToLower(
      absl::StrCat("interbench.", realtime ? "rt." : "", task.label, ".", load.label));
}

absl::StatusOr<InterbenchPlan> PlanInterbench(const v1::InterbenchLoad& asked,
                                              const InterbenchMachine& machine) {
  InterbenchPlan plan;
  ASSIGN_OR_RETURN(plan.profile, ProfileOf(asked.profile()));
  const v1::InterbenchLoad load = WithDefaults(asked, plan.profile, machine);
  RETURN_IF_ERROR(CheckNumbers(load));
  ASSIGN_OR_RETURN(plan.tasks, Choose(kTasks, load.benchmarks(), "benchmark"));
  ASSIGN_OR_RETURN(plan.loads, Choose(kLoads, load.loads(), "load"));
  plan.seconds = (load.seconds() + kStepSeconds - 1) / kStepSeconds * kStepSeconds;
  plan.loops_per_ms = load.loops_per_ms();
  plan.burn_threads = load.burn_threads();
  plan.bench_nice = load.bench_nice();
  plan.load_nice = load.load_nice();
  plan.realtime = load.realtime();
  plan.custom = {load.custom_percent(), load.custom_interval_us()};
  plan.most_file_bytes = load.max_file_mib() << 20;
  plan.single_cpu = load.single_cpu() && plan.profile == InterbenchProfile::kHead;
  RETURN_IF_ERROR(CheckChoice(plan, Describes(load), machine));
  if (asked.loads().empty() && machine.swap_kib == 0) {
    plan.warnings.push_back("interbench: no swap (SwapTotal is 0 kB): Memload is left out");
  }
  if (load.single_cpu() && !plan.single_cpu) {
    plan.warnings.push_back(
        "interbench: single_cpu has no effect in profile 0.31, as in the original: all CPUs are "
        "used");
  }
  return plan;
}

}  // namespace shakedown::runner
