#include "agent/runner/loads/command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/loads/latt.h"
#include "agent/runner/loads/parallel_command.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr size_t kLongestScript = 64 << 10;
constexpr uint32_t kMostCopies = 64;

absl::Status WriteScript(const std::string& path, absl::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  if (file.get() < 0) return ErrnoStatus(errno, path);
  while (!text.empty()) {
    const ssize_t wrote = write(file.get(), text.data(), text.size());
    if (wrote < 0 && errno != EINTR) return ErrnoStatus(errno, path);
    if (wrote > 0) text.remove_prefix(static_cast<size_t>(wrote));
  }
  return absl::OkStatus();
}

absl::StatusOr<TimedCommand> CommandOf(const v1::CommandLoad& load, const LoadContext& context) {
  TimedCommand command;
  command.share_output = context.share_output;
  command.own_environment = context.for_person;
  if (load.words().empty() == load.script().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "command: ", load.words().empty() ? "neither" : "both", " words and script, want one"));
  }
  if (!load.words().empty()) {
    command.argv = {load.words().begin(), load.words().end()};
    return command;
  }
  if (load.script().size() > kLongestScript || !absl::StartsWith(load.script(), "#!")) {
    return absl::InvalidArgumentError(absl::StrCat("command: script of ", load.script().size(),
                                                   " bytes, want at most ", kLongestScript,
                                                   " that start with \"#!\" and an interpreter"));
  }
  command.folder = context.scratch + "/command";
  if (mkdir(command.folder.c_str(), 0700) != 0) return ErrnoStatus(errno, command.folder);
  command.argv = {command.folder + "/script"};
  RETURN_IF_ERROR(WriteScript(command.argv[0], load.script()));
  return command;
}

void Record(const ParallelTimes& times, Recorder recorder) {
  const CommandTimes whole = times.Whole();
  recorder.Add("command.real", whole.real_s, "s");
  recorder.Add("command.user", whole.user_s, "s");
  recorder.Add("command.sys", whole.system_s, "s");
  recorder.Add("command.majflt", static_cast<double>(whole.major_faults), "1");
  recorder.Add("command.ctxt.voluntary", static_cast<double>(whole.voluntary_switches), "1");
  recorder.Add("command.ctxt.involuntary", static_cast<double>(whole.involuntary_switches), "1");
  recorder.Add("command.exit_code", whole.exit_code, "1");
  if (times.copies.size() == 1) return;
  double sum = 0, longest = 0;
  for (const CommandTimes& copy : times.copies) {
    sum += copy.real_s;
    longest = std::max(longest, copy.real_s);
  }
  recorder.Add("command.copy.avg", sum / static_cast<double>(times.copies.size()), "s");
  recorder.Add("command.copy.max", longest, "s");
}

}  // namespace

absl::StatusOr<v1::LoadRun> RunCommandLoad(const v1::Load& load, const LoadContext& context) {
  ASSIGN_OR_RETURN(const TimedCommand command, CommandOf(load.command(), context));
  const uint32_t copies = std::max(1u, load.command().parallel());
  if (copies > kMostCopies) {
    return absl::InvalidArgumentError(
        absl::StrCat("command: parallel ", copies, ", want at most ", kMostCopies));
  }
  if (load.command().under_latt()) {
    v1::Load latt = load;
    *latt.mutable_latt() = load.command().latt();
    return RunLattAround(
        latt, {command, copies, {}, absl::Seconds(latt.latt().seconds()), context.for_person},
        context);
  }
  v1::LoadRun run;
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    context.progress(static_cast<double>(i - 1) / all,
                     absl::StrCat(command.argv[0], ", iteration ", i, " of ", all));
    absl::StatusOr<ParallelTimes> times = TimeParallel(command, copies, context.for_person);
    if (!times.ok()) return Annotate(times.status(), absl::StrCat("iteration ", i));
    Record(*times, Recorder(run, i, IsWarmup(load, i)));
    for (const CommandTimes& copy : times->copies) {
      absl::StrAppend(run.mutable_output(), copy.output, ClassicTimes(copy));
      if (copy.exit_code != 0) {
        absl::StrAppend(run.mutable_output(), "exit code ", copy.exit_code, "\n");
      }
    }
  }
  return run;
}

}  // namespace shakedown::runner
