// How to take back what was changed on a machine, on disk before it is changed: whoever comes next
// can do it, however the one who made the change has ended.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_UNDO_JOURNAL_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_UNDO_JOURNAL_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {

// Idempotent: done twice is as done once.
struct UndoAction {
  enum class Kind { kWrite, kStartService, kEndProcess };
  Kind kind = Kind::kWrite;
  std::string target;  // Path below /proc/sys or /sys; service's name; pid.
  std::string value;   // What to write; "systemd" or "sysv"; start of the process, in ticks.
};
UndoAction WriteBack(std::string path, std::string value);

// One line for a shell that does it.
std::string UndoLine(const UndoAction& action);

// /run/shakedown-runner/undo, of one boot: what another boot changed is gone with its kernel, and
// its services have been started anew. Locked while open. Not thread-safe.
class UndoJournal {
 public:
  // Opens it or makes it. `root` stands before every path; empty outside tests.
  // FailedPrecondition: another process of ours has it open.
  static absl::StatusOr<std::unique_ptr<UndoJournal>> Open(const std::string& root);
  ~UndoJournal();
  UndoJournal(const UndoJournal&) = delete;

  // In the order they were added. A line that was cut off by a crash is not there: what it would
  // undo was not done yet.
  const std::vector<UndoAction>& actions() const { return actions_; }
  // On disk when it returns.
  absl::Status Add(UndoAction action);
  // Does all in reverse order, each whatever became of the others, and forgets what worked. The
  // first error; what failed stays for the next try.
  absl::Status UndoAll(Clock& clock);

 private:
  UndoJournal(std::string root, int fd) : root_(std::move(root)), fd_(fd) {}
  absl::Status Load();
  absl::Status Rewrite();
  absl::Status Do(const UndoAction& action, Clock& clock) const;

  const std::string root_;
  const int fd_;
  std::vector<UndoAction> actions_;
};

// What a crash left is taken back; OK when there is nothing. Waits up to `limit` for a process that
// is just ending to let go.
absl::Status UndoLeftovers(const std::string& root, absl::Duration limit, Clock& clock);

// Sends SIGTERM, after 5 s SIGKILL, to a process that is still the one that started at that tick.
// DeadlineExceeded: it lives on. Reaps it when it is our child.
absl::Status EndProcess(pid_t pid, uint64_t start_ticks, Clock& clock);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_UNDO_JOURNAL_H_
