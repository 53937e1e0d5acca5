#include "agent/runner/setup/undo_journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/runner/setup/identity.h"
#include "agent/runner/setup/kernel_file.h"
#include "agent/runner/setup/services.h"
#include "agent/runner/telemetry/task_stat.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/shell_quote.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kFolder[] = "/run/shakedown-runner";
constexpr char kName[] = "/undo";
constexpr size_t kLongestJournal = 1 << 20;
constexpr absl::Duration kPatience = absl::Seconds(5);

std::string WordOf(UndoAction::Kind kind) {
  switch (kind) {
    case UndoAction::Kind::kWrite:
      return "write";
    case UndoAction::Kind::kStartService:
      return "start";
    case UndoAction::Kind::kEndProcess:
      return "end";
  }
  return "";
}

std::string Sum(absl::string_view text) {
  return absl::StrCat(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

// "SUM kind TAB target TAB value LF", the last two escaped so that neither has a tab or line feed.
std::string LineOf(const UndoAction& action) {
  const std::string text = absl::StrCat(WordOf(action.kind), "\t", absl::CEscape(action.target),
                                        "\t", absl::CEscape(action.value));
  return absl::StrCat(Sum(text), " ", text, "\n");
}

std::optional<UndoAction> ParseLine(absl::string_view line) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  if (halves.first != Sum(halves.second)) return std::nullopt;
  const std::vector<absl::string_view> parts = absl::StrSplit(halves.second, '\t');
  if (parts.size() != 3) return std::nullopt;
  UndoAction action;
  if (!absl::CUnescape(parts[1], &action.target) || !absl::CUnescape(parts[2], &action.value)) {
    return std::nullopt;
  }
  for (const UndoAction::Kind kind :
       {UndoAction::Kind::kWrite, UndoAction::Kind::kStartService, UndoAction::Kind::kEndProcess}) {
    action.kind = kind;
    if (parts[0] == WordOf(kind)) return action;
  }
  return std::nullopt;
}

absl::Status WriteAndSync(int fd, absl::string_view text, const std::string& path) {
  const ssize_t wrote = write(fd, text.data(), text.size());
  if (wrote < 0) return ErrnoStatus(errno, path);
  if (wrote != static_cast<ssize_t>(text.size())) return ErrnoStatus(ENOSPC, path);
  return fsync(fd) == 0 ? absl::OkStatus() : ErrnoStatus(errno, path);
}

}  // namespace

UndoAction WriteBack(std::string path, std::string value) {
  return {UndoAction::Kind::kWrite, std::move(path), std::move(value)};
}

std::string UndoLine(const UndoAction& action) {
  switch (action.kind) {
    case UndoAction::Kind::kWrite:
      return absl::StrCat("printf '%s\\n' ", ShellQuote(action.value), " > ",
                          ShellQuote(action.target));
    case UndoAction::Kind::kStartService:
      return StartLine({action.value == "systemd", action.target});
    case UndoAction::Kind::kEndProcess:
      return absl::StrCat("kill ", ShellQuote(action.target));
  }
  return "";
}

absl::StatusOr<std::unique_ptr<UndoJournal>> UndoJournal::Open(const std::string& root) {
  const std::string folder = root + kFolder;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoStatus(errno, folder);
  const std::string path = folder + kName;
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return ErrnoStatus(errno, path);
  std::unique_ptr<UndoJournal> journal(new UndoJournal(root, fd));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is locked: another shakedown-runner changes this machine, want its end"));
  }
  RETURN_IF_ERROR(journal->Load());
  return journal;
}

UndoJournal::~UndoJournal() { close(fd_); }

absl::Status UndoJournal::Load() {
  const std::string path = root_ + kFolder + kName;
  absl::StatusOr<std::string> boot_id = ReadBootId();
  RETURN_IF_ERROR(boot_id.status());
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kLongestJournal));
  const std::string head = absl::StrCat("shakedown-undo 1 ", *boot_id, "\n");
  if (!absl::StartsWith(text, head)) {  // New, or of a boot that is over.
    if (ftruncate(fd_, 0) != 0) return ErrnoStatus(errno, path);
    RETURN_IF_ERROR(WriteAndSync(fd_, head, path));
    return SyncFolder(root_ + kFolder);
  }
  for (absl::string_view line : absl::StrSplit(absl::string_view(text).substr(head.size()), '\n')) {
    if (std::optional<UndoAction> action = ParseLine(line)) actions_.push_back(*std::move(action));
  }
  // A line that was cut off must not swallow the start of the next.
  if (text.back() != '\n') return WriteAndSync(fd_, "\n", path);
  return absl::OkStatus();
}

