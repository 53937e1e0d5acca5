// The daemon's mind: what the agent and the owner ask for, what the owner's rules and the stage of
// the boot transaction make of it, and what time brings. No sockets: server.h carries the messages.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/laptop/boot/boot_transaction.h"
#include "agent/laptop/boot/host.h"
#include "agent/laptop/keeper/keeper_state.h"
#include "agent/laptop/keeper/runner_gate.h"
#include "agent/laptop/keeper/runner_place.h"
#include "agent/laptop/keeper/seat.h"
#include "agent/laptop/keeper/vigil.h"
#include "agent/laptop/owner/owner_file.h"
#include "agent/laptop/owner/owner_rules.h"
#include "proto/wire/clock.h"
#include "proto/wire/descriptor.h"
#include "shakedown/v1/laptop.pb.h"

namespace shakedown::laptop {

// All outlive the keeper.
struct KeeperParts {
  BootTransaction& transaction;
  Host& host;
  Seat& seat;
  Vigil& vigil;
  RunnerPlace& place;
  StateFile& state;
  Clock& clock;
};

struct KeeperOptions {
  std::string root;  // Before /proc, /sys and /boot; empty outside tests.
  std::string owner_path = kOwnerPath;
  unsigned owner_uid = 0;  // Whose the owner's file must be.
  std::string config = "/etc/shakedown/agent.conf";
  // Where the agent keeps its files: it names no others. Empty: anywhere.
  std::string agent_state;
  std::string loader;  // Its name.
  absl::TimeZone zone;
  absl::Duration uptime;                                 // Of the kernel, at the keeper's start.
  std::function<std::string(size_t index)> input_image;  // The transaction's copy of an input.
  std::function<void(absl::string_view line)> log;
};

// How long after the reboot's own limits, or after a result was kept, the machine goes home by
// itself.
inline constexpr absl::Duration kGrace = absl::Minutes(1);
// How long a person's refusal holds.
inline constexpr absl::Duration kRefusalHolds = absl::Hours(1);
inline constexpr absl::Duration kBlockedHolds = absl::Minutes(5);
// Name of the order that proves one-shot boots. No boot of a farm has such a name.
inline constexpr char kTryBoot[] = "try-boot";

// One owner, not thread-safe. Calls may take as long as an install does.
class Keeper {
 public:
  // In the test kernel the vigil begins here; a tried boot goes on here.
  Keeper(KeeperParts parts, KeeperOptions options);

  // `from_root`: the owner's commands are root's only. The reply always has a status.
  v1::LaptopReply Handle(const v1::LaptopRequest& request, bool from_root);
  // After an answer without error to OpenRunner, once: the runner's socket. Its frames pass Gate().
  Descriptor TakeRunner() { return std::move(runner_); }
  RunnerGate& Gate() { return *gate_; }
  // The agent or the runner is gone: the runner and all it started end.
  void EndRunner();

  // At least once a second, after the answers have gone out: counts down, goes home when it is
  // time.
  void Tick();
  // A person at the machine objects.
  absl::Status Refuse();

  // Set when the journal failed: the process must end, its next start finds out where it stands.
  const absl::Status& fatal() const { return fatal_; }

 private:
  struct Going {  // A countdown.
    std::string attempt_id;
    absl::Duration at;  // clock.Elapsed().
    bool reminded = false;
  };
  struct Held {  // Why no reboot is begun for a while.
    std::string why;
    absl::Duration until;
  };

  absl::Status Do(const v1::LaptopRequest& request, bool from_root, v1::LaptopReply& reply);
  absl::Status DoOwner(const v1::OwnerCommand& command);
  absl::Status CheckPaths(const BootFiles& files) const;
  absl::Status Install(const v1::InstallBoot& install);
  absl::Status Reboot(const std::string& attempt_id);
  absl::Status OpenRunner(const std::string& attempt_id);
  absl::Status KeepResult(const v1::BootResult& result);
  absl::Status Restore(const std::string& attempt_id);
  absl::Status Collect(const std::string& attempt_id, v1::CollectedBoot& collected);
  absl::Status Pause(int64_t until);
  absl::Status Resume();
  absl::Status Stop();
  absl::Status Leave();
  absl::Status TryBoot();
  std::string RefusedUntil(absl::Time until) const;
  void RememberRefusal();

  v1::LaptopStatus Status();
  std::string Problem();
  std::vector<std::string> OwnerRefusals(const v1::BootOrder* order, uint64_t disk_bytes);
  Moment MomentNow(const v1::OwnerRules& rules);
  std::optional<absl::Duration> IdleNow();
  absl::Status Stands(v1::BootStage stage, const std::string& attempt_id);
  absl::Status NotTrying() const;
  absl::Status StartCountdown();
  void EndCountdown(const std::string& why, absl::Duration holds);
  void StepCountdown();
  void LeaveNow();
  void StepTest();
  void StepLeaving();
  void GoHome(const v1::BootResult& unless_kept);
  void ContinueTriedBoot();
  absl::Status Remember(const std::function<void(v1::KeeperState&)>& change);
  // The transaction's answer, noticing when its journal failed.
  absl::Status Of(absl::Status status);
  absl::Duration Uptime() const;
  v1::BootResult ResultOf(v1::Outcome outcome, const std::string& reason) const;
  void Log(absl::string_view line) const;

  const KeeperParts parts_;
  const KeeperOptions options_;
  const absl::Duration started_;
  std::optional<Going> going_;
  std::optional<Held> held_;
  std::optional<RunnerGate> gate_;
  Descriptor runner_;
  std::optional<absl::Duration> kept_at_;
  std::optional<absl::Duration> left_at_;             // Armed, the reboot under way.
  absl::Duration home_again_ = absl::ZeroDuration();  // When to try a second time.
  absl::Duration next_beat_ = absl::ZeroDuration();
  absl::Status fatal_;
};

// Of agent.conf, lines of KEY = VALUE, quotes taken off. Empty: not there.
std::string ConfigValue(absl::string_view text, absl::string_view key);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_H_
