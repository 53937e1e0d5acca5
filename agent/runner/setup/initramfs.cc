#include "agent/runner/setup/initramfs.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/runner/setup/command_line.h"
#include "agent/runner/setup/mounts.h"
#include "agent/runner/setup/say.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kNewRoot[] = "/newroot";
constexpr absl::Duration kDeviceLimit = absl::Seconds(10);
constexpr int kCompressed = 4;  // MODULE_INIT_COMPRESSED_FILE, Linux 5.17.

absl::Status LoadModule(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, path);
  const int flags = absl::EndsWith(path, ".ko") ? 0 : kCompressed;
  const long result = syscall(SYS_finit_module, fd, "", flags);
  const int error = errno;
  close(fd);
  // EEXIST: built in or loaded already. ENODEV: its device is not here.
  if (result == 0 || error == EEXIST || error == ENODEV) return absl::OkStatus();
  return ErrnoStatus(error, absl::StrCat("load ", path));
}

void LoadModules() {
  const absl::StatusOr<std::string> list = ReadFile(kModuleList, 1 << 20);
  if (!list.ok()) return Say(list.status().message());
  for (absl::string_view line : absl::StrSplit(*list, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const absl::Status loaded = LoadModule(absl::StrCat("/modules/", line));
    if (!loaded.ok()) Say(loaded.message());
  }
}

absl::Status WaitForDevice(const std::string& device) {
  Clock& clock = SystemClock();
  const absl::Duration until = clock.Elapsed() + kDeviceLimit;
  struct stat found;
  while (stat(device.c_str(), &found) != 0 || !S_ISBLK(found.st_mode)) {
    if (clock.Elapsed() > until) {
      return absl::NotFoundError(absl::StrCat("root=", device, ": no such block device within ",
                                              absl::FormatDuration(kDeviceLimit)));
    }
    clock.Sleep(absl::Milliseconds(20));
  }
  return absl::OkStatus();
}

// Those the kernel has drivers for that need a device, as the kernel itself tries them.
std::vector<std::string> FilesystemTypes(const std::string& command_line) {
  if (const auto type = BootParameter(command_line, "rootfstype")) return {*type};
  std::vector<std::string> types;
  const absl::StatusOr<std::string> known = ReadFile("/proc/filesystems", 1 << 16);
  for (absl::string_view line : absl::StrSplit(known.ok() ? *known : "", '\n')) {
    if (absl::StartsWith(line, "\t")) types.emplace_back(absl::StripAsciiWhitespace(line));
  }
  return types;
}

absl::Status MountRoot(const std::string& device, const std::string& command_line) {
  const unsigned long flags = BootParameter(command_line, "rw") ? 0 : MS_RDONLY;
  const std::string data = BootParameter(command_line, "rootflags").value_or("");
  mkdir(kNewRoot, 0755);
  std::string tried;
  for (const std::string& type : FilesystemTypes(command_line)) {
    if (mount(device.c_str(), kNewRoot, type.c_str(), flags, data.c_str()) == 0) {
      return absl::OkStatus();
    }
    absl::StrAppend(&tried, tried.empty() ? "" : ", ", type, " (", strerror(errno), ")");
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "root=", device, ": cannot be mounted; tried: ", tried.empty() ? "none" : tried));
}

absl::Status SwitchRoot() {
  for (const char* folder : {"/proc", "/sys", "/dev"}) {
    const std::string target = absl::StrCat(kNewRoot, folder);
    if (mount(folder, target.c_str(), nullptr, MS_MOVE, nullptr) != 0) {
      Say(ErrnoStatus(errno, absl::StrCat("move ", folder, " to ", target)).message());
    }
  }
  std::error_code ignored;  // Only memory would be lost.
  std::filesystem::remove_all("/modules", ignored);
  if (chdir(kNewRoot) != 0 || mount(".", "/", nullptr, MS_MOVE, nullptr) != 0 || chroot(".") != 0 ||
      chdir("/") != 0) {
    return ErrnoStatus(errno, "make the root disk the root");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LeaveInitramfs() {
  MountKernelFilesystems();
  LoadModules();
  ASSIGN_OR_RETURN(const std::string command_line, ReadFile("/proc/cmdline", 1 << 16));
  const std::string device = BootParameter(command_line, "root").value_or("");
  if (!absl::StartsWith(device, "/dev/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("root=", Quoted(device), " on the kernel command line: want /dev/…"));
  }
  RETURN_IF_ERROR(WaitForDevice(device));
  RETURN_IF_ERROR(MountRoot(device, command_line));
  RETURN_IF_ERROR(SwitchRoot());
  const std::string program = BootParameter(command_line, "init").value_or(kRunnerPath);
  execl(program.c_str(), program.c_str(), nullptr);
  return ErrnoStatus(errno, absl::StrCat("execute ", Quoted(program), " on ", device));
}

}  // namespace shakedown::runner
