#include "agent/runner/loads/beside.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/prepare_build.h"
#include "agent/runner/loads/timed_command.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr absl::Duration kSettle = absl::Seconds(1);
constexpr uint32_t kMostThreads = 1024;

absl::Status BuildOverAndOver(const BuildPlan& build) {
  TimedCommand make;
  make.argv = build.Argv();
  make.folder = build.tree;
  for (;;) {
    RETURN_IF_ERROR(RemoveObjects(build));
    ASSIGN_OR_RETURN(const CommandTimes times, TimeCommand(make));
    RETURN_IF_ERROR(CommandStatus(make, times));
  }
}

absl::Status RunOverAndOver(const TimedCommand& command) {
  for (;;) {
    ASSIGN_OR_RETURN(const CommandTimes times, TimeCommand(command));
    RETURN_IF_ERROR(CommandStatus(command, times));
  }
}

absl::Status Burn(uint32_t threads) {
  const auto forever = [] {
    for (;;) BurnLoops(1 << 20);
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads; ++i) others.emplace_back(forever);
  forever();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BesideLoad> BesideLoad::Start(const v1::Beside& beside, const LoadContext& context,
                                             v1::LoadRun& run) {
  BesideLoad load;
  CompanionPlan plan;
  TimedCommand command;
  switch (beside.kind_case()) {
    case v1::Beside::kMake: {
      ASSIGN_OR_RETURN(load.build_, PrepareBuild(beside.make(), context, run));
      plan.name = "make beside it";
      const BuildPlan build = *load.build_;
      plan.body = [build] { return BuildOverAndOver(build); };
      break;
    }
    case v1::Beside::kCommand:
      command.argv = {beside.command().words().begin(), beside.command().words().end()};
      if (command.argv.empty()) {
        return absl::InvalidArgumentError("beside: the command is empty, want a program");
      }
      plan.name = absl::StrCat("the command ", command.argv[0], " beside it");
      plan.body = [command] { return RunOverAndOver(command); };
      break;
    case v1::Beside::kBurnThreads: {
      const uint32_t threads = beside.burn_threads();
      if (threads == 0 || threads > kMostThreads) {
        return absl::InvalidArgumentError(
            absl::StrCat("beside: burn_threads ", threads, ", want 1 to ", kMostThreads));
      }
      plan.name = absl::StrCat(threads, " burning threads beside it");
      plan.body = [threads] { return Burn(threads); };
      break;
    }
    case v1::Beside::KIND_NOT_SET:
      return load;
  }
  ASSIGN_OR_RETURN(load.companion_, Companion::Start(plan));
  context.clock.Sleep(kSettle);
  RETURN_IF_ERROR(load.CheckAlive());
  return load;
}

absl::Status BesideLoad::CheckAlive() {
  return companion_ ? companion_->CheckAlive() : absl::OkStatus();
}

absl::Status BesideLoad::Stop() {
  companion_.reset();
  // A make of it may live on for a moment; who adopts it ends it and removes objects once more.
  return build_ ? RemoveNamedObjects(*build_) : absl::OkStatus();
}

}  // namespace shakedown::runner
