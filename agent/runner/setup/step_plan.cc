#include "agent/runner/setup/step_plan.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/runner/loads/caches.h"
#include "agent/runner/setup/kernel_file.h"
#include "agent/runner/setup/services.h"
#include "agent/runner/setup/settle.h"
#include "agent/runner/setup/tunables.h"
#include "agent/runner/telemetry/machine_facts.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kCpus[] = "/sys/devices/system/cpu";

// Writes and reads back: a file that takes a value and keeps another has not done it.
absl::Status Set(const std::string& path, const std::string& value) {
  RETURN_IF_ERROR(WriteKernelFile(path, value));
  ASSIGN_OR_RETURN(const std::string now, ReadKernelFile(path));
  if (now == value) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": wrote ", Quoted(value), ", it is ", Quoted(now)));
}

absl::StatusOr<StepPlan> PlanService(const std::string& name, const std::string& root) {
  ASSIGN_OR_RETURN(const Service service, FindService(name, root));
  ASSIGN_OR_RETURN(const bool running, IsRunning(service, root));
  if (!running) return StepPlan{"not running", {}, nullptr};
  StepPlan plan;
  plan.before = "running";
  plan.undo.push_back(
      {UndoAction::Kind::kStartService, name, service.systemd ? "systemd" : "sysv"});
  plan.act = [service, root]() -> absl::Status {
    RETURN_IF_ERROR(StopService(service, root));
    ASSIGN_OR_RETURN(const bool still, IsRunning(service, root));
    if (!still) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("service ", service.name, ": was stopped and runs"));
  };
  return plan;
}

// The numbers of CPUs with a cpufreq folder, ascending.
std::vector<int> CpusWithFrequency(const std::string& root) {
  std::vector<int> cpus;
  DIR* entries = opendir((root + kCpus).c_str());
  if (entries == nullptr) return cpus;
  while (const dirent* entry = readdir(entries)) {
    absl::string_view name = entry->d_name;
    int cpu = 0;
    if (!absl::ConsumePrefix(&name, "cpu") || !absl::SimpleAtoi(name, &cpu)) continue;
    const std::string file = absl::StrCat(root, kCpus, "/cpu", cpu, "/cpufreq/scaling_governor");
    if (access(file.c_str(), F_OK) == 0) cpus.push_back(cpu);
  }
  closedir(entries);
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

absl::StatusOr<StepPlan> PlanGovernor(const std::string& governor, const std::string& root) {
  const std::vector<int> cpus = CpusWithFrequency(root);
  if (cpus.empty()) return absl::NotFoundError("no cpufreq on this machine");
  StepPlan plan;
  std::vector<std::string> files, before;
  for (const int cpu : cpus) {
    const std::string folder = absl::StrCat(kCpus, "/cpu", cpu, "/cpufreq");
    const std::string file = folder + "/scaling_governor";
    ASSIGN_OR_RETURN(const std::string now, ReadKernelFile(root + file));
    ASSIGN_OR_RETURN(const std::string choice,
                     ReadKernelFile(absl::StrCat(root, folder, "/scaling_available_governors")));
    const std::vector<absl::string_view> choices = absl::StrSplit(choice, ' ', absl::SkipEmpty());
    if (std::find(choices.begin(), choices.end(), governor) == choices.end()) {
      return absl::NotFoundError(absl::StrCat("cpu", cpu, " has no governor ", Quoted(governor),
                                              ", want one of: ", choice));
    }
    before.push_back(now);
    if (now == governor) continue;
    plan.undo.push_back(WriteBack(file, now));
    files.push_back(root + file);
  }
  const std::set<std::string> distinct(before.begin(), before.end());
  plan.before = distinct.size() == 1 ? before[0] : absl::StrJoin(before, " ");
  if (files.empty()) return plan;
  plan.act = [files, governor]() -> absl::Status {
    for (const std::string& file : files) RETURN_IF_ERROR(Set(file, governor));
    return absl::OkStatus();
  };
  return plan;
}

absl::StatusOr<StepPlan> PlanFile(const std::string& file, const std::string& value,
                                  const std::string& root) {
  ASSIGN_OR_RETURN(const std::string now, ReadKernelFile(root + file));
  StepPlan plan;
  plan.before = now;
  if (now == value) return plan;
  plan.undo.push_back(WriteBack(file, now));
  plan.act = [path = root + file, value] { return Set(path, value); };
  return plan;
}

absl::StatusOr<StepPlan> PlanTurbo(bool on, const std::string& root) {
  const std::string intel = absl::StrCat(kCpus, "/intel_pstate/no_turbo");
  const std::string others = absl::StrCat(kCpus, "/cpufreq/boost");
  const bool is_intel = access((root + intel).c_str(), F_OK) == 0;
  if (!is_intel && access((root + others).c_str(), F_OK) != 0) {
    return absl::NotFoundError(
        "no turbo switch on this machine: neither intel_pstate/no_turbo nor cpufreq/boost");
  }
  ASSIGN_OR_RETURN(StepPlan plan,
                   PlanFile(is_intel ? intel : others, on != is_intel ? "1" : "0", root));
  plan.before = (plan.before == "1") != is_intel ? "on" : "off";
  return plan;
}

// "NO_FOO" for "FOO" and back: how the kernel's list of scheduler features is written.
std::string Opposite(absl::string_view feature) {
  return absl::ConsumePrefix(&feature, "NO_") ? std::string(feature) : absl::StrCat("NO_", feature);
}

// A list of words, one of which is turned round at a time.
absl::StatusOr<StepPlan> PlanFeature(const v1::Tunable& tunable, const std::string& path,
                                     const std::string& root) {
  ASSIGN_OR_RETURN(const std::string list, ReadKernelFile(root + path));
  const std::vector<absl::string_view> words = absl::StrSplit(list, ' ', absl::SkipEmpty());
  const auto has = [&](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const std::string other = Opposite(tunable.value());
  if (!has(tunable.value()) && !has(other)) {
    return absl::NotFoundError(
        absl::StrCat("no feature ", Quoted(tunable.value()), ", want one of: ", list));
  }
  if (has(tunable.value())) return StepPlan{tunable.value(), {}, nullptr};
  StepPlan plan;
  plan.before = other;
  plan.undo.push_back(WriteBack(path, other));
  plan.act = [path = root + path, value = tunable.value()] { return WriteKernelFile(path, value); };
  return plan;
}

// Blanks count as one: the kernel prints lists of numbers with tabs.
std::vector<std::string> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

absl::StatusOr<StepPlan> PlanTunable(const v1::Tunable& tunable, const std::string& root) {
  ASSIGN_OR_RETURN(const std::string path, TunablePath(tunable.name()));
  if (tunable.name() == "sched/features") return PlanFeature(tunable, path, root);
  ASSIGN_OR_RETURN(const std::string now, ReadTunable(tunable.name(), root));
  StepPlan plan;
  plan.before = now;
  if (Words(now) == Words(tunable.value())) return plan;
  plan.undo.push_back(WriteBack(path, now));
  plan.act = [tunable, root]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string is, ApplyTunable(tunable.name(), tunable.value(), root));
    if (Words(is) == Words(tunable.value())) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("wrote ", Quoted(tunable.value()), ", it is ", Quoted(is)));
  };
  return plan;
}

