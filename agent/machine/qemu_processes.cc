#include "agent/machine/qemu_processes.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

constexpr absl::Duration kLimit = absl::Seconds(10);

bool IsMine(const std::string& folder) {
  struct stat found;
  return stat(folder.c_str(), &found) == 0 && found.st_uid == geteuid();
}

}  // namespace

bool IsOurQemu(absl::string_view cmdline, absl::string_view prefix, absl::string_view folder) {
  const std::vector<absl::string_view> words = absl::StrSplit(cmdline, '\0');
  const absl::string_view program = words[0].substr(words[0].rfind('/') + 1);
  if (!absl::StartsWith(program, "qemu-system-")) return false;
  bool named = false, below = false;
  for (size_t i = 1; i < words.size(); ++i) {
    named |= words[i - 1] == "-name" && absl::StartsWith(words[i], absl::StrCat("guest=", prefix));
    below |= absl::StrContains(words[i], absl::StrCat(folder, "/"));
  }
  return named && below;
}

std::vector<pid_t> FindQemuProcesses(absl::string_view prefix, absl::string_view folder) {
  std::vector<pid_t> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().native(), &pid) || !IsMine(entry.path())) {
      continue;
    }
    const absl::StatusOr<std::string> cmdline = ReadFile(entry.path() / "cmdline", 4 << 20);
    if (cmdline.ok() && IsOurQemu(*cmdline, prefix, folder)) pids.push_back(pid);
  }
  return pids;
}

absl::Status EndQemuProcesses(absl::string_view prefix, absl::string_view folder, Clock& clock) {
  const absl::Duration until = clock.Elapsed() + kLimit;
  for (;;) {
    const std::vector<pid_t> pids = FindQemuProcesses(prefix, folder);
    if (pids.empty()) return absl::OkStatus();
    for (const pid_t pid : pids) kill(pid, SIGKILL);
    if (clock.Elapsed() > until) {
      return absl::DeadlineExceededError(
          absl::StrCat("QEMU process ", pids[0], " of an earlier boot does not end"));
    }
    clock.Sleep(absl::Milliseconds(50));
  }
}

}  // namespace shakedown::agent
