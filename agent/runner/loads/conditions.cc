#include "agent/runner/loads/conditions.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/runner/loads/realtime.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

constexpr size_t kMostText = 1 << 16;
constexpr uint64_t kUnlimited = uint64_t{1} << 60;  // Version 1 writes "none" as a huge number.

bool MayBeRealtime() {
  const int before = sched_getscheduler(0);
  sched_param parameter = {};
  if (before < 0 || sched_getparam(0, &parameter) != 0 || !SetFifo(kHighestFifo)) return false;
  const bool is = (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO;
  if (sched_setscheduler(0, before, &parameter) != 0) SetOrdinary();
  return is;
}

std::vector<int> AllowedCpus() {
  cpu_set_t allowed;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

std::string Word(const std::string& path) {
  const auto text = ReadFile(path, kMostText);
  return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : "";
}

template <typename Number>
void Tighten(std::optional<Number>& limit, Number found) {
  limit = limit ? std::min(*limit, found) : found;
}

// "200000 100000" or "max 100000".
void AddCpuMax(const std::string& text, CgroupLimits& limits) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  double quota = 0, period = 0;
  if (words.size() == 2 && absl::SimpleAtod(words[0], &quota) &&
      absl::SimpleAtod(words[1], &period) && quota > 0 && period > 0) {
    Tighten(limits.cpus, quota / period);
  }
}

void AddMemoryMax(const std::string& text, CgroupLimits& limits) {
  uint64_t bytes = 0;
  if (absl::SimpleAtoi(text, &bytes) && bytes < kUnlimited) Tighten(limits.memory_bytes, bytes);
}

// The folder of a group and those above it up to the hierarchy's own.
std::vector<std::string> Levels(const std::string& root, absl::string_view group) {
  std::vector<std::string> levels = {root};
  // Inside a namespace the path may lead out of what is mounted: only the root is known then.
  if (absl::StrContains(group, "..")) return levels;
  for (absl::string_view part : absl::StrSplit(group, '/', absl::SkipEmpty())) {
    levels.push_back(absl::StrCat(levels.back(), "/", part));
  }
  return levels;
}

void AddVersion2(const std::string& folder, CgroupLimits& limits) {
  AddCpuMax(Word(folder + "/cpu.max"), limits);
  AddMemoryMax(Word(folder + "/memory.max"), limits);
}

void AddVersion1(const std::string& folder, CgroupLimits& limits) {
  AddCpuMax(
      absl::StrCat(Word(folder + "/cpu.cfs_quota_us"), " ", Word(folder + "/cpu.cfs_period_us")),
      limits);
  AddMemoryMax(Word(folder + "/memory.limit_in_bytes"), limits);
}

}  // namespace

CgroupLimits ReadCgroupLimits(absl::string_view groups, const std::string& root) {
  CgroupLimits limits;
  for (absl::string_view line : absl::StrSplit(groups, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      for (const std::string& level : Levels(root, parts[2])) AddVersion2(level, limits);
      continue;
    }
    for (const std::string& controller : std::vector<std::string>(absl::StrSplit(parts[1], ','))) {
      if (controller != "cpu" && controller != "memory") continue;
      for (const std::string& level : Levels(absl::StrCat(root, "/", controller), parts[2])) {
        AddVersion1(level, limits);
      }
    }
  }
  return limits;
}

Conditions ReadConditions() {
  Conditions conditions;
  conditions.realtime = MayBeRealtime();
  conditions.online_cpus = static_cast<uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  conditions.cpus = AllowedCpus();
  const auto meminfo = ReadFile("/proc/meminfo", kMostText);
  const auto memory = MeminfoKib(meminfo.ok() ? *meminfo : "", "MemTotal");
  if (memory.ok()) conditions.memory_kib = *memory;
  const auto groups = ReadFile("/proc/self/cgroup", kMostText);
  conditions.cgroup = ReadCgroupLimits(groups.ok() ? *groups : "");
  return conditions;
}

int FirstCpu(const Conditions& conditions) {
  return conditions.cpus.empty() ? 0 : conditions.cpus[0];
}

cpu_set_t JustCpu(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return one;
}

std::vector<std::string> PlaceWarnings(absl::string_view load, const Conditions& c) {
  std::vector<std::string> warnings;
  const auto warn = [&](const auto&... parts) {
    warnings.push_back(absl::StrCat(load, ": ", parts...));
  };
  if (!c.cpus.empty() && c.cpus.size() < c.online_cpus) {
    warn("the cpuset allows ", c.cpus.size(), " of ", c.online_cpus,
         " CPUs: what has a thread or client a CPU presses that much harder");
  }
  if (c.cgroup.cpus && *c.cgroup.cpus < c.online_cpus) {
    warn("a control group limits CPU time to ", absl::StrFormat("%.2f", *c.cgroup.cpus), " of ",
         c.online_cpus, " CPUs: being throttled shows as latency");
  }
  if (c.cgroup.memory_bytes && *c.cgroup.memory_bytes / 1024 < c.memory_kib) {
    warn("a control group limits memory to ", *c.cgroup.memory_bytes >> 20, " of ",
         c.memory_kib >> 10,
         " MiB: files are cached less, and Memload, sized by the machine's memory, may be killed");
  }
  return warnings;
}

std::vector<std::string> ConditionWarnings(absl::string_view load, const Conditions& c) {
  std::vector<std::string> warnings;
  if (!c.realtime) {
    warnings.push_back(absl::StrCat(
        load,
        ": no RT permission: the timekeepers run as ordinary tasks, so that their own lateness and "
        "the timers' slack of 50 us count as latency"));
  }
  if (!c.cpus.empty() && c.cpus[0] != 0) {
    warnings.push_back(
        absl::StrCat(load, ": CPU 0 is not in the cpuset (allowed: ", absl::StrJoin(c.cpus, ","),
                     "): CPU ", c.cpus[0], " takes its place for calibration and single_cpu"));
  }
  for (std::string& warning : PlaceWarnings(load, c)) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace shakedown::runner
