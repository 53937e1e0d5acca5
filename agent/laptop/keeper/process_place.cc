#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/laptop/keeper/runner_place.h"
#include "agent/laptop/keeper/runner_view.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr int kRunnerFd = 3;
constexpr absl::Duration kMountLimit = absl::Seconds(30);
constexpr absl::Duration kEndLimit = absl::Seconds(5);
constexpr absl::Duration kLookAgain = absl::Milliseconds(20);

// A control file of a cgroup: no rename, no creation.
absl::Status WriteControl(const std::string& path, absl::string_view text) {
  const Descriptor fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0 || write(fd.get(), text.data(), text.size()) < 0) {
    return ErrnoStatus(errno, path);
  }
  return absl::OkStatus();
}

[[noreturn]] void Die(const absl::Status& status) {
  const std::string line = absl::StrCat("runner: ", status.message(), "\n");
  static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
  _exit(126);
}

// In the child.
[[noreturn]] void BecomeRunner(const PlaceOptions& options, const std::string& load_user, int fd) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!options.cgroup.empty()) {
    const absl::Status moved = WriteControl(options.cgroup + "/cgroup.procs", "0");
    if (!moved.ok()) Die(moved);
  }
  if (!options.hidden.empty()) {
    const absl::Status entered = EnterRunnerView(options.hidden);
    if (!entered.ok()) Die(entered);
  }
  if (fd == kRunnerFd) {
    fcntl(fd, F_SETFD, 0);
  } else if (dup2(fd, kRunnerFd) < 0) {
    Die(ErrnoStatus(errno, "its socket"));
  }
  close_range(kRunnerFd + 1, ~0u, 0);
  const std::string number = std::to_string(kRunnerFd);
  char* argv[] = {const_cast<char*>("shakedown-runner"),
                  const_cast<char*>("--fd"),
                  const_cast<char*>(number.c_str()),
                  load_user.empty() ? nullptr : const_cast<char*>("--load-user"),
                  const_cast<char*>(load_user.c_str()),
                  nullptr};
  char* environment[] = {
      const_cast<char*>("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
      const_cast<char*>("LC_ALL=C"), const_cast<char*>("HOME=/nonexistent"), nullptr};
  execve(options.runner.c_str(), argv, environment);
  Die(ErrnoStatus(errno, options.runner));
}

// "UID:GID", as the runner takes it; empty for an empty name.
absl::StatusOr<std::string> IdsOf(const std::string& user) {
  if (user.empty()) return std::string();
  errno = 0;
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("user ", user, ", whom loads run as: there is none, ",
                     "want what systemd-sysusers makes of the package's file"));
  }
  return absl::StrCat(entry->pw_uid, ":", entry->pw_gid);
}

class ProcessPlace : public RunnerPlace {
 public:
  ProcessPlace(Host& host, PlaceOptions options) : host_(host), options_(std::move(options)) {}
  ~ProcessPlace() override { End(); }

  absl::StatusOr<Descriptor> Start(const std::vector<RunnerInput>& inputs,
                                   v1::Network network) override {
    if (pid_ > 0) return absl::FailedPreconditionError("a runner is there already");
    absl::StatusOr<Descriptor> started = TryStart(inputs, network);
    if (!started.ok()) End();
    return started;
  }

  void End() override {
    EndProcesses();
    for (; !mounted_.empty(); mounted_.pop_back()) {
      const std::string& folder = mounted_.back();
      if (!Run({"umount", "--", folder}).ok())
        Run({"umount", "--lazy", "--", folder}).IgnoreError();
      rmdir(folder.c_str());
    }
  }

 private:
  absl::Status Run(std::vector<std::string> argv) {
    return host_.Run({.argv = std::move(argv), .limit = kMountLimit}).status();
  }

  absl::StatusOr<Descriptor> TryStart(const std::vector<RunnerInput>& inputs, v1::Network network) {
    ASSIGN_OR_RETURN(const std::string load_user, IdsOf(options_.load_user));
    for (const RunnerInput& input : inputs) RETURN_IF_ERROR(MountInput(input));
    if (network != v1::NETWORK_AS_IS) RETURN_IF_ERROR(SetLinks(network == v1::NETWORK_UP));
    if (!options_.cgroup.empty() && mkdir(options_.cgroup.c_str(), 0755) != 0 && errno != EEXIST) {
      return ErrnoStatus(errno, options_.cgroup);
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return ErrnoStatus(errno, "socket of the runner");
    }
    Descriptor ours(ends[0]);
    const Descriptor its(ends[1]);
    pid_ = fork();
    if (pid_ == 0) BecomeRunner(options_, load_user, its.get());
    if (pid_ < 0) return ErrnoStatus(errno, "process of the runner");
    return ours;
  }

  absl::Status MountInput(const RunnerInput& input) {
    RETURN_IF_ERROR(CheckName("input", input.name));
    const std::string folder = absl::StrCat(options_.inputs, "/", input.name);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return ErrnoStatus(error.value(), folder);
    // Whatever our umask is: loads that are not root read what is mounted there.
    if (chmod(options_.inputs.c_str(), 0755) != 0) return ErrnoStatus(errno, options_.inputs);
    RETURN_IF_ERROR(Run(
        {"mount", "-t", "ext4", "-o", "loop,ro,nosuid,nodev,noload", "--", input.image, folder}));
    mounted_.push_back(folder);
    return absl::OkStatus();
  }

  // All but lo. What NetworkManager makes of it is its own affair: it leaves a link that was set
  // down alone.
  absl::Status SetLinks(bool up) {
    DIR* entries = opendir(options_.links.c_str());
    if (entries == nullptr) return ErrnoStatus(errno, options_.links);
    std::vector<std::string> links;
    while (const dirent* entry = readdir(entries)) {
      const absl::string_view name = entry->d_name;
      if (name[0] != '.' && name != "lo") links.emplace_back(name);
    }
    closedir(entries);
    std::sort(links.begin(), links.end());
    for (const std::string& link : links) {
      RETURN_IF_ERROR(Run({"ip", "link", "set", "dev", link, up ? "up" : "down"}));
    }
    return absl::OkStatus();
  }

  bool CgroupIsPopulated() const {
    const absl::StatusOr<std::string> events = ReadFile(options_.cgroup + "/cgroup.events", 4096);
    return events.ok() && absl::StrContains(*events, "populated 1");
  }

  void EndProcesses() {
    if (pid_ <= 0) return;
    if (!options_.cgroup.empty()) {
      WriteControl(options_.cgroup + "/cgroup.kill", "1").IgnoreError();
    }
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    if (options_.cgroup.empty()) return;
    const absl::Duration until = SystemClock().Elapsed() + kEndLimit;
    while (CgroupIsPopulated() && SystemClock().Elapsed() < until) SystemClock().Sleep(kLookAgain);
    rmdir(options_.cgroup.c_str());
  }

  Host& host_;
  const PlaceOptions options_;
  pid_t pid_ = 0;
  std::vector<std::string> mounted_;
};

}  // namespace

std::unique_ptr<RunnerPlace> MakeProcessPlace(Host& host, PlaceOptions options) {
  return std::make_unique<ProcessPlace>(host, std::move(options));
}

absl::StatusOr<std::string> CgroupFolder(const std::string& text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "0::/")) return absl::StrCat("/sys/fs/cgroup", line.substr(3));
  }
  return absl::NotFoundError("/proc/self/cgroup: no line 0::, want the unified hierarchy");
}

}  // namespace shakedown::laptop