absl::StatusOr<StepPlan> PlanSettle(const v1::Settle& settle, const std::string& root) {
  const SettleReading now = ReadForSettle(root);
  if (settle.max_load() > 0 && !now.load) return absl::NotFoundError("no /proc/loadavg");
  if (settle.max_celsius() > 0 && !now.celsius) {
    return absl::NotFoundError("no thermal zone on this machine");
  }
  std::vector<std::string> before;
  if (now.load) before.push_back(absl::StrCat("load ", *now.load));
  if (now.celsius) before.push_back(absl::StrCat(*now.celsius, " C"));
  return StepPlan{absl::StrJoin(before, ", "), {}, nullptr};
}

StepPlan PlanAc(const std::string& root) {
  const std::optional<bool> on_ac = ReadOnAc(root);
  if (!on_ac) return {"no battery", {}, nullptr};
  return {*on_ac ? "on mains" : kOnBattery, {}, nullptr};
}

}  // namespace

absl::StatusOr<StepPlan> PlanStep(const v1::SetupStep& step, const std::string& root) {
  switch (step.kind_case()) {
    case v1::SetupStep::kStopService:
      return PlanService(step.stop_service(), root);
    case v1::SetupStep::kDropCaches:
      if (access(absl::StrCat(root, kDropCachesFile).c_str(), W_OK) == 0) return StepPlan();
      return absl::PermissionDeniedError(absl::StrCat(kDropCachesFile, " can not be written"));
    case v1::SetupStep::kGovernor:
      return PlanGovernor(step.governor(), root);
    case v1::SetupStep::kTurbo:
      return PlanTurbo(step.turbo(), root);
    case v1::SetupStep::kAutogroup:
      return PlanFile("/proc/sys/kernel/sched_autogroup_enabled", step.autogroup() ? "1" : "0",
                      root);
    case v1::SetupStep::kTunable:
      return PlanTunable(step.tunable(), root);
    case v1::SetupStep::kSettle:
      return PlanSettle(step.settle(), root);
    case v1::SetupStep::kRequireAc:
      return PlanAc(root);
    case v1::SetupStep::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a step of a kind this runner does not know");
}

}  // namespace shakedown::runner
