// The machine as a job wants it: changed step by step, recorded, and taken back.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_MACHINE_SETUP_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_MACHINE_SETUP_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/runner/setup/settle.h"
#include "agent/runner/setup/undo_journal.h"
#include "proto/wire/clock.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::runner {

// Every change is in the undo journal before it is made: when this process dies, even by SIGKILL,
// its guardian takes it back; if that dies, too, the next setup or "shakedown-runner undo" does.
// Used by one thread, whose end counts as the process's.
class MachineSetup {
 public:
  // `root` stands before every path; empty outside tests.
  MachineSetup(std::string root, Clock& clock) : root_(std::move(root)), clock_(clock) {}
  // Takes back what still stands.
  ~MachineSetup();
  MachineSetup(const MachineSetup&) = delete;

  // All steps in order, then the sched_ext program; after an error nothing of it stands. Errors
  // start with "setup: STEP: " for what this machine can not do and with "sched_ext: " where the
  // kernel or the scheduler's program refused; these say nothing of the machine.
  absl::StatusOr<std::vector<v1::SetupRecord>> Apply(const v1::ApplySetup& wanted);
  // In reverse order. All records, `undone` where there was something to take back and it worked;
  // error: the first that did not, and it stays in the journal.
  absl::Status Undo();
  const std::vector<v1::SetupRecord>& records() const { return records_; }
  // Lets it stand when this ends: for who has the journal undone later.
  void Leave();

  // What is to be waited for and done before each load run.
  const std::vector<v1::Settle>& settles() const { return settles_; }
  absl::Status BeforeLoad() const;
  // Processes that belong to the setup: their CPU time is not foreign and no load's end ends them.
  std::set<pid_t> own() const;

 private:
  absl::Status Do(const v1::SetupStep& step);
  absl::Status Start(const v1::SchedExt& wanted);
  absl::Status BeginJournal();
  void EndJournal();

  const std::string root_;
  Clock& clock_;
  std::unique_ptr<UndoJournal> journal_;
  std::vector<v1::SetupRecord> records_;
  std::vector<v1::Settle> settles_;
  bool drop_caches_ = false;
  pid_t scheduler_ = 0, guardian_ = 0;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_MACHINE_SETUP_H_
