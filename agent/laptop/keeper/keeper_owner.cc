// What the person at the machine commands.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/laptop/keeper/keeper.h"
#include "agent/laptop/keeper/try_boot.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr char kUnderWay[] = "under way";
constexpr size_t kMaxTried = 300;

}  // namespace

absl::Status Keeper::DoOwner(const v1::OwnerCommand& command) {
  switch (command.kind_case()) {
    case v1::OwnerCommand::kPause:
      return Pause(command.pause().until());
    case v1::OwnerCommand::kResume:
      return Resume();
    case v1::OwnerCommand::kRefuse:
      return Refuse();
    case v1::OwnerCommand::kStop:
      return Stop();
    case v1::OwnerCommand::kLeave:
      return Leave();
    case v1::OwnerCommand::kTryBoot:
      return TryBoot();
    case v1::OwnerCommand::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "owner's command of a kind this shakedown-laptop does not know");
}

absl::Status Keeper::Pause(int64_t until) {
  const int64_t now = absl::ToUnixSeconds(parts_.host.Now());
  if (until != 0 && until <= now) {
    return absl::InvalidArgumentError(
        absl::StrCat("pause until ", until, ", want a time after now, ", now));
  }
  RETURN_IF_ERROR(Remember([&](v1::KeeperState& state) {
    state.set_paused(true);
    state.set_paused_until(until);
  }));
  if (going_) EndCountdown("paused by the owner", absl::ZeroDuration());
  Log("paused");
  return absl::OkStatus();
}

absl::Status Keeper::Resume() {
  held_.reset();
  Log("resumed");
  return Remember([&](v1::KeeperState& state) {
    state.set_paused(false);
    state.clear_paused_until();
    state.clear_refused_until();
    state.set_latest_s(absl::ToUnixSeconds(parts_.host.Now()));
  });
}

absl::Status Keeper::Refuse() {
  if (!going_) return absl::FailedPreconditionError("no reboot is counted down, nothing to refuse");
  const absl::Time until = parts_.host.Now() + kRefusalHolds;
  // A full disk must not overrule the person: then it holds until the daemon's end.
  const absl::Status kept = Remember(
      [&](v1::KeeperState& state) { state.set_refused_until(absl::ToUnixSeconds(until)); });
  if (!kept.ok()) Log(kept.message());
  EndCountdown(RefusedUntil(until), kRefusalHolds);
  return absl::OkStatus();
}

std::string Keeper::RefusedUntil(absl::Time until) const {
  return absl::StrCat("refused by a person at the machine, until ",
                      absl::FormatTime("%H:%M", until, options_.zone));
}

// At each start of the daemon: a person's word holds over it.
void Keeper::RememberRefusal() {
  const absl::Time now = parts_.host.Now();
  const absl::Duration left = RefusalLeft(parts_.state.get(), now, kRefusalHolds);
  if (left > absl::ZeroDuration()) {
    held_ = Held{RefusedUntil(now + left), parts_.clock.Elapsed() + left};
  }
}

absl::Status Keeper::Stop() {
  // A full disk must not keep the machine from its owner: what follows is done all the same.
  const absl::Status paused = Pause(0);
  const Standing standing = parts_.transaction.Where();
  if (standing.stage == v1::BOOT_STAGE_IN_TEST) {
    GoHome(ResultOf(v1::OUTCOME_CANCELLED, "stopped by the machine's owner"));
    return paused;
  }
  // Leaving: armed, and the reboot has not come.
  if (standing.stage == v1::BOOT_STAGE_INSTALLED || standing.stage == v1::BOOT_STAGE_LEAVING) {
    RETURN_IF_ERROR(Of(parts_.transaction.Restore()));
  }
  return paused;
}

absl::Status Keeper::Leave() {
  const v1::BootStage stage = parts_.transaction.Where().stage;
  if (stage == v1::BOOT_STAGE_IN_TEST) {
    return absl::FailedPreconditionError(
        "a test kernel runs: shakedown-laptop stop brings the machine home, leave then");
  }
  const absl::Status paused = Pause(0);
  if (stage != v1::BOOT_STAGE_NONE) RETURN_IF_ERROR(Of(parts_.transaction.Restore()));
  return paused;
}

absl::Status Keeper::TryBoot() {
  if (parts_.transaction.Where().stage != v1::BOOT_STAGE_NONE) {
    return absl::FailedPreconditionError("another boot is under way, want its end");
  }
  if (IsPaused(parts_.state.get(), parts_.host.Now())) {
    return absl::FailedPreconditionError("paused by the owner (shakedown-laptop resume)");
  }
  const std::string problem = parts_.transaction.Problem();
  if (!problem.empty()) return absl::FailedPreconditionError(problem);
  ASSIGN_OR_RETURN(const OwnKernel own,
                   FindOwnKernel(options_.root, parts_.host.Release(), NewUuid()));
  RETURN_IF_ERROR(Of(parts_.transaction.Install(own.order, own.files)));
  RETURN_IF_ERROR(Remember([](v1::KeeperState& state) { state.set_tried_boot(kUnderWay); }));
  return StartCountdown();
}

// At each start of the daemon, before anybody else is heard.
void Keeper::ContinueTriedBoot() {
  const Standing standing = parts_.transaction.Where();
  if (standing.stage == v1::BOOT_STAGE_NONE || parts_.transaction.Order().name() != kTryBoot) {
    return;
  }
  if (standing.stage == v1::BOOT_STAGE_IN_TEST) {
    return GoHome(ResultOf(v1::OUTCOME_MEASURED, ""));
  }
  std::string tried = "the daemon ended before the reboot";
  if (standing.stage == v1::BOOT_STAGE_RETURNED) {
    const absl::StatusOr<v1::BootResult> result = parts_.transaction.Collect();
    Of(result.status()).IgnoreError();
    if (!result.ok()) {
      tried = std::string(result.status().message());
    } else if (result->outcome() == v1::OUTCOME_MEASURED) {
      tried = absl::StrCat("ok ", absl::FormatTime("%Y-%m-%d", parts_.host.Now(), options_.zone),
                           " ", options_.loader);
    } else {
      tried = absl::StrCat(v1::Outcome_Name(result->outcome()).substr(sizeof("OUTCOME_") - 1), ": ",
                           result->reason());
    }
  }
  const absl::Status restored = Of(parts_.transaction.Restore());
  if (!restored.ok()) tried = absl::StrCat("could not be taken back: ", restored.message());
  Log(absl::StrCat("one-shot boot tried: ", tried));
  const absl::Status kept = Remember(
      [&](v1::KeeperState& state) { state.set_tried_boot(PrintableLine(tried, kMaxTried)); });
  if (!kept.ok()) Log(kept.message());
}

}  // namespace shakedown::laptop
