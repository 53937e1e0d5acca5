// What shakedown-laptop remembers over reboots: whether it is paused, boots of the day, the clock.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_STATE_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_STATE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "shakedown/v1/owner.pb.h"

namespace shakedown::laptop {

// A file that holds one KeeperState, written by rename. One owner, not thread-safe.
class StateFile {
 public:
  // No file: nothing is remembered. DataLoss: no KeeperState, with what to do.
  static absl::StatusOr<StateFile> Open(std::string path);

  const v1::KeeperState& get() const { return state_; }
  // The change is on disk when OK is returned; else nothing has changed.
  absl::Status Change(const std::function<void(v1::KeeperState&)>& change);

 private:
  StateFile(std::string path, v1::KeeperState state)
      : path_(std::move(path)), state_(std::move(state)) {}
  std::string path_;
  v1::KeeperState state_;
};

// Pure.
bool IsPaused(const v1::KeeperState& state, absl::Time now);
// What is left of a person's refusal, at most `longest`: the clock may have been set back since.
absl::Duration RefusalLeft(const v1::KeeperState& state, absl::Time now, absl::Duration longest);
// By the local date. A date that lies ahead (the clock was set back, a journey west) still counts.
uint32_t BootsToday(const v1::KeeperState& state, absl::Time now, absl::TimeZone zone);
void CountBoot(v1::KeeperState& state, absl::Time now, absl::TimeZone zone);
// The clock is more than an hour before the latest time seen: limits by date and hour would be
// those of another day. Empty: it is not.
std::string ClockProblem(const v1::KeeperState& state, absl::Time now);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_STATE_H_
