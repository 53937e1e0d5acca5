#include "agent/machine/host_watch.h"

#include <unistd.h>

#include <vector>

#include "absl/strings/str_format.h"
#include "agent/machine/qemu_processes.h"
#include "agent/runner/telemetry/proc_text.h"
#include "agent/runner/telemetry/task_stat.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

std::string Percent(uint64_t part, uint64_t whole) {
  return absl::StrFormat("%.1f %%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

uint64_t Growth(uint64_t before, uint64_t after) { return after > before ? after - before : 0; }

}  // namespace

std::map<std::string, std::string> HostFacts(const HostTimes& before, const HostTimes& after) {
  const uint64_t total = Growth(before.total, after.total);
  if (total == 0) return {};
  const uint64_t busy = Growth(before.busy, after.busy);
  const uint64_t machine = Growth(before.machine, after.machine);
  return {{"host_foreign_cpu", Percent(Growth(machine, busy), total)},
          {"host_steal", Percent(Growth(before.steal, after.steal), total)}};
}

std::optional<HostTimes> HostWatch::Read() {
  if (qemu_ == 0) {
    const std::vector<pid_t> found = FindQemuProcesses(prefix_, folder_);
    if (found.size() != 1) return std::nullopt;
    qemu_ = found[0];
  }
  const absl::StatusOr<std::string> text = ReadFile("/proc/stat", 4 << 20);
  const absl::StatusOr<runner::CpuCounters> cpu = runner::ParseProcStat(text.ok() ? *text : "");
  const std::optional<runner::TaskStat> machine = runner::ReadTask(qemu_);
  const std::optional<runner::TaskStat> agent = runner::ReadTask(getpid());
  if (!cpu.ok() || !machine || !agent) return std::nullopt;
  HostTimes times;
  times.total = cpu->Total();
  times.busy = cpu->Total() - cpu->idle - cpu->iowait - cpu->steal;
  times.steal = cpu->steal;
  times.machine = machine->own_ticks + agent->own_ticks;
  return times;
}

void HostWatch::Look() {
  const std::optional<HostTimes> now = Read();
  if (!now) return;  // QEMU has ended: what was seen last counts.
  if (!first_) first_ = now;
  last_ = now;
}

std::map<std::string, std::string> HostWatch::Facts() const {
  if (!first_ || !last_) return {};
  return HostFacts(*first_, *last_);
}

}  // namespace shakedown::agent
