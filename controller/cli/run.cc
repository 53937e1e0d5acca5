#include "controller/cli/run.h"

#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/clients.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/options.h"
#include "proto/wire/status.h"

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
  int operator()(const CompareArgs& args) const { return CompareKernels(desk, args); }
  int operator()(const ChangePointsArgs& args) const { return ChangePoints(desk.screen, args); }
  int operator()(const HistoryArgs& args) const { return History(desk, args); }
  int operator()(const SeriesArgs& args) const { return ListSeries(desk, args); }
  int operator()(const RegressionsArgs& args) const { return Regressions(desk, args); }
  int operator()(const MachineSetArgs& args) const { return SetMachine(desk, args); }
  int operator()(const BuildSignArgs& args) const { return SignBuild(desk, args); }
  int operator()(const KeyNewArgs& args) const { return NewKey(desk.screen, args); }
  int operator()(const BisectArgs& args) const { return Bisect(desk, args); }
  int operator()(const NotifyArgs& args) const { return Notify(desk, args); }
  int operator()(const ExportArgs& args) const { return Export(desk, args); }
  int operator()(const ParseArgs& args) const { return Parse(desk.screen, args); }
  int operator()(const ExplainArgs& args) const { return Explain(desk, args); }
  int operator()(const BootArgs& args) const { return ShowBoot(desk, args); }
  int operator()(const QueueArgs& args) const { return ShowQueue(desk, args); }
  // Done before a farm is looked for.
  int operator()(const ContextsArgs&) const { return kOk; }
  int operator()(const CompleteArgs&) const { return kOk; }
  int operator()(const DoctorArgs&) const { return kOk; }
  int operator()(const ImportArgs& args) const { return Import(desk, args); }
  int operator()(const ImportsArgs& args) const { return Imports(desk, args); }
  int operator()(const NoteArgs& args) const { return AddNote(desk, args); }
  int operator()(const NotesArgs& args) const { return ListNotes(desk, args); }
};

Desk DeskOf(Screen& screen, const Clients& clients, Clock& clock, Interrupt& interrupt) {
  return {.screen = screen,
          .farm = *clients.farm,
          .clock = clock,
          .interrupt = interrupt,
          .history = clients.history.get(),
          .detail = clients.detail.get(),
          .imports = clients.imports.get(),
          .bisects = clients.bisects.get(),
          .notify = clients.notify.get()};
}

// A shell waits for it: without a farm it offers what it knows itself, and complains of nothing.
int RunComplete(const Invocation& invocation, const CompleteArgs& args, Screen& screen,
                const Environment& environment, Clock& clock, Interrupt& interrupt) {
  const absl::StatusOr<ConnectionFlags> settings = FindSettings(invocation.connection, environment);
  if (!settings.ok()) return Complete(nullptr, screen, args, environment);
  const absl::StatusOr<Clients> clients = Connect(*settings);
  if (!clients.ok()) return Complete(nullptr, screen, args, environment);
  const Desk desk = DeskOf(screen, *clients, clock, interrupt);
  return Complete(&desk, screen, args, environment);
}

// "@last" becomes the newest job. Commands without a job are left alone.
struct FillLast {
  int64_t last;
  template <typename Args>
  void operator()(Args& args) const {
    if constexpr (requires { args.job = int64_t{}; }) {
      if (args.job == kLastJob) args.job = last;
    }
    if constexpr (std::is_same_v<Args, BootArgs> || std::is_same_v<Args, ReproduceArgs>)
      Fill(args.boot);
    if constexpr (std::is_same_v<Args, LogsArgs>) Fill(args.name);
  }
  void Fill(std::string& boot) const {
    if (absl::StartsWith(boot, kLast)) boot = absl::StrCat(last, boot.substr(kLast.size()));
  }
};

struct NamesLast {
  template <typename Args>
  bool operator()(const Args& args) const {
    if constexpr (requires { args.job == int64_t{}; }) return args.job == kLastJob;
    if constexpr (std::is_same_v<Args, BootArgs> || std::is_same_v<Args, ReproduceArgs>)
      return absl::StartsWith(args.boot, kLast);
    if constexpr (std::is_same_v<Args, LogsArgs>) return absl::StartsWith(args.name, kLast);
    return false;
  }
};

absl::Status ResolveLast(Farm& farm, CommandArgs* command) {
  if (!std::visit(NamesLast{}, *command)) return absl::OkStatus();
  v1::ListJobsRequest request;
  request.set_limit(1);
  ASSIGN_OR_RETURN(const v1::ListJobsResponse jobs, farm.ListJobs(request));
  if (jobs.jobs().empty()) return absl::NotFoundError("@last: there is no job yet");
  std::visit(FillLast{jobs.jobs(0).job()}, *command);
  return absl::OkStatus();
}

int RunOnFarm(const Invocation& invocation, Screen& screen, const Environment& environment,
              Clock& clock, Interrupt& interrupt) {
  const absl::StatusOr<ConnectionFlags> settings = FindSettings(invocation.connection, environment);
  if (!settings.ok()) return Fail(screen, settings.status());
  const absl::StatusOr<Clients> clients = Connect(*settings);
  if (!clients.ok()) return Fail(screen, clients.status());
  CommandArgs command = invocation.command;
  const absl::Status resolved = ResolveLast(*clients->farm, &command);
  if (!resolved.ok()) return Fail(screen, resolved);
  const Desk desk = DeskOf(screen, *clients, clock, interrupt);
  return std::visit(Dispatch{desk}, command);
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
  if (const auto* compare = std::get_if<CompareArgs>(&invocation.command);
      compare != nullptr && compare->machine.empty())
    return Compare(screen, *compare);
  if (const auto* import = std::get_if<ImportArgs>(&invocation.command);
      import != nullptr && import->dry_run)
    return ImportDryRun(screen, *import);
  if (const auto* points = std::get_if<ChangePointsArgs>(&invocation.command))
    return ChangePoints(screen, *points);
  if (const auto* parse = std::get_if<ParseArgs>(&invocation.command)) return Parse(screen, *parse);
  if (const auto* key = std::get_if<KeyNewArgs>(&invocation.command)) return NewKey(screen, *key);
  if (const auto* contexts = std::get_if<ContextsArgs>(&invocation.command))
    return Contexts(screen, *contexts, environment);
  if (const auto* doctor = std::get_if<DoctorArgs>(&invocation.command))
    return Doctor(screen, *doctor, invocation.connection, environment, clock);
  if (const auto* complete = std::get_if<CompleteArgs>(&invocation.command))
    return RunComplete(invocation, *complete, screen, environment, clock, interrupt);
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
