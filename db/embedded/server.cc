#include "db/embedded/server.h"

#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "db/embedded/cluster.h"
#include "db/embedded/spawn.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::embedded {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(20);

// Process id and state word ("starting", "ready", …) as the server wrote them; 0 when there is no
// server. A file left by a crash names a process that is gone or not ours: a server stands in its
// data folder.
struct Postmaster {
  pid_t pid = 0;
  std::string state;
};

Postmaster ReadPostmaster(const Cluster& cluster) {
  Postmaster found;
  const absl::StatusOr<std::string> text = ReadFile(cluster.data + "/postmaster.pid", 4096);
  if (!text.ok()) return found;
  const std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  int pid = 0;
  if (!absl::SimpleAtoi(lines[0], &pid) || pid <= 1) return found;
  std::error_code error;
  const std::string cwd = std::filesystem::read_symlink(absl::StrCat("/proc/", pid, "/cwd"), error);
  const std::string data = std::filesystem::canonical(cluster.data, error);
  if (error || cwd != data) return found;
  found.pid = pid;
  if (lines.size() > 7) found.state = std::string(absl::StripAsciiWhitespace(lines[7]));
  return found;
}

ServerStatus Describe(const Cluster& cluster, const Postmaster& postmaster) {
  return {postmaster.pid != 0 && postmaster.state == "ready", postmaster.pid, cluster.conninfo};
}

absl::Status StartFailure(const Cluster& cluster, absl::string_view what) {
  std::string words = ReadFile(cluster.log + "/start.log", 1 << 20).value_or("");
  words = std::string(absl::StripAsciiWhitespace(words));
  if (words.size() > 500) words.erase(0, words.size() - 500);
  std::replace(words.begin(), words.end(), '\n', ' ');
  return absl::InternalError(absl::StrCat("PostgreSQL in ", cluster.data, ": ", what, ": ", words));
}

absl::StatusOr<ServerStatus> WaitReady(const Cluster& cluster, absl::Duration limit) {
  Clock& clock = SystemClock();
  const absl::Duration start = clock.Elapsed();
  bool seen = false;
  for (;;) {
    const Postmaster postmaster = ReadPostmaster(cluster);
    if (postmaster.state == "ready") return Describe(cluster, postmaster);
    seen = seen || postmaster.pid != 0;
    const absl::Duration waited = clock.Elapsed() - start;
    // It writes its file within moments, and takes it away when it gives up.
    if (postmaster.pid == 0 && (seen || waited > absl::Seconds(15))) {
      return StartFailure(cluster, "did not start");
    }
    if (waited > limit) {
      return StartFailure(cluster, absl::StrCat("not ready within ", absl::FormatDuration(limit)));
    }
    clock.Sleep(kPoll);
  }
}

// Zombies count as gone: a server that dies with its thread is our own child.
bool Gone(pid_t pid) {
  waitpid(pid, nullptr, WNOHANG);
  return kill(pid, 0) != 0 && errno == ESRCH;
}

absl::Status End(const ServerOptions& options, int signal) {
  ASSIGN_OR_RETURN(const Cluster cluster, DescribeCluster(options));
  const pid_t pid = ReadPostmaster(cluster).pid;
  if (pid == 0) return absl::OkStatus();
  if (kill(pid, signal) != 0 && errno != ESRCH) {
    return ErrnoStatus(errno, absl::StrCat("stop PostgreSQL, process ", pid));
  }
  Clock& clock = SystemClock();
  const absl::Duration start = clock.Elapsed();
  while (!Gone(pid)) {
    if (clock.Elapsed() - start > options.limit) {
      return absl::DeadlineExceededError(absl::StrCat("PostgreSQL, process ", pid,
                                                      ": not stopped within ",
                                                      absl::FormatDuration(options.limit)));
    }
    clock.Sleep(kPoll);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ServerStatus> Start(const ServerOptions& options) {
  ASSIGN_OR_RETURN(const Cluster cluster, DescribeCluster(options));
  if (Postmaster running = ReadPostmaster(cluster); running.pid != 0) {
    return WaitReady(cluster, options.limit);
  }
  RETURN_IF_ERROR(PrepareCluster(cluster, options));
  Daemon daemon;
  daemon.argv = {cluster.programs + "/postgres", "-D", cluster.data, "-k", cluster.run};
  daemon.account = cluster.account;
  daemon.output = cluster.log + "/start.log";
  daemon.die_with_thread = options.die_with_thread;
  RETURN_IF_ERROR(SpawnDaemon(daemon));
  ASSIGN_OR_RETURN(ServerStatus status, WaitReady(cluster, options.limit));
  RETURN_IF_ERROR(PrepareDatabase(cluster));
  return status;
}

absl::Status Stop(const ServerOptions& options) { return End(options, SIGINT); }

absl::Status Crash(const ServerOptions& options) { return End(options, SIGQUIT); }

absl::StatusOr<ServerStatus> Status(const ServerOptions& options) {
  ASSIGN_OR_RETURN(const Cluster cluster, DescribeCluster(options));
  return Describe(cluster, ReadPostmaster(cluster));
}

}  // namespace shakedown::embedded
