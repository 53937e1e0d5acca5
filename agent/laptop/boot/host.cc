#include "agent/laptop/boot/host.h"

#include <linux/reboot.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::laptop {
namespace {

std::string LineOf(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, 64 << 10);
  return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : std::string();
}

class RealHost : public Host {
 public:
  std::string BootId() override { return LineOf("/proc/sys/kernel/random/boot_id"); }
  std::string CommandLine() override { return LineOf("/proc/cmdline"); }

  std::string Release() override {
    utsname name;
    return uname(&name) == 0 ? name.release : "";
  }

  absl::Time Now() override { return SystemClock().Now(); }

  absl::Status Reboot(RebootKind kind) override {
    const bool kexec = kind == RebootKind::kKexec;
    const absl::StatusOr<std::string> asked =
        Run({.argv = {"systemctl", "--no-block", kexec ? "kexec" : "reboot"}});
    if (asked.ok()) return absl::OkStatus();
    // No service manager that answers: everything of ours is synced, so the rest may be, too.
    ::sync();
    syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
            kexec ? LINUX_REBOOT_CMD_KEXEC : LINUX_REBOOT_CMD_RESTART, nullptr);
    return ErrnoStatus(errno, absl::StrCat("reboot (", asked.status().message(), ")"));
  }

  absl::StatusOr<std::string> Run(const Tool& tool) override {
    Command command;
    command.argv = tool.argv;
    command.limit = tool.limit;
    for (const auto& [name, value] : tool.environment) {
      command.environment.push_back(absl::StrCat(name, "=", value));
    }
    return RunForOutput(command);
  }

  Disk& disk() override { return *disk_; }

 private:
  const std::unique_ptr<Disk> disk_ = MakeDisk();
};

}  // namespace

std::unique_ptr<Host> MakeHost() { return std::make_unique<RealHost>(); }

}  // namespace shakedown::laptop
