// The agent at work: tells the farm what it has and does, does what the farm says.
#ifndef SHAKEDOWN_AGENT_SESSION_SYNC_LOOP_H_
#define SHAKEDOWN_AGENT_SESSION_SYNC_LOOP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/build/build_slot.h"
#include "agent/machine/machine.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/backoff.h"
#include "agent/session/farm_client.h"
#include "agent/session/input_cache.h"
#include "agent/session/journal.h"
#include "agent/session/log_buffer.h"
#include "agent/session/power_desk.h"
#include "agent/session/waiter.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

struct SyncLoopOptions {
  std::string agent;  // The token's name.
  std::string version;
  std::string boot_id;  // The host's.
  std::string log_folder;
  absl::Duration idle_poll = absl::Seconds(30);  // How long the farm may hold a call.
  absl::Duration busy_poll =
      absl::Seconds(5);  // The same, and so the heartbeat, with work in hand.
  BackoffLimits backoff;
  LogLimits log_limits;
  absl::Duration log_linger = absl::Milliseconds(300);
  absl::Duration stop_limit = absl::Seconds(7);    // For the workers to end, and then:
  absl::Duration last_word = absl::Seconds(2);     // for their results to reach the farm.
  uint64_t boot_free_bytes = uint64_t{512} << 20;  // Below: a problem, no orders.
  uint64_t build_free_bytes = uint64_t{4} << 30;
};

// Outlive the loop. Machines and build slots are used by the loop's threads only.
struct SyncLoopParts {
  std::vector<Machine*> machines;
  std::vector<BuildSlot*> build_slots;
  Journal* journal;
  FarmClient* farm;
  ArtefactCache* cache;
  InputCache* inputs;
  PowerDesk* power = nullptr;  // Null: this agent switches nobody's power.
  Clock* clock;
  Random random;  // Thread-safe.
  WaiterFactory waiters;
  // Free bytes where this agent works, with the place for the message.
  std::function<absl::StatusOr<uint64_t>()> free_bytes;
};

class SyncLoop {
 public:
  virtual ~SyncLoop() = default;  // After Run() has returned OK or was never called.
  // Cleans up after an earlier process, settles what the journal holds, then works until
  // RequestStop(). An error is the journal's, or names work that did not end within the stop limit:
  // then threads still run, and the process must end without destroying this object.
  virtual absl::Status Run() = 0;
  // Safe from any thread, not from a signal handler. Work in hand is handed back: cancelled,
  // "agent stopped"; but that of machines that outlive the agent stays open for the next process.
  virtual void RequestStop() = 0;
};

std::unique_ptr<SyncLoop> MakeSyncLoop(SyncLoopOptions options, SyncLoopParts parts);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_SYNC_LOOP_H_
