#include "agent/build/sandbox.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

constexpr char kUserName[] = "shakedown-build";

// cc1 of the largest kernel file needs about 1 GB; linking vmlinux with debug information several.
constexpr char kAddressSpace[] = "--as=17179869184";
constexpr char kFileSize[] = "--fsize=8589934592";
constexpr char kOpenFiles[] = "--nofile=4096";
// Counted for each user, so it only means something for a user of our own.
constexpr char kProcesses[] = "--nproc=4096";
constexpr char kTmpBytes[] = "1073741824";

void Append(std::vector<std::string>& to, std::initializer_list<std::string> words) {
  to.insert(to.end(), words);
}

// /bin, /lib, … are links into /usr on today's Debian and folders on older systems.
void AddSystem(std::vector<std::string>& argv) {
  Append(argv, {"--ro-bind", "/usr", "/usr", "--perms", "0755", "--dir", "/etc", "--ro-bind-try",
                "/etc/alternatives", "/etc/alternatives"});
  for (const char* name : {"bin", "sbin", "lib", "lib64", "lib32", "libx32"}) {
    const std::string path = absl::StrCat("/", name);
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) continue;
    if (S_ISLNK(info.st_mode)) {
      Append(argv, {"--symlink", absl::StrCat("usr/", name), path});
    } else {
      Append(argv, {"--ro-bind", path, path});
    }
  }
}

absl::StatusOr<std::optional<BuildUser>> LookUp() {
  passwd entry;
  passwd* found = nullptr;
  char buffer[4096];
  const int error = getpwnam_r(kUserName, &entry, buffer, sizeof buffer, &found);
  if (error != 0) return ErrnoStatus(error, absl::StrCat("user ", kUserName));
  if (found == nullptr) return std::optional<BuildUser>();
  if (found->pw_uid == 0) {
    return absl::FailedPreconditionError(absl::StrCat("user ", kUserName, " is root"));
  }
  return BuildUser{found->pw_uid, found->pw_gid};
}

}  // namespace

std::vector<std::string> SandboxArgv(const SandboxSpec& spec,
                                     const std::vector<std::string>& argv) {
  std::vector<std::string> all = {"bwrap",         "--unshare-all", "--die-with-parent",
                                  "--new-session", "--hostname",    "shakedown"};
  if (spec.user) {
    // As root there is no user namespace (so folders that only root may enter can be bound); the
    // capabilities kept are those that setpriv needs to give them all up.
    all = {"bwrap",
           "--unshare-pid",
           "--unshare-net",
           "--unshare-ipc",
           "--unshare-uts",
           "--unshare-cgroup-try",
           "--die-with-parent",
           "--new-session",
           "--hostname",
           "shakedown",
           "--cap-drop",
           "ALL",
           "--cap-add",
           "CAP_SETUID",
           "--cap-add",
           "CAP_SETGID",
           "--cap-add",
           "CAP_SETPCAP"};
  }
  all.push_back("--clearenv");
  for (const std::string& variable : spec.environment) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(variable, absl::MaxSplits('=', 1));
    Append(all, {"--setenv", parts.first, parts.second});
  }
  AddSystem(all);
  Append(all, {"--dev", "/dev", "--proc", "/proc", "--size", kTmpBytes, "--perms", "1777",
               "--tmpfs", "/tmp"});
  for (const auto& [host, inside] : spec.read_only) Append(all, {"--ro-bind", host, inside});
  for (const auto& [host, inside] : spec.writable) Append(all, {"--bind", host, inside});
  // The root of the sandbox is a fresh tmpfs; nothing is to be written there either.
  Append(all, {"--remount-ro", "/", "--chdir", "/", "--", "prlimit", kAddressSpace, kFileSize,
               kOpenFiles, "--core=0"});
  if (spec.user) {
    Append(all, {kProcesses, "setpriv", absl::StrCat("--reuid=", spec.user->uid),
                 absl::StrCat("--regid=", spec.user->gid), "--clear-groups", "--no-new-privs",
                 "--bounding-set=-all", "--inh-caps=-all"});
  }
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

absl::StatusOr<std::optional<BuildUser>> FindBuildUser() {
  if (geteuid() != 0) return std::optional<BuildUser>();
  ASSIGN_OR_RETURN(std::optional<BuildUser> user, LookUp());
  if (user) return user;
  Command command;
  command.argv = {"useradd",      "--system",
                  "--user-group", "--no-create-home",
                  "--home-dir",   "/nonexistent",
                  "--shell",      "/usr/sbin/nologin",
                  "--comment",    "Shakedown kernel builds",
                  kUserName};
  command.limit = absl::Seconds(30);
  absl::Status made = RunForOutput(command).status();
  ASSIGN_OR_RETURN(user, LookUp());  // Another process may have been faster.
  if (user) return user;
  return absl::UnavailableError(
      absl::StrCat("user ", kUserName, " does not exist and could not be made: ", made.message()));
}

absl::Status GiveFolder(const std::optional<BuildUser>& user, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return ErrnoStatus(error.value(), path);
  struct stat info;
  if (!user) return absl::OkStatus();
  if (lstat(path.c_str(), &info) != 0) return ErrnoStatus(errno, path);
  if (info.st_uid == user->uid) return absl::OkStatus();
  Command command;
  command.argv = {"chown", "--recursive", "--no-dereference",
                  absl::StrCat(user->uid, ":", user->gid), path};
  command.limit = absl::Minutes(10);
  return RunForOutput(command).status();
}

absl::Status ProveSandbox(const std::optional<BuildUser>& user) {
  SandboxSpec spec;
  spec.user = user;
  spec.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  Command command;
  command.argv = SandboxArgv(
      spec,
      {"sh", "-c", "id -u; cat /proc/net/dev; touch /usr/shakedown-test /shakedown-test 2>&-"});
  command.limit = absl::Seconds(30);
  absl::StatusOr<CommandResult> result = RunCommand(command);
  if (absl::IsNotFound(result.status())) {
    return absl::UnavailableError(
        "kernels are built in a bubblewrap sandbox only, and there is no bwrap here: apt-get "
        "install "
        "bubblewrap");
  }
  if (!result.ok()) return absl::UnavailableError(result.status().message());
  const std::vector<std::string> lines = absl::StrSplit(result->output, '\n', absl::SkipEmpty());
  const std::string uid = absl::StrCat(user ? user->uid : geteuid());
  if (lines.empty() || lines[0] != uid) {
    return absl::UnavailableError(
        absl::StrCat("the sandbox does not work here, so no kernel is built: bwrap: ",
                     lines.empty() ? absl::StrCat("exit code ", result->exit_code) : lines.back(),
                     " (in a container it needs user namespaces or CAP_SYS_ADMIN)"));
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!absl::StrContains(lines[i], ":") || absl::StrContains(lines[i], "lo:")) continue;
    return absl::UnavailableError(
        absl::StrCat("the sandbox sees a network: ", lines[i], ": no kernel is built"));
  }
  if (result->exit_code == 0) {
    return absl::UnavailableError("the sandbox can write to the system: no kernel is built");
  }
  return absl::OkStatus();
}

}  // namespace shakedown::agent
