#include "db/embedded/ephemeral_postgres.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "db/embedded/cluster.h"
#include "proto/wire/status.h"

namespace shakedown::embedded {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "shakedown-pg-";

fs::path TemporaryFolder() {
  const char* chosen = getenv("TMPDIR");
  return chosen != nullptr && chosen[0] == '/' ? chosen : "/tmp";
}

// Folders are named after the program that made them: "shakedown-pg-<pid>-XXXXXX".
void RemoveLeftOvers() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(TemporaryFolder(), error)) {
    const std::vector<std::string> parts = absl::StrSplit(entry.path().filename().string(), '-');
    int pid = 0;
    const bool ours = parts.size() == 4 && parts[0] == "shakedown" && parts[1] == "pg" &&
                      absl::SimpleAtoi(parts[2], &pid) && pid > 1;
    if (ours && kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<EphemeralPostgres>> EphemeralPostgres::Start() {
  RemoveLeftOvers();
  std::string dir = TemporaryFolder() / absl::StrCat(kPrefix, getpid(), "-XXXXXX");
  if (mkdtemp(dir.data()) == nullptr) return ErrnoStatus(errno, dir);
  ServerOptions options;
  options.dir = dir;
  options.durable = false;
  options.die_with_thread = true;
  auto postgres = std::unique_ptr<EphemeralPostgres>(new EphemeralPostgres(options));
  RETURN_IF_ERROR(postgres->StartServer());
  return postgres;
}

EphemeralPostgres::~EphemeralPostgres() {
  Crash(options_).IgnoreError();
  std::error_code error;
  fs::remove_all(options_.dir, error);
}

absl::StatusOr<std::string> EphemeralPostgres::NewDatabase() {
  ASSIGN_OR_RETURN(const Cluster cluster, DescribeCluster(options_));
  const std::string name = absl::StrCat("test", ++databases_);
  RETURN_IF_ERROR(CreateDatabase(cluster, name));
  return absl::StrCat("host=", cluster.run, " dbname=", name, " user=shakedown");
}

absl::Status EphemeralPostgres::StopServer(bool clean) {
  return clean ? Stop(options_) : Crash(options_);
}

absl::Status EphemeralPostgres::StartServer() {
  ASSIGN_OR_RETURN(const ServerStatus status, embedded::Start(options_));
  conninfo_ = status.conninfo;
  return absl::OkStatus();
}

}  // namespace shakedown::embedded
