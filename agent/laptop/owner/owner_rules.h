// The owner's rules held against a moment and an order. Pure: no clock, no disk.
#ifndef SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_RULES_H_
#define SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "agent/laptop/owner/owner_file.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::laptop {

// What an owner gets who says nothing.
inline constexpr uint32_t kDefaultBootsADay = 20;
inline constexpr uint32_t kDefaultCountdownSeconds = 60;
inline constexpr uint64_t kDefaultDiskMib = 2048;
inline constexpr uint32_t kDefaultBootMinutes = 720;
// When the order sets none; as agent/machine/runner_session.cc.
inline constexpr absl::Duration kDefaultBootLimit = absl::Seconds(120);
inline constexpr absl::Duration kDefaultRunLimit = absl::Hours(1);

// Nothing: the machine does not tell. A rule that needs what is not told refuses.
struct Moment {
  absl::Time now;
  absl::TimeZone zone;
  std::string server;  // Of agent.conf; empty: not enrolled.
  bool has_battery = false;
  std::optional<bool> on_ac;
  std::optional<double> battery_percent;
  std::optional<double> celsius;  // Of the hottest zone.
  std::optional<bool> docked;
  std::optional<absl::Duration> idle;
  uint32_t boots_today = 0;
  std::string tried_boot;  // As in KeeperState.
};

// One line each, "FILE:7: max_boots_a_day 4: 4 had today". Empty: all rules that need no order
// allow a boot now.
std::vector<std::string> RefusalsNow(const OwnerFile& owner, const Moment& moment);

// Those that the order meets: signatures, loads, setup, parameters, tunables, sched_ext, disk
// (`disk_bytes`: all its files), and hours in which it could not end.
std::vector<std::string> RefusalsOfOrder(const OwnerFile& owner, const v1::BootOrder& order,
                                         uint64_t disk_bytes, const Moment& moment);

absl::Duration BootLimit(const v1::BootOrder& order);
absl::Duration RunLimit(const v1::BootOrder& order);
absl::Duration Countdown(const v1::OwnerRules& rules);
bool NeedsAc(const v1::OwnerRules& rules);
uint32_t MaxBootsADay(const v1::OwnerRules& rules);

// "2027-01-31".
std::optional<absl::CivilDay> ParseStopDate(absl::string_view text);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_RULES_H_
