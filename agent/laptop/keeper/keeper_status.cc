// How things stand, and whether a boot may begin.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/boot_loader.h"
#include "agent/laptop/keeper/keeper.h"
#include "agent/laptop/keeper/laptop_facts.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kMaxProblem = 1000;
// What brings a machine home that hangs where nothing watches it: the one-shot entry is spent.
constexpr char kHands[] =
    "hold the power button for 10 s, then press it again: it starts its own kernel and reports by "
    "itself";
constexpr size_t kMaxConfig = 64 << 10;
// What a machine does by itself after its start, before it is left alone.
constexpr absl::Duration kStartsUp = absl::Minutes(3);

}  // namespace

v1::LaptopStatus Keeper::Status() {
  const Standing standing = parts_.transaction.Where();
  const absl::Time now = parts_.host.Now();
  const v1::KeeperState& state = parts_.state.get();
  v1::LaptopStatus status;
  status.set_stage(going_ ? v1::BOOT_STAGE_LEAVING : standing.stage);
  status.set_attempt_id(standing.attempt_id);
  status.set_epoch(standing.epoch);
  status.set_problem(PrintableLine(Problem(), kMaxProblem));
  status.set_loader(options_.loader);
  status.set_release(PrintableLine(parts_.host.Release()));
  status.set_boot_id(PrintableLine(parts_.host.BootId()));
  status.set_boots_today(BootsToday(state, now, options_.zone));
  for (auto& [name, value] : ReadLaptopFacts(options_.root))
    (*status.mutable_facts())[name] = value;
  (*status.mutable_facts())["loader"] = options_.loader;
  (*status.mutable_facts())["secure_boot"] = SecureBootIsOn(options_.root) ? "on" : "off";
  status.set_runner_was_open(standing.runner_was_open);
  status.set_paused(IsPaused(state, now));
  if (status.paused()) status.set_paused_until(state.paused_until());
  if (going_) {
    const absl::Duration left = going_->at - parts_.clock.Elapsed();
    status.set_countdown_s(static_cast<uint32_t>(std::max<int64_t>(1, absl::ToInt64Seconds(left))));
  }
  if (standing.stage != v1::BOOT_STAGE_NONE) {
    status.set_boot(PrintableLine(parts_.transaction.Order().name()));
  }
  status.set_tried_boot(state.tried_boot());
  status.set_hands(kHands);
  return status;
}

std::string Keeper::Problem() {
  const v1::BootStage stage = parts_.transaction.Where().stage;
  if (stage != v1::BOOT_STAGE_NONE && stage != v1::BOOT_STAGE_INSTALLED) return "";
  const absl::Time now = parts_.host.Now();
  const v1::KeeperState& state = parts_.state.get();
  if (IsPaused(state, now)) {
    if (state.paused_until() == 0) return "paused by the owner (shakedown-laptop resume)";
    const absl::Time until = absl::FromUnixSeconds(state.paused_until());
    return absl::StrCat("paused by the owner until ",
                        absl::FormatTime("%Y-%m-%d %H:%M", until, options_.zone));
  }
  if (held_ && parts_.clock.Elapsed() < held_->until) return held_->why;
  const std::string clock = ClockProblem(state, now);
  if (!clock.empty()) return clock;
  const std::vector<std::string> refusals = OwnerRefusals(nullptr, 0);
  if (!refusals.empty()) return absl::StrJoin(refusals, "; ");
  return parts_.transaction.Problem();
}

std::vector<std::string> Keeper::OwnerRefusals(const v1::BootOrder* order, uint64_t disk_bytes) {
  const absl::StatusOr<OwnerFile> owner = ReadOwnerFile(options_.owner_path, options_.owner_uid);
  if (!owner.ok()) {
    return {absl::StrCat("owner's rules: ", owner.status().message(), ", nothing is allowed")};
  }
  const Moment moment = MomentNow(owner->rules);
  return order == nullptr ? RefusalsNow(*owner, moment)
                          : RefusalsOfOrder(*owner, *order, disk_bytes, moment);
}

Moment Keeper::MomentNow(const v1::OwnerRules& rules) {
  Moment moment;
  moment.now = parts_.host.Now();
  moment.zone = options_.zone;
  const absl::StatusOr<std::string> config = ReadFile(options_.config, kMaxConfig);
  if (config.ok()) moment.server = ConfigValue(*config, "server");
  const PowerFacts power = ReadPowerFacts(options_.root);
  moment.has_battery = power.has_battery;
  moment.on_ac = power.on_ac;
  moment.battery_percent = power.battery_percent;
  moment.celsius = power.celsius;
  moment.docked = power.docked;
  if (rules.idle_minutes() > 0) moment.idle = IdleNow();
  moment.boots_today = BootsToday(parts_.state.get(), moment.now, options_.zone);
  moment.tried_boot = parts_.state.get().tried_boot();
  return moment;
}

// Nobody came since the machine left for a test, and nobody since it is back: the reboots were
// ours.
std::optional<absl::Duration> Keeper::IdleNow() {
  const absl::StatusOr<absl::Duration> idle = parts_.seat.Idle();
  if (!idle.ok()) return std::nullopt;
  const absl::Duration uptime = Uptime();
  if (*idle < uptime - kStartsUp) return *idle;
  const absl::Duration since_start = std::min(*idle, uptime);
  const int64_t before = parts_.state.get().idle_since_s();
  if (before == 0) return since_start;
  return std::max(since_start, parts_.host.Now() - absl::FromUnixSeconds(before));
}

std::string ConfigValue(absl::string_view text, absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(parts.first) != key) continue;
    absl::string_view value = absl::StripAsciiWhitespace(parts.second);
    for (const char quote : {'"', '\''}) {
      if (value.size() >= 2 && value.front() == quote && value.back() == quote) {
        return std::string(value.substr(1, value.size() - 2));
      }
    }
    return std::string(value);
  }
  return "";
}

}  // namespace shakedown::laptop
