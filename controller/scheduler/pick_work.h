// What an agent does next: builds and boots of all jobs against one host and its machines. Pure.
#ifndef SHAKEDOWN_CONTROLLER_SCHEDULER_PICK_WORK_H_
#define SHAKEDOWN_CONTROLLER_SCHEDULER_PICK_WORK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shakedown::scheduler {

enum class BootState { kWaiting, kQueued, kRunning };  // Ended ones are not candidates.

struct OpenBoot {
  std::string attempt_id;
  int position = 0;  // In its block's boot order.
  BootState state = BootState::kQueued;
};

// A block that has not ended.
struct OpenBlock {
  int64_t job = 0;
  uint32_t block = 0;
  std::string machine;             // Bound to it by its first lease; empty: to none.
  std::vector<std::string> names;  // The job's selector: one of these, empty: any,
  std::vector<std::string> tags;   // and all of these.
  std::vector<OpenBoot> boots;
};

struct QueuedBuild {
  std::string build_id;
  int64_t job = 0;  // The lowest active job that needs it.
};

struct MachineNow {
  std::string name;
  std::vector<std::string> tags;
  bool leased = false;  // Holds a lease, or the agent says that it has work in hand.
  std::string problem;  // Why it can not be used now; empty: it can.
};

struct AgentNow {
  std::vector<MachineNow> machines;
  int builds_running = 0;  // Leased or still in a slot's hands.
  int slots = 0;           // Without a problem, busy or free.
};

struct Work {
  std::vector<OpenBlock> blocks;
  std::vector<QueuedBuild> builds;
};

// What to lease, or why nothing: exactly one of the two is set.
struct BootPick {
  std::optional<std::string> attempt_id;
  int64_t job = 0;
  uint32_t block = 0;
  std::string idle_reason;
};
struct BuildPick {
  std::optional<std::string> build_id;
  std::string idle_reason;
};

// The rules, for both:
// - A host never builds while one of its machines runs a boot, and boots nothing while it builds.
// - Lowest job first; a job whose blocks are all taken or waiting holds up nobody.
// - A block starts when none of its boots waits for a build, runs whole on one machine, in its
// order, the next
//   boot when the one before has ended. A started block goes before everything else on its host.
// - Neither kind starves the other: a new block does not start while an older job's build wants
// this host, and a
//   build does not start while an older or equally old job's block could.
// The same answer for any order of the input.
BootPick PickBoot(const AgentNow& agent, const std::string& machine, const Work& work);
BuildPick PickBuild(const AgentNow& agent, const Work& work);

}  // namespace shakedown::scheduler

#endif  // SHAKEDOWN_CONTROLLER_SCHEDULER_PICK_WORK_H_
