// What time brings: the countdown's end, the way home.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/laptop/keeper/keeper.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr absl::Duration kRemind = absl::Seconds(10);
// systemd gives a unit 90 s to stop, some units several times that.
constexpr absl::Duration kRebootTakes = absl::Minutes(10);

std::string Seconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Seconds(duration), " s");
}

constexpr char kHowToRefuse[] = "`shakedown-laptop refuse` keeps it from it.";

}  // namespace

void Keeper::Tick() {
  const absl::Duration now = parts_.clock.Elapsed();
  if (now >= next_beat_) {
    parts_.vigil.Beat();
    next_beat_ = now + kBeat;
  }
  if (!fatal_.ok()) return;
  if (going_) StepCountdown();
  const v1::BootStage stage = parts_.transaction.Where().stage;
  if (stage == v1::BOOT_STAGE_IN_TEST) StepTest();
  if (stage == v1::BOOT_STAGE_LEAVING) StepLeaving();
}

// Armed, and still in the owner's kernel: his next restart must not be into a test kernel.
void Keeper::StepLeaving() {
  const absl::Duration now = parts_.clock.Elapsed();
  if (!left_at_) left_at_ = now;
  if (now - *left_at_ < kRebootTakes) return;
  left_at_.reset();
  Log(absl::StrCat("the reboot has not come within ", Seconds(kRebootTakes), ": taken back"));
  const absl::Status restored = Of(parts_.transaction.Restore());
  if (!restored.ok()) Log(restored.message());
}

absl::Status Keeper::StartCountdown() {
  const absl::StatusOr<OwnerFile> owner = ReadOwnerFile(options_.owner_path, options_.owner_uid);
  // A tried boot may come before the owner has written rules.
  const v1::OwnerRules rules = owner.ok() ? owner->rules : v1::OwnerRules();
  const absl::Duration length = Countdown(rules);
  going_ = Going{parts_.transaction.Order().attempt_id(), parts_.clock.Elapsed() + length};
  if (rules.has_notice() && !rules.notice()) {
    going_->reminded = true;
  } else if (length > absl::ZeroDuration()) {
    parts_.seat.Tell(absl::StrCat("this machine restarts into a test kernel in ", Seconds(length),
                                  " and comes back by itself. ", kHowToRefuse));
  }
  Log(absl::StrCat("boot ", parts_.transaction.Order().name(), ": leaves in ", Seconds(length)));
  return absl::OkStatus();
}

void Keeper::EndCountdown(const std::string& why, absl::Duration holds) {
  going_.reset();
  if (holds > absl::ZeroDuration()) held_ = Held{why, parts_.clock.Elapsed() + holds};
  Log(absl::StrCat("does not leave: ", why));
  parts_.seat.Tell(absl::StrCat("no restart: ", why));
  if (parts_.transaction.Order().name() != kTryBoot) return;
  // Nobody else would take it back.
  const absl::Status restored = Of(parts_.transaction.Restore());
  if (!restored.ok()) Log(restored.message());
  const absl::Status kept = Remember([&](v1::KeeperState& state) { state.set_tried_boot(why); });
  if (!kept.ok()) Log(kept.message());
}

void Keeper::StepCountdown() {
  const absl::Duration left = going_->at - parts_.clock.Elapsed();
  if (left <= absl::ZeroDuration()) return LeaveNow();
  if (left > kRemind || going_->reminded) return;
  going_->reminded = true;
  parts_.seat.Tell(absl::StrCat("this machine restarts in ", Seconds(left), ". ", kHowToRefuse));
}

void Keeper::LeaveNow() {
  const bool trying = parts_.transaction.Order().name() == kTryBoot;
  // Once more: the power may be gone, somebody may have come.
  const std::string problem = trying ? parts_.transaction.Problem() : Problem();
  if (!problem.empty()) return EndCountdown(problem, absl::ZeroDuration());
  const absl::StatusOr<std::vector<std::string>> blockers = parts_.seat.Blockers();
  if (!blockers.ok()) {
    return EndCountdown(
        absl::StrCat("who blocks a shutdown can not be read: ", blockers.status().message()),
        kBlockedHolds);
  }
  if (!blockers->empty()) {
    return EndCountdown(absl::StrCat("a shutdown is blocked by ", absl::StrJoin(*blockers, "; ")),
                        kBlockedHolds);
  }
  const absl::Time now = parts_.host.Now();
  const std::optional<absl::Duration> idle = IdleNow();
  const absl::Status counted = Remember([&](v1::KeeperState& state) {
    if (!trying) CountBoot(state, now, options_.zone);
    state.set_idle_since_s(idle ? absl::ToUnixSeconds(now - *idle) : 0);
  });
  if (!counted.ok()) return EndCountdown(std::string(counted.message()), kBlockedHolds);
  going_.reset();
  Log("leaves");
  const absl::Status left = Of(parts_.transaction.Leave());
  if (!left.ok()) EndCountdown(std::string(left.message()), kBlockedHolds);
}

void Keeper::StepTest() {
  const absl::Duration now = parts_.clock.Elapsed();
  if (home_again_ > absl::ZeroDuration()) {
    if (now < home_again_) return;
    // The reboot was asked for and has not come.
    home_again_ = now + kGrace;
    Log("home: a second time, by the machine's own reboot");
    const absl::Status rebooted = parts_.host.Reboot(Host::RebootKind::kOrdinary);
    if (!rebooted.ok()) Log(rebooted.message());
    return;
  }
  if (kept_at_ && now - *kept_at_ >= kGrace) {
    return GoHome(ResultOf(v1::OUTCOME_UNSPECIFIED, ""));
  }
  const v1::BootOrder& order = parts_.transaction.Order();
  const absl::Duration limit = BootLimit(order) + RunLimit(order) + kGrace;
  if (kept_at_ || Uptime() < limit) return;
  if (parts_.transaction.Where().runner_was_open) {
    return GoHome(ResultOf(v1::OUTCOME_HUNG, absl::StrCat("no result within ", Seconds(limit),
                                                          " of the kernel's start")));
  }
  GoHome(ResultOf(v1::OUTCOME_FARM_FAILED, absl::StrCat("the agent did not come within ",
                                                        Seconds(limit), " of the kernel's start")));
}

// Whatever fails, the reboot is tried: the one-shot entry is disarmed, so it is the way home.
void Keeper::GoHome(const v1::BootResult& unless_kept) {
  EndRunner();
  if (!kept_at_ && unless_kept.outcome() != v1::OUTCOME_UNSPECIFIED) {
    const absl::Status kept = Of(parts_.transaction.KeepResult(unless_kept));
    if (kept.ok()) kept_at_ = parts_.clock.Elapsed();
    if (!kept.ok()) Log(kept.message());
  }
  home_again_ = parts_.clock.Elapsed() + kGrace;
  Log(absl::StrCat("home: ", unless_kept.reason()));
  const absl::Status restored = Of(parts_.transaction.Restore());
  if (restored.ok()) return;
  Log(restored.message());
  const absl::Status rebooted = parts_.host.Reboot(Host::RebootKind::kOrdinary);
  if (!rebooted.ok()) Log(rebooted.message());
}

}  // namespace shakedown::laptop
