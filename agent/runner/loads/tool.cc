#include "agent/runner/loads/tool.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/runner/loads/output_text.h"
#include "agent/runner/loads/timed_command.h"
#include "agent/runner/loads/tool_output.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr size_t kKeep = 256 << 10;
constexpr uint32_t kMostSeconds = 3600;

struct Tool {
  const char* name;
  const char* program;
  const char* package;              // Debian's.
  std::vector<std::string> before;  // Arguments that are the load's own.
  std::vector<std::string> version;
  ToolValues (*parse)(absl::string_view output);
};

const std::vector<Tool>& Tools() {
  // hackbench knows no --version and prints it above its help.
  static const auto* tools = new std::vector<Tool>{
      {"hackbench", "hackbench", "rt-tests", {}, {"--help"}, ParseHackbench},
      {"cyclictest", "cyclictest", "rt-tests", {"-q"}, {"--help"}, ParseCyclictest},
      {"stress-ng", "stress-ng", "stress-ng", {"--metrics-brief"}, {"--version"}, ParseStressNg},
      {"sysbench", "sysbench", "sysbench", {}, {"--version"}, ParseSysbench},
      {"perf-messaging",
       "perf",
       "linux-perf",
       {"bench", "sched", "messaging"},
       {"--version"},
       ParsePerfMessaging},
      {"perf-pipe", "perf", "linux-perf", {"bench", "sched", "pipe"}, {"--version"}, ParsePerfPipe},
  };
  return *tools;
}

absl::StatusOr<const Tool*> FindTool(const v1::ToolLoad& load) {
  for (const Tool& tool : Tools()) {
    if (load.tool() == tool.name) return &tool;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "tool ", Quoted(load.tool()), ", want one of ",
      absl::StrJoin(Tools(), ", ",
                    [](std::string* out, const Tool& tool) { absl::StrAppend(out, tool.name); })));
}

// cyclictest prints nanoseconds and microseconds alike, and histograms in place of its lines.
absl::Status CheckArguments(const v1::ToolLoad& load) {
  if (load.tool() == "cyclictest") {
    for (const std::string& word : load.arguments()) {
      const bool cluster = word.size() > 1 && word[0] == '-' && word[1] != '-';
      if (absl::StartsWith(word, "--ns") || (cluster && absl::StrContains(word, 'N'))) {
        return absl::InvalidArgumentError(
            absl::StrCat("tool cyclictest: argument ", Quoted(word),
                         ": its output does not tell ns from us, want us"));
      }
    }
  }
  if (load.tool() == "stress-ng" && load.arguments().empty()) {
    return absl::InvalidArgumentError(
        "tool stress-ng: no arguments, want its stressors, as --switch 2");
  }
  return absl::OkStatus();
}

std::string VersionOf(const Tool& tool, const std::string& program) {
  TimedCommand command;
  command.argv = {program};
  command.argv.insert(command.argv.end(), tool.version.begin(), tool.version.end());
  const absl::StatusOr<CommandTimes> times = TimeCommand(command);
  if (!times.ok()) return "";
  const std::vector<std::string> lines = absl::StrSplit(times->output, '\n');
  return OneLine(lines[0]);
}

absl::StatusOr<std::string> Installed(const Tool& tool) {
  std::string program = FindProgram(tool.program);
  if (!program.empty()) return program;
  return absl::FailedPreconditionError(
      absl::StrCat("tool ", tool.name, ": ", tool.program,
                   " is not installed on this machine, want the package ", tool.package));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ToolArgv(const v1::ToolLoad& load) {
  ASSIGN_OR_RETURN(const Tool* tool, FindTool(load));
  RETURN_IF_ERROR(CheckArguments(load));
  if (load.seconds() > kMostSeconds) {
    return absl::InvalidArgumentError(
        absl::StrCat("tool: seconds ", load.seconds(), ", want at most ", kMostSeconds));
  }
  const uint32_t seconds = load.seconds() > 0 ? load.seconds() : 10;
  std::vector<std::string> argv = {tool->program};
  argv.insert(argv.end(), tool->before.begin(), tool->before.end());
  if (load.tool() == "cyclictest") argv.insert(argv.end(), {"-D", absl::StrCat(seconds)});
  if (load.tool() == "stress-ng")
    argv.insert(argv.end(), {"--timeout", absl::StrCat(seconds, "s")});
  argv.insert(argv.end(), load.arguments().begin(), load.arguments().end());
  if (load.tool() == "sysbench") {
    if (load.arguments().empty()) argv.push_back("threads");
    argv.insert(argv.end(), {absl::StrCat("--time=", seconds), "run"});
  }
  return argv;
}

absl::StatusOr<v1::LoadRun> RunToolLoad(const v1::Load& load, const LoadContext& context) {
  ASSIGN_OR_RETURN(const Tool* tool, FindTool(load.tool()));
  TimedCommand command;
  ASSIGN_OR_RETURN(command.argv, ToolArgv(load.tool()));
  ASSIGN_OR_RETURN(const std::string program, Installed(*tool));
  command.folder = context.scratch;
  command.keep = kKeep;
  v1::LoadRun run;
  run.set_tool_version(VersionOf(*tool, program));
  if (run.tool_version().empty()) {
    run.add_warnings(absl::StrCat("tool ", tool->name, ": does not say its version"));
  }
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    context.progress(static_cast<double>(i - 1) / all,
                     absl::StrCat(tool->name, ", iteration ", i, " of ", all));
    ASSIGN_OR_RETURN(const CommandTimes times, TimeCommand(command));
    RETURN_IF_ERROR(CommandStatus(command, times));
    if (times.output.size() >= kKeep) {
      return absl::DataLossError(
          absl::StrCat("tool ", tool->name, ": more than ", kKeep, " bytes of output, want less"));
    }
    ASSIGN_OR_RETURN(const std::vector<ToolValue> values, tool->parse(times.output));
    Recorder recorder(run, i, IsWarmup(load, i));
    for (const ToolValue& value : values) recorder.Add(value.metric, value.value, value.unit);
    recorder.Add("tool.real", times.real_s, "s");
    absl::StrAppend(run.mutable_output(), "$ ", absl::StrJoin(command.argv, " "), "\n",
                    times.output);
  }
  return run;
}

}  // namespace shakedown::runner
