// One function a command. Each prints its result, complains in one line, and gives the exit code.
#ifndef SHAKEDOWN_CONTROLLER_CLI_COMMANDS_H_
#define SHAKEDOWN_CONTROLLER_CLI_COMMANDS_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "controller/cli/bisect_client.h"
#include "controller/cli/detail_client.h"
#include "controller/cli/farm.h"
#include "controller/cli/history_client.h"
#include "controller/cli/import_client.h"
#include "controller/cli/interrupt.h"
#include "controller/cli/notify_client.h"
#include "controller/cli/options.h"
#include "controller/cli/screen.h"
#include "proto/wire/clock.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::cli {

// What a command works with. Everything outlives it.
struct Desk {
  Screen& screen;
  Farm& farm;
  Clock& clock;
  Interrupt& interrupt;
  // Of the services that only their own commands call: there whenever such a command runs.
  HistoryClient* history = nullptr;
  DetailClient* detail = nullptr;
  ImportClient* imports = nullptr;
  BisectClient* bisects = nullptr;
  NotifyClient* notify = nullptr;
};

int Submit(const Desk& desk, const SubmitArgs& args);
int Watch(const Desk& desk, const WatchArgs& args);
int Report(const Desk& desk, const ReportArgs& args);
int Reproduce(const Desk& desk, const ReproduceArgs& args);
int Cancel(const Desk& desk, const CancelArgs& args);
int Bisect(const Desk& desk, const BisectArgs& args);
int Notify(const Desk& desk, const NotifyArgs& args);
int Export(const Desk& desk, const ExportArgs& args);
int Logs(const Desk& desk, const LogsArgs& args);
int List(const Desk& desk, const ListArgs& args);
int ShowJob(const Desk& desk, const JobArgs& args);
int Boots(const Desk& desk, const BootsArgs& args);
int History(const Desk& desk, const HistoryArgs& args);
int ListSeries(const Desk& desk, const SeriesArgs& args);
int Regressions(const Desk& desk, const RegressionsArgs& args);
int ShowKernel(const Desk& desk, const KernelShowArgs& args);
int AddKernel(const Desk& desk, const KernelAddArgs& args);
int RemoveKernel(const Desk& desk, const KernelRemoveArgs& args);
int AddInput(const Desk& desk, const InputAddArgs& args);
int ListInputs(const Desk& desk, const InputListArgs& args);
int SetMachine(const Desk& desk, const MachineSetArgs& args);
int SignBuild(const Desk& desk, const BuildSignArgs& args);
int NewKey(Screen& screen, const KeyNewArgs& args);
int LintKernels(Screen& screen, const KernelLintArgs& args);
int Compare(Screen& screen, const CompareArgs& args);
int ChangePoints(Screen& screen, const ChangePointsArgs& args);
int Parse(Screen& screen, const ParseArgs& args);
int Doctor(Screen& screen, const DoctorArgs& args, const ConnectionFlags& flags,
           const Environment& environment, Clock& clock);
int Contexts(Screen& screen, const ContextsArgs& args, const Environment& environment);
// `desk` null: there is no farm to ask.
int Complete(const Desk* desk, Screen& screen, const CompleteArgs& args,
             const Environment& environment);
int Explain(const Desk& desk, const ExplainArgs& args);
int ShowBoot(const Desk& desk, const BootArgs& args);
int ShowQueue(const Desk& desk, const QueueArgs& args);
int ImportDryRun(Screen& screen, const ImportArgs& args);
int Import(const Desk& desk, const ImportArgs& args);
int Imports(const Desk& desk, const ImportsArgs& args);
int AddNote(const Desk& desk, const NoteArgs& args);
int ListNotes(const Desk& desk, const NotesArgs& args);
// With a machine; Compare() is for files.
int CompareKernels(const Desk& desk, const CompareArgs& args);

// The job that the arguments describe. InvalidArgument names the option; errors of the job file.
absl::StatusOr<v1::JobSpec> SpecOf(const SubmitArgs& args);

// Complains, and says what a script is told.
int Fail(Screen& screen, const absl::Status& status);

// True when no answer came and asking again may help.
bool WorthAnotherTry(const absl::Status& status);

// Waits between tries: longer each time.
class Patience {
 public:
  Patience(const Desk& desk, absl::Duration limit);
  // Begins anew: an answer came.
  void Heard();
  void set_limit(absl::Duration limit) { limit_ = limit; }
  // Waits for the next try. False: the limit has passed since the last answer, or Ctrl-C.
  bool Wait();

 private:
  const Desk& desk_;
  absl::Duration limit_;
  absl::Duration heard_;
  absl::Duration pause_;
};

enum class Progress { kToOutput, kToErrors };

// Follows a job to its end, over restarts of the controller, then prints the summary; complains
// when it can not. What `watch` and `submit --wait` have in common.
struct Followed {
  int exit_code = 0;
  v1::JobView job;
  bool ended = false;
};
struct FollowOptions {
  bool compact = false;
  bool fail_fast = false;
};
Followed FollowAndTell(const Desk& desk, int64_t job, Progress progress,
                       const FollowOptions& options = {});

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_COMMANDS_H_
