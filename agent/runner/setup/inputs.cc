#include "agent/runner/setup/inputs.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "agent/runner/setup/command_line.h"
#include "agent/runner/setup/say.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kParameter[] = "shakedown.input";
constexpr char kDisks[] = "/sys/block";
constexpr absl::Duration kLimit = absl::Seconds(5), kPause = absl::Milliseconds(20);

bool IsSerial(absl::string_view serial) {
  return !serial.empty() && serial.size() <= 20 &&
         std::all_of(serial.begin(), serial.end(), absl::ascii_isxdigit);
}

absl::StatusOr<std::string> AwaitDisk(const std::string& serial, Clock& clock) {
  const absl::Duration until = clock.Elapsed() + kLimit;
  for (;;) {
    absl::StatusOr<std::string> disk = FindDisk(serial, kDisks);
    if (disk.ok() || clock.Elapsed() > until) return disk;
    clock.Sleep(kPause);
  }
}

absl::Status MountInput(const Input& input, Clock& clock) {
  ASSIGN_OR_RETURN(const std::string disk, AwaitDisk(input.serial, clock));
  const std::string device = absl::StrCat("/dev/", disk);
  const std::string target = absl::StrCat(kInputsFolder, "/", input.name);
  mkdir("/run/shakedown", 0755);
  mkdir(kInputsFolder, 0755);
  mkdir(target.c_str(), 0755);
  constexpr unsigned long kFlags = MS_RDONLY | MS_NOSUID | MS_NODEV;
  if (mount(device.c_str(), target.c_str(), "ext4", kFlags, nullptr) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("mount ", device, " on ", target));
}

}  // namespace

std::vector<Input> InputsOf(absl::string_view command_line) {
  std::vector<Input> inputs;
  for (const std::string& value : BootParameters(command_line, kParameter)) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(value, absl::MaxSplits(':', 1));
    if (!CheckName("input", parts.first).ok() || !IsSerial(parts.second)) continue;
    inputs.push_back({parts.first, parts.second});
  }
  return inputs;
}

absl::StatusOr<std::string> FindDisk(const std::string& serial, const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> disks(opendir(folder.c_str()), &closedir);
  if (disks == nullptr) return ErrnoStatus(errno, folder);
  while (const dirent* disk = readdir(disks.get())) {
    if (disk->d_name[0] == '.') continue;
    const absl::StatusOr<std::string> text =
        ReadFile(absl::StrCat(folder, "/", disk->d_name, "/serial"), 200);
    if (text.ok() && absl::StripAsciiWhitespace(*text) == serial) return disk->d_name;
  }
  return absl::NotFoundError(absl::StrCat("no disk below ", folder, " has the serial ", serial));
}

void MountInputs(Clock& clock) {
  const absl::StatusOr<std::string> line = ReadFile("/proc/cmdline", 1 << 16);
  if (!line.ok()) return Say(line.status().message());
  for (const Input& input : InputsOf(*line)) {
    const absl::Status mounted = MountInput(input, clock);
    if (!mounted.ok()) Say(absl::StrCat("input ", input.name, ": ", mounted.message()));
  }
}

}  // namespace shakedown::runner
