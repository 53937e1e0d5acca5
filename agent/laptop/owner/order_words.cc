#include "agent/laptop/owner/order_words.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/load_kind.h"

namespace shakedown::laptop {
namespace {

constexpr absl::string_view kHarmlessLoads[] = {"make", "latt", "interbench", "launch", "frames"};
constexpr absl::string_view kOtherLoads[] = {"command", "tool", "tree"};
constexpr absl::string_view kHarmlessSetup[] = {"drop_caches", "governor", "turbo",
                                                "autogroup",   "settle",   "require_ac"};
constexpr absl::string_view kOtherSetup[] = {"stop_service", "tunable"};

// Documentation/admin-guide/kernel-parameters.txt: scheduling, timers, idle, frequency, memory; and
// those of BFS, MuQSS, PDS and BORE trees.
constexpr absl::string_view kHarmlessParameters[] = {"sched_",
                                                     "sched.",
                                                     "preempt",
                                                     "nohz",
                                                     "nohz_full",
                                                     "highres",
                                                     "skew_tick",
                                                     "clocksource",
                                                     "tsc",
                                                     "hpet",
                                                     "rcu_",
                                                     "rcu_nocbs",
                                                     "rcupdate.",
                                                     "rcutree.",
                                                     "threadirqs",
                                                     "isolcpus",
                                                     "irqaffinity",
                                                     "irqtime",
                                                     "idle",
                                                     "cpuidle.",
                                                     "intel_idle.",
                                                     "processor.",
                                                     "cpufreq.",
                                                     "intel_pstate",
                                                     "intel_pstate.",
                                                     "amd_pstate",
                                                     "amd_pstate.",
                                                     "mitigations",
                                                     "nosmt",
                                                     "smt",
                                                     "maxcpus",
                                                     "nr_cpus",
                                                     "noautogroup",
                                                     "autogroup",
                                                     "psi",
                                                     "numa_balancing",
                                                     "workqueue.",
                                                     "relax_domain_level",
                                                     "transparent_hugepage",
                                                     "quiet",
                                                     "loglevel",
                                                     "cgroup_disable",
                                                     "rqshare",
                                                     "yield_type",
                                                     "interactive",
                                                     "rr_interval",
                                                     "iso_cpu",
                                                     "delayacct",
                                                     "schedstats"};

constexpr absl::string_view kHarmlessTunables[] = {"kernel.sched_",
                                                   "sched/",
                                                   "vm.",
                                                   "kernel.numa_balancing",
                                                   "kernel.rr_interval",
                                                   "kernel.iso_cpu",
                                                   "kernel.yield_type",
                                                   "kernel.interactive",
                                                   "rr_interval",
                                                   "iso_cpu",
                                                   "yield_type",
                                                   "interactive",
                                                   "sched_"};

template <typename List>
bool Has(const List& list, absl::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

template <typename List>
bool AnyCovers(const List& list, absl::string_view name) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](absl::string_view rule) { return Covers(rule, name); });
}

bool NamesProgram(const v1::Beside& beside) { return beside.has_command(); }
bool NamesProgram(const v1::LattLoad& latt) { return !latt.command().empty(); }

bool NamesProgram(const v1::Load& load) {
  return NamesProgram(load.latt()) || !load.launch().program().empty() ||
         NamesProgram(load.launch().beside()) || NamesProgram(load.frames().beside());
}

std::string SetupWord(const v1::SetupStep& step) {
  switch (step.kind_case()) {
    case v1::SetupStep::kStopService:
      return "stop_service";
    case v1::SetupStep::kDropCaches:
      return "drop_caches";
    case v1::SetupStep::kGovernor:
      return "governor";
    case v1::SetupStep::kTurbo:
      return "turbo";
    case v1::SetupStep::kAutogroup:
      return "autogroup";
    case v1::SetupStep::kTunable:
      return "tunable";
    case v1::SetupStep::kSettle:
      return "settle";
    case v1::SetupStep::kRequireAc:
      return "require_ac";
    case v1::SetupStep::KIND_NOT_SET:
      break;
  }
  return "none";
}

}  // namespace

bool IsLoadWord(absl::string_view word) { return LoadIsHarmless(word) || Has(kOtherLoads, word); }
bool IsSetupWord(absl::string_view word) { return SetupIsHarmless(word) || Has(kOtherSetup, word); }
std::string LoadWords() { return absl::StrCat(kLoadKinds, ", or tree"); }
std::string SetupWords() {
  return absl::StrCat(absl::StrJoin(kHarmlessSetup, ", "), ", ",
                      absl::StrJoin(kOtherSetup, " or "));
}

bool LoadIsHarmless(absl::string_view word) { return Has(kHarmlessLoads, word); }
bool SetupIsHarmless(absl::string_view word) { return Has(kHarmlessSetup, word); }
bool BootParameterIsHarmless(absl::string_view name) {
  return AnyCovers(kHarmlessParameters, name);
}
bool TunableIsHarmless(absl::string_view name) { return AnyCovers(kHarmlessTunables, name); }

bool Covers(absl::string_view rule, absl::string_view name) {
  if (rule.empty()) return false;
  if (rule == name) return true;
  const char last = rule.back();
  return (last == '.' || last == '_' || last == '/') && absl::StartsWith(name, rule);
}

std::vector<std::string> LoadsOf(const v1::BootOrder& order) {
  std::set<std::string> words;
  for (const v1::Load& load : order.loads()) {
    words.insert(LoadKind(load));
    if (NamesProgram(load)) words.insert("command");
  }
  for (const v1::Activity& activity : order.background()) {
    if (activity.has_command()) words.insert("command");
  }
  // Source trees: their makefiles run.
  if (!order.inputs().empty()) words.insert("tree");
  return {words.begin(), words.end()};
}

std::vector<std::string> SetupOf(const v1::BootOrder& order) {
  std::set<std::string> words;
  for (const v1::SetupStep& step : order.setup()) words.insert(SetupWord(step));
  return {words.begin(), words.end()};
}

std::vector<std::string> BootParametersOf(const v1::BootOrder& order) {
  std::vector<std::string> names;
  for (const std::string& parameter : order.boot_parameters()) {
    // The kernel takes "-" and "_" for one in names.
    std::string name = parameter.substr(0, parameter.find('='));
    std::replace(name.begin(), name.end(), '-', '_');
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> TunablesOf(const v1::BootOrder& order) {
  std::vector<std::string> names;
  for (const v1::Tunable& tunable : order.tunables()) names.push_back(tunable.name());
  for (const v1::SetupStep& step : order.setup()) {
    if (step.has_tunable()) names.push_back(step.tunable().name());
  }
  return names;
}

}  // namespace shakedown::laptop
