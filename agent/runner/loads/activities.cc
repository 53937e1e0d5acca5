#include "agent/runner/loads/activities.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/frame_machine.h"
#include "agent/runner/loads/timed_command.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

// Audio burns 5 % of a CPU every 50 ms, video 40 % at 60 a second, as interbench's do.
constexpr uint32_t kAudioFps = 20, kAudioPercent = 5;
constexpr uint32_t kVideoFps = 60, kVideoPercent = 40;
constexpr int kLeastNice = -20, kMostNice = 19;

std::string NameOf(const v1::Activity& activity) {
  if (!activity.name().empty()) return absl::StrCat("activity ", Quoted(activity.name()));
  return activity.has_audio()   ? "activity audio"
         : activity.has_video() ? "activity video"
                                : "activity command";
}

absl::Status CheckNice(absl::string_view what, int nice) {
  if (nice >= kLeastNice && nice <= kMostNice) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": nice ", nice, ", want ", kLeastNice, " to ", kMostNice));
}

absl::Status Play(uint64_t loops_per_ms, uint32_t fps, uint32_t percent) {
  FrameMachine machine(LoopsPerFrame(loops_per_ms, fps, percent, 1), 1);
  for (;;) PaceFrames(fps, uint64_t{fps} * 60, machine);  // In pieces: what it counts is not kept.
}

absl::Status RunOnce(const TimedCommand& command) {
  ASSIGN_OR_RETURN(const CommandTimes times, TimeCommand(command));
  RETURN_IF_ERROR(CommandStatus(command, times));
  return absl::UnavailableError(absl::StrCat(command.argv[0], ": exit code 0"));
}

bool Burns(const v1::Activity& activity) { return activity.has_audio() || activity.has_video(); }

}  // namespace

absl::Status Activities::Start(const google::protobuf::RepeatedPtrField<v1::Activity>& activities,
                               uint64_t loops_per_ms) {
  for (const v1::Activity& activity : activities) {
    CompanionPlan plan;
    plan.name = NameOf(activity);
    plan.nice = activity.nice();
    plan.own_session = true;
    RETURN_IF_ERROR(CheckNice(plan.name, plan.nice));
    if (activity.has_audio()) {
      plan.body = [=] { return Play(loops_per_ms, kAudioFps, kAudioPercent); };
    } else if (activity.has_video()) {
      plan.body = [=] { return Play(loops_per_ms, kVideoFps, kVideoPercent); };
    } else {
      TimedCommand command;
      command.argv = {activity.command().words().begin(), activity.command().words().end()};
      if (command.argv.empty()) {
        return absl::InvalidArgumentError(absl::StrCat(
            plan.name, ": no kind or an empty command, want audio, video or a command"));
      }
      plan.body = [command] { return RunOnce(command); };
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Companion> companion, Companion::Start(plan));
    running_.push_back(std::move(companion));
  }
  return absl::OkStatus();
}

absl::Status Activities::CheckAlive() {
  for (const std::unique_ptr<Companion>& companion : running_) {
    RETURN_IF_ERROR(companion->CheckAlive());
  }
  return absl::OkStatus();
}

bool NeedsCalibration(const v1::RunLoad& request) {
  const v1::Load& load = request.load();
  return (load.has_frames() && load.frames().loops_per_ms() == 0) ||
         std::any_of(request.background().begin(), request.background().end(), Burns);
}

absl::StatusOr<v1::LoadRun> PerformLoad(const v1::RunLoad& request, LoadContext context) {
  const v1::Load& load = request.load();
  RETURN_IF_ERROR(CheckNice("load", load.nice()));
  if (load.has_interbench() && load.nice() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("interbench: nice ", load.nice(),
                                                   ", want bench_nice and load_nice in its place"));
  }
  if (request.loops_per_ms() > 0) context.loops_per_ms = request.loops_per_ms();
  if (context.loops_per_ms == 0 && NeedsCalibration(request)) {
    context.progress(0, "calibrating");
    ASSIGN_OR_RETURN(context.loops_per_ms, CalibrateThisCpu());
  }
  Activities activities;
  RETURN_IF_ERROR(activities.Start(request.background(), context.loops_per_ms));
  if (load.nice() != 0 && setpriority(PRIO_PROCESS, 0, load.nice()) != 0) {
    return ErrnoStatus(errno, absl::StrCat("load: nice ", load.nice()));
  }
  absl::StatusOr<v1::LoadRun> run = RunLoad(load, context);
  if (run.ok()) RETURN_IF_ERROR(activities.CheckAlive());
  return run;
}

}  // namespace shakedown::runner
