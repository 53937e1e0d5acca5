#include "controller/cli/run.h"

#include <memory>
#include <variant>

#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/options.h"

namespace shakedown::cli {
namespace {

struct Dispatch {
  const Desk& desk;
  int operator()(const SubmitArgs& args) const { return Submit(desk, args); }
  int operator()(const WatchArgs& args) const { return Watch(desk, args); }
  int operator()(const ReportArgs& args) const { return Report(desk, args); }
  int operator()(const ReproduceArgs& args) const { return Reproduce(desk, args); }
  int operator()(const CancelArgs& args) const { return Cancel(desk, args); }
  int operator()(const LogsArgs& args) const { return Logs(desk, args); }
  int operator()(const ListArgs& args) const { return List(desk, args); }
  int operator()(const JobArgs& args) const { return ShowJob(desk, args); }
  int operator()(const BootsArgs& args) const { return Boots(desk, args); }
  int operator()(const KernelShowArgs& args) const { return ShowKernel(desk, args); }
  int operator()(const KernelAddArgs& args) const { return AddKernel(desk, args); }
  int operator()(const KernelRemoveArgs& args) const { return RemoveKernel(desk, args); }
  int operator()(const InputAddArgs& args) const { return AddInput(desk, args); }
  int operator()(const InputListArgs& args) const { return ListInputs(desk, args); }
  int operator()(const KernelLintArgs& args) const { return LintKernels(desk.screen, args); }
  int operator()(const MachineSetArgs& args) const { return SetMachine(desk, args); }
  int operator()(const BuildSignArgs& args) const { return SignBuild(desk, args); }
  int operator()(const KeyNewArgs& args) const { return NewKey(desk.screen, args); }
  int operator()(const CompareArgs& args) const { return Compare(desk.screen, args); }
  int operator()(const ChangePointsArgs& args) const { return ChangePoints(desk.screen, args); }
  int operator()(const ParseArgs& args) const { return Parse(desk.screen, args); }
};

int RunOnFarm(const Invocation& invocation, Screen& screen, const Environment& environment,
              Clock& clock, Interrupt& interrupt) {
  const absl::StatusOr<ConnectionFlags> settings = FindSettings(invocation.connection, environment);
  if (!settings.ok()) return Fail(screen, settings.status());
  const absl::StatusOr<std::unique_ptr<Farm>> farm = MakeGrpcFarm(*settings);
  if (!farm.ok()) return Fail(screen, farm.status());
  const Desk desk = {screen, **farm, clock, interrupt};
  return std::visit(Dispatch{desk}, invocation.command);
}

int RunParsed(const std::variant<Invocation, Answer>& parsed, Screen& screen,
              const Environment& environment, Clock& clock, Interrupt& interrupt) {
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    if (answer->exit_code == kOk) {
      screen.Print(answer->text);
    } else {
      screen.Complain(answer->text);
    }
    return answer->exit_code;
  }
  const auto& invocation = std::get<Invocation>(parsed);
  // The commands that need no farm.
  if (const auto* compare = std::get_if<CompareArgs>(&invocation.command))
    return Compare(screen, *compare);
  if (const auto* points = std::get_if<ChangePointsArgs>(&invocation.command))
    return ChangePoints(screen, *points);
  if (const auto* parse = std::get_if<ParseArgs>(&invocation.command)) return Parse(screen, *parse);
  if (const auto* key = std::get_if<KeyNewArgs>(&invocation.command)) return NewKey(screen, *key);
  const auto* lint = std::get_if<KernelLintArgs>(&invocation.command);
  return lint != nullptr ? LintKernels(screen, *lint)
                         : RunOnFarm(invocation, screen, environment, clock, interrupt);
}

}  // namespace

int Run(const std::vector<std::string>& arguments, Screen& screen, const Environment& environment,
        Clock& clock, Interrupt& interrupt) {
  const std::variant<Invocation, Answer> parsed = ParseArguments(arguments);
  const int code = RunParsed(parsed, screen, environment, clock, interrupt);
  if (screen.healthy()) return code;
  screen.Complain("standard output: not everything could be written");
  return code == kOk ? kCannotWrite : code;
}

}  // namespace shakedown::cli
