// What to do with the farm's answer: pure, so that every case stands in a table.
#ifndef SHAKEDOWN_AGENT_SESSION_DECIDE_H_
#define SHAKEDOWN_AGENT_SESSION_DECIDE_H_

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "agent/session/journal.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::agent {

// A machine or a build slot as the agent knows it at this moment.
struct SeatState {
  std::string name;             // Machine's name; build slots have none.
  std::optional<WorkKey> work;  // In hand until the farm has acknowledged its result.
  bool running = false;         // Not yet a result: for a machine, it is being measured.
  bool cancelled = false;       // Told to give up already.
  std::string problem;          // Takes no orders; empty: none.
  bool takes_blocks = false;    // Orders of the epoch in hand are taken and wait for their turn.
  std::vector<WorkKey> queued;  // They do.
  std::vector<WorkKey> ended;   // Their results are on their way to the farm, `work` aside.
};

struct AgentState {
  std::vector<SeatState> machines;
  std::vector<SeatState> slots;
  bool stopping = false;
  // True for work that has a result, acknowledged or not.
  std::function<bool(const WorkKey&)> finished;
};

// At once, or after those of its block that came before it.
struct StartBoot {
  size_t machine;  // Index.
  v1::BootOrder order;
};
struct StartBuild {
  size_t slot;
  v1::BuildOrder order;
};
// Will never be done here: a farm_failed result with this reason. Or not now: handed back, and no
// attempt is lost.
struct RefuseBoot {
  v1::BootOrder order;
  std::string reason;
  bool hand_back = false;
};
struct RefuseBuild {
  v1::BuildOrder order;
  std::string reason;
  bool hand_back = false;
};
// Work in hand is to be given up, queued work not to be begun.
struct CancelWork {
  WorkKey key;
};
// Nothing is done, for a reason that belongs into the log; the next request tells the farm how
// things stand.
struct LeaveOrder {
  std::string why;
};
using Action = std::variant<StartBoot, StartBuild, RefuseBoot, RefuseBuild, CancelWork, LeaveOrder>;

struct Decision {
  std::vector<Action> actions;
  absl::Duration call_again;
};

// Keeps the rule "a host never builds while one of its machines measures", whatever the farm says.
// Orders that are in hand are repeats and give no action.
Decision Decide(const AgentState& state, const v1::SyncResponse& response);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_DECIDE_H_
