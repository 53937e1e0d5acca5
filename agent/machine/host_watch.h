// What else kept the host busy while a virtual machine measured. Recorded, never a rule: hosts are
// shared, and how much that may be is the reader's judgement.
#ifndef SHAKEDOWN_AGENT_MACHINE_HOST_WATCH_H_
#define SHAKEDOWN_AGENT_MACHINE_HOST_WATCH_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace shakedown::agent {

// CPU time of the host up to one moment, in ticks.
struct HostTimes {
  uint64_t total = 0, busy = 0, steal = 0;  // Of all CPUs.
  uint64_t machine = 0;                     // Of the QEMU process and of this agent.
};
// "host_foreign_cpu" (busy with neither the machine nor this agent) and "host_steal", in percent of
// the host's CPU time between the two: "3.2 %". Empty when no time has passed.
std::map<std::string, std::string> HostFacts(const HostTimes& before, const HostTimes& after);

// One boot. One owner, not thread-safe.
class HostWatch {
 public:
  // The QEMU process: see FindQemuProcesses().
  HostWatch(std::string prefix, std::string folder)
      : prefix_(std::move(prefix)), folder_(std::move(folder)) {}
  // From the first call on, measured up to the last.
  void Look();
  std::map<std::string, std::string> Facts() const;

 private:
  std::optional<HostTimes> Read();

  const std::string prefix_, folder_;
  pid_t qemu_ = 0;
  std::optional<HostTimes> first_, last_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_HOST_WATCH_H_
