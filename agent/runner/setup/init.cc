#include "agent/runner/setup/init.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/runner/setup/inputs.h"
#include "agent/runner/setup/mounts.h"
#include "agent/runner/setup/say.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kHostName[] = "shakedown";  // Unless /etc/hostname has another.
constexpr absl::Duration kReapLimit = absl::Seconds(5);

std::string Ending(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFEXITED(status)) return absl::StrCat("service ended with code ", WEXITSTATUS(status));
  return absl::StrCat("service crashed with signal ", WTERMSIG(status));
}

void SetHostName() {
  const absl::StatusOr<std::string> text = ReadFile("/etc/hostname", 4096);
  const std::string name(absl::StripAsciiWhitespace(text.ok() ? *text : kHostName));
  if (sethostname(name.data(), name.size()) != 0) {
    Say(ErrnoStatus(errno, absl::StrCat("host name ", Quoted(name))).message());
  }
}

void EndAllProcesses() {
  kill(-1, SIGKILL);
  Clock& clock = SystemClock();
  const absl::Duration until = clock.Elapsed() + kReapLimit;
  while (clock.Elapsed() < until) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0) return;  // ECHILD: none is left.
    if (reaped == 0) clock.Sleep(absl::Milliseconds(5));
  }
}

// RB_POWER_OFF on a kernel that cannot do it halts for ever, so it is asked only where ACPI is
// there.
bool CanPowerOff() { return access("/sys/firmware/acpi/tables", F_OK) == 0; }

}  // namespace

void PowerOffMachine(absl::string_view why) {
  if (!why.empty()) Say(absl::StrCat(why, "; powering off"));
  EndAllProcesses();
  sync();
  const bool can_power_off = CanPowerOff();
  mount(nullptr, "/", nullptr, MS_REMOUNT | MS_RDONLY, nullptr);
  tcdrain(STDERR_FILENO);
  if (can_power_off) reboot(RB_POWER_OFF);
  reboot(RB_AUTOBOOT);
  Say(ErrnoStatus(errno, "reboot").message());
  for (;;) pause();
}

void RunAsInit(const std::function<int()>& service) {
  MountKernelFilesystems();
  MountSystem();
  MountInputs(SystemClock());
  reboot(RB_DISABLE_CAD);
  SetHostName();
  const pid_t child = fork();
  if (child < 0) PowerOffMachine(ErrnoStatus(errno, "fork of the service").message());
  if (child == 0) _exit(service());
  for (;;) {
    int status = 0;
    const pid_t reaped = waitpid(-1, &status, 0);
    if (reaped == child) PowerOffMachine(Ending(status));
    if (reaped < 0 && errno != EINTR) PowerOffMachine(ErrnoStatus(errno, "waitpid").message());
  }
}

}  // namespace shakedown::runner
