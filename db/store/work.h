// What can be leased to one host, and who decides what of it is: the store gives both to a rule
// that it does not know.
#ifndef SHAKEDOWN_DB_STORE_WORK_H_
#define SHAKEDOWN_DB_STORE_WORK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shakedown::store {

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
  // Its kernels were built by a recipe that keeps their modules: a machine with a root of its own
  // can boot them.
  bool modules_kept = true;
};

struct QueuedBuild {
  std::string build_id;
  int64_t job = 0;  // The lowest active job that needs it.
};

struct MachineNow {
  std::string name;
  std::vector<std::string> tags;
  bool leased = false;        // Holds a lease, or the agent says that it has work in hand.
  std::string problem;        // Why it can not be used now; empty: it can.
  bool takes_blocks = false;  // Gets all that is left of a block at once, and has its own root.
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

// What to lease, or why nothing: exactly one of the two is set. To a machine that takes blocks the
// rest of the boot's block goes with it.
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

// How work is picked, from what the tables say at that moment. Called inside a transaction, from
// any thread: pure functions.
struct Picks {
  std::function<BootPick(const AgentNow& agent, const std::string& machine, const Work& work)> boot;
  std::function<BuildPick(const AgentNow& agent, const Work& work)> build;
};

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_WORK_H_
