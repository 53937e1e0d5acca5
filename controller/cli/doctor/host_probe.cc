#include "controller/cli/doctor/host_probe.h"

#include <glob.h>
#include <sys/statvfs.h>
#include <sys/timex.h>

#include <cerrno>
#include <filesystem>

#include "absl/time/time.h"
#include "proto/wire/files.h"
#include "proto/wire/kvm.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::cli {
namespace {

constexpr size_t kMostRead = 64 << 10;

class RealProbe : public HostProbe {
 public:
  absl::StatusOr<std::string> Read(const std::string& path) const override {
    return ReadFile(path, kMostRead);
  }
  absl::Status Kvm() const override { return CheckKvm(); }

  std::vector<std::string> Glob(const std::string& pattern) const override {
    glob_t found = {};
    std::vector<std::string> paths;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
    return paths;
  }

  absl::StatusOr<std::string> Run(const std::vector<std::string>& argv) const override {
    Command command;
    command.argv = argv;
    command.limit = absl::Seconds(5);
    return RunForOutput(command);
  }

  absl::StatusOr<uint64_t> FreeBytes(const std::string& path) const override {
    std::filesystem::path at = path;
    std::error_code error;
    while (!std::filesystem::exists(at, error) && at.has_relative_path()) at = at.parent_path();
    struct statvfs info = {};
    if (statvfs(at.c_str(), &info) != 0) return ErrnoStatus(errno, at.native());
    return uint64_t{info.f_bavail} * info.f_frsize;
  }

  absl::StatusOr<bool> ClockIsKept() const override {
    timex state = {};
    const int clock = adjtimex(&state);
    if (clock < 0) return ErrnoStatus(errno, "adjtimex");
    return clock != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
  }
};

}  // namespace

std::unique_ptr<HostProbe> MakeHostProbe() { return std::make_unique<RealProbe>(); }

}  // namespace shakedown::cli
