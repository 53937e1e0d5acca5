#include "agent/runner/setup/machine_setup.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/runner/loads/caches.h"
#include "agent/runner/setup/say.h"
#include "agent/runner/setup/sched_ext.h"
#include "agent/runner/setup/step_plan.h"
#include "agent/runner/setup/undo_guardian.h"
#include "controller/plan/setup_text.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr int kMostSteps = 64;

std::string UndoText(const std::vector<UndoAction>& actions) {
  return absl::StrJoin(actions, "; ", [](std::string* out, const UndoAction& action) {
    absl::StrAppend(out, UndoLine(action));
  });
}

// Steps that only wait or look need no journal, and so no right to write one.
bool ChangesMachine(const v1::ApplySetup& wanted) {
  return wanted.has_sched_ext() ||
         std::any_of(wanted.steps().begin(), wanted.steps().end(), [](const v1::SetupStep& step) {
           return !step.has_settle() && !step.has_drop_caches() && !step.has_require_ac();
         });
}

}  // namespace

MachineSetup::~MachineSetup() {
  const absl::Status undone = Undo();
  if (!undone.ok()) Say(undone.message());
}

absl::Status MachineSetup::Do(const v1::SetupStep& step) {
  RETURN_IF_ERROR(plan::CheckSetupStep(step));
  ASSIGN_OR_RETURN(const StepPlan plan, PlanStep(step, root_));
  v1::SetupRecord& record = records_.emplace_back();
  record.set_step(plan::PrintSetupStep(step));
  record.set_before(plan.before);
  record.set_undo(UndoText(plan.undo));
  for (const UndoAction& action : plan.undo) RETURN_IF_ERROR(journal_->Add(action));
  if (plan.act) RETURN_IF_ERROR(plan.act());
  if (step.has_settle()) settles_.push_back(step.settle());
  if (step.drop_caches()) drop_caches_ = true;
  return absl::OkStatus();
}

absl::Status MachineSetup::Start(const v1::SchedExt& wanted) {
  v1::SetupRecord& record = records_.emplace_back();
  record.set_step(absl::StrCat("sched_ext ", absl::StrJoin(wanted.command(), " ")));
  record.set_before("disabled");
  const auto promise = [&](SchedExtProgram program) {
    const UndoAction end = {UndoAction::Kind::kEndProcess, absl::StrCat(program.pid),
                            absl::StrCat(program.start_ticks)};
    record.set_undo(UndoLine(end));
    return journal_->Add(end);
  };
  ASSIGN_OR_RETURN(const SchedExtProgram program, StartSchedExt(wanted, promise, root_, clock_));
  scheduler_ = program.pid;
  return absl::OkStatus();
}

absl::Status MachineSetup::BeginJournal() {
  ASSIGN_OR_RETURN(journal_, UndoJournal::Open(root_));
  RETURN_IF_ERROR(Annotate(journal_->UndoAll(clock_), "left by a crash"));
  ASSIGN_OR_RETURN(guardian_, StartUndoGuardian(root_));
  return absl::OkStatus();
}

void MachineSetup::EndJournal() {
  if (guardian_ > 0) EndUndoGuardian(guardian_);
  guardian_ = 0;
  scheduler_ = 0;
  journal_.reset();
}

void MachineSetup::Leave() { EndJournal(); }

absl::StatusOr<std::vector<v1::SetupRecord>> MachineSetup::Apply(const v1::ApplySetup& wanted) {
  if (!records_.empty() || journal_) {
    return absl::FailedPreconditionError("setup: is in place already, want UndoSetup before it");
  }
  if (wanted.steps_size() > kMostSteps) {
    return absl::InvalidArgumentError(
        absl::StrCat("setup: ", wanted.steps_size(), " steps, want at most ", kMostSteps));
  }
  absl::Status status;
  if (ChangesMachine(wanted)) {
    status = Annotate(BeginJournal(), "setup");
  }
  for (int i = 0; i < wanted.steps_size() && status.ok(); ++i) {
    status = Annotate(Do(wanted.steps(i)),
                      absl::StrCat("setup: ", plan::PrintSetupStep(wanted.steps(i))));
  }
  if (status.ok() && wanted.has_sched_ext()) {
    status = Start(wanted.sched_ext());
    // Aborted: the scheduler's doing. All else is the machine's.
    status = Annotate(status, absl::IsAborted(status) ? "sched_ext" : "setup: sched_ext");
  }
  if (status.ok()) return records_;
  const absl::Status undone = Undo();
  if (!undone.ok()) Say(undone.message());
  records_.clear();
  return status;
}

absl::Status MachineSetup::Undo() {
  settles_.clear();
  drop_caches_ = false;
  if (!journal_) return absl::OkStatus();
  const absl::Status undone = Annotate(journal_->UndoAll(clock_), "setup");
  for (v1::SetupRecord& record : records_) record.set_undone(undone.ok() && !record.undo().empty());
  EndJournal();  // What failed is in it for who comes next.
  return undone;
}

absl::Status MachineSetup::BeforeLoad() const {
  if (!drop_caches_) return absl::OkStatus();
  return Annotate(DropCaches(root_ + kDropCachesFile), "setup: drop_caches");
}

std::set<pid_t> MachineSetup::own() const {
  std::set<pid_t> own;
  for (const pid_t pid : {scheduler_, guardian_}) {
    if (pid > 0) own.insert(pid);
  }
  return own;
}

}  // namespace shakedown::runner