absl::Status UndoJournal::Add(UndoAction action) {
  RETURN_IF_ERROR(WriteAndSync(fd_, LineOf(action), root_ + kFolder + kName));
  actions_.push_back(std::move(action));
  return absl::OkStatus();
}

absl::Status UndoJournal::Do(const UndoAction& action, Clock& clock) const {
  switch (action.kind) {
    case UndoAction::Kind::kWrite:
      // Nobody else writes the journal; still nothing but the kernel's own files is written from
      // it.
      if ((!absl::StartsWith(action.target, "/proc/sys/") &&
           !absl::StartsWith(action.target, "/sys/")) ||
          absl::StrContains(action.target, "..")) {
        return absl::InvalidArgumentError(
            absl::StrCat("undo: ", Quoted(action.target), ", want a file of /proc/sys or /sys"));
      }
      return WriteKernelFile(root_ + action.target, action.value);
    case UndoAction::Kind::kStartService:
      return StartService({action.value == "systemd", action.target}, root_);
    case UndoAction::Kind::kEndProcess: {
      pid_t pid = 0;
      uint64_t start = 0;
      if (!absl::SimpleAtoi(action.target, &pid) || !absl::SimpleAtoi(action.value, &start) ||
          pid <= 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("undo: process ", Quoted(action.target), ", want a number above 1"));
      }
      return EndProcess(pid, start, clock);
    }
  }
  return absl::OkStatus();
}

absl::Status UndoJournal::UndoAll(Clock& clock) {
  absl::Status first;
  std::vector<UndoAction> failed;
  for (auto action = actions_.rbegin(); action != actions_.rend(); ++action) {
    const absl::Status done = Do(*action, clock);
    if (done.ok()) continue;
    first.Update(Annotate(done, absl::StrCat("undo (", UndoLine(*action), ")")));
    failed.insert(failed.begin(), *action);
  }
  actions_ = std::move(failed);
  first.Update(Rewrite());
  return first;
}

absl::Status UndoJournal::Rewrite() {
  const std::string path = root_ + kFolder + kName;
  ASSIGN_OR_RETURN(const std::string boot_id, ReadBootId());
  std::string text = absl::StrCat("shakedown-undo 1 ", boot_id, "\n");
  for (const UndoAction& action : actions_) absl::StrAppend(&text, LineOf(action));
  if (ftruncate(fd_, 0) != 0) return ErrnoStatus(errno, path);
  return WriteAndSync(fd_, text, path);
}

absl::Status UndoLeftovers(const std::string& root, absl::Duration limit, Clock& clock) {
  if (access((root + kFolder + kName).c_str(), F_OK) != 0) return absl::OkStatus();
  const absl::Duration until = clock.Elapsed() + limit;
  absl::StatusOr<std::unique_ptr<UndoJournal>> journal = UndoJournal::Open(root);
  while (absl::IsFailedPrecondition(journal.status()) && clock.Elapsed() < until) {
    clock.Sleep(absl::Milliseconds(20));
    journal = UndoJournal::Open(root);
  }
  RETURN_IF_ERROR(journal.status());
  return (*journal)->UndoAll(clock);
}

absl::Status EndProcess(pid_t pid, uint64_t start_ticks, Clock& clock) {
  const auto lives = [&] {
    waitpid(pid, nullptr, WNOHANG);
    const std::optional<TaskStat> task = ReadTask(pid);
    return task && task->start_ticks == start_ticks && task->state != 'Z' && task->state != 'X';
  };
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (!lives()) return absl::OkStatus();
    kill(pid, signal);
    const absl::Duration until = clock.Elapsed() + kPatience;
    while (lives()) {
      if (clock.Elapsed() > until) break;
      clock.Sleep(absl::Milliseconds(5));
    }
  }
  if (!lives()) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat("process ", pid, " lives on after SIGKILL"));
}

}  // namespace shakedown::runner
