#include "db/embedded/cluster.h"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::embedded {
namespace {

namespace fs = std::filesystem;

constexpr char kSocket[] = "/.s.PGSQL.5432";

absl::StatusOr<Account> FindAccount(const std::string& name) {
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  const int error = name.empty() ? getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found)
                                 : getpwnam_r(name.c_str(), &entry, buffer, sizeof buffer, &found);
  if (error != 0) return ErrnoStatus(error, absl::StrCat("user ", Quoted(name)));
  if (found == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("user ", name.empty() ? absl::StrCat(geteuid()) : Quoted(name),
                     ": no such user; PostgreSQL needs one to run as, other than root"));
  }
  return Account{entry.pw_name, entry.pw_uid, entry.pw_gid};
}

absl::Status CheckDir(const std::string& dir) {
  if (dir.empty() || dir[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("folder ", Quoted(dir), ": an absolute path is wanted"));
  }
  const bool plain = std::all_of(dir.begin(), dir.end(), [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("/._+@-", std::string(1, c));
  });
  if (!plain) {
    return absl::InvalidArgumentError(absl::StrCat(
        "folder ", Quoted(dir), ": PostgreSQL's socket needs a path of [A-Za-z0-9/._+@-] only"));
  }
  const size_t longest = sizeof(sockaddr_un::sun_path) - 1 - sizeof("/run") - sizeof(kSocket) + 2;
  if (dir.size() > longest) {
    return absl::InvalidArgumentError(absl::StrCat("folder ", dir, ": ", dir.size(),
                                                   " bytes long; a Unix socket in it allows ",
                                                   longest, " at most"));
  }
  return absl::OkStatus();
}

// A command that runs as the server's user.
Command As(const Account& account, std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.folder.assign(1, '/');
  command.limit = absl::Minutes(2);
  if (geteuid() == 0) {
    command.user = account.user;
    command.group = account.group;
  }
  return command;
}

absl::Status Run(const Command& command) { return RunForOutput(command).status(); }

// The deepest folder on the way to `path` that the account can not pass.
absl::Status CheckWay(const Account& account, const std::string& path) {
  fs::path way = "/";
  for (const fs::path& step : fs::path(path).relative_path()) {
    way /= step;
    if (!Run(As(account, {"test", "-x", way})).ok()) {
      return absl::PermissionDeniedError(
          absl::StrCat("folder ", way.string(), ": user ", account.name,
                       " can not pass it; PostgreSQL runs as that user, give it another folder"));
    }
  }
  return absl::OkStatus();
}

// `dir` becomes the account's own: nobody else but root gets in. A folder that is somebody else's
// and holds something is left alone.
absl::Status MakeHome(const std::string& dir, const Account& owner) {
  if (mkdir(dir.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoStatus(errno, dir);
  struct stat info {};
  if (lstat(dir.c_str(), &info) != 0) return ErrnoStatus(errno, dir);
  if (!S_ISDIR(info.st_mode)) return absl::FailedPreconditionError(dir + ": not a folder");
  std::error_code error;
  if (info.st_uid != owner.user && !fs::is_empty(dir, error)) {
    return absl::FailedPreconditionError(absl::StrCat(dir, ": belongs to user id ", info.st_uid,
                                                      " and is not empty; PostgreSQL's user ",
                                                      owner.name, " wants a folder of its own"));
  }
  if (info.st_uid != owner.user && lchown(dir.c_str(), owner.user, owner.group) != 0) {
    return ErrnoStatus(errno, dir);
  }
  return chmod(dir.c_str(), 0700) == 0 ? absl::OkStatus() : ErrnoStatus(errno, dir);
}

// Written by a process of the server's user, so that root never writes through a folder which that
// user controls.
absl::Status WriteAs(const Account& account, const std::string& path, std::string content) {
  Command command = As(account, {"tee", path});
  command.input = std::move(content);
  return Run(command);
}

std::string Settings(bool durable) {
  std::string text =
      "# Written once by Shakedown when it made this cluster; yours to tune.\n"
      "listen_addresses = ''\n"
      "unix_socket_permissions = 0700\n"
      "max_connections = 100\n"
      "shared_buffers = 64MB\n"
      "logging_collector = on\n"
      "log_directory = '../log'\n"
      "log_filename = 'postgresql-%a.log'\n"
      "log_truncate_on_rotation = on\n"
      "log_rotation_size = 0\n"
      "log_line_prefix = '%m [%p] '\n"
      "timezone = 'UTC'\n"
      "log_timezone = 'UTC'\n";
  if (!durable) {
    absl::StrAppend(&text, "fsync = off\nfull_page_writes = off\n",
                    "shared_buffers = 16MB\nlogging_collector = off\nautovacuum = off\n");
  }
  return text;
}

absl::Status InitCluster(const Cluster& cluster, bool durable) {
  const std::string half = cluster.dir + "/new";
  RETURN_IF_ERROR(Run(As(cluster.account, {"rm", "-rf", "--", half})));
  std::vector<std::string> initdb = {cluster.programs + "/initdb",
                                     "-D",
                                     half,
                                     "-U",
                                     "postgres",
                                     "--auth-local=peer",
                                     "--auth-host=reject",
                                     "-E",
                                     "UTF8",
                                     "--locale=C",
                                     "--no-instructions"};
  if (!durable) initdb.push_back("--no-sync");
  RETURN_IF_ERROR(Run(As(cluster.account, initdb)));
  RETURN_IF_ERROR(WriteAs(cluster.account, half + "/postgresql.conf", Settings(durable)));
  return Run(As(cluster.account, {"mv", "-T", "--", half, cluster.data}));
}

absl::Status WriteAccess(const Cluster& cluster, const std::vector<std::string>& allow) {
  std::string hba =
      "# Written by Shakedown at each start. The kernel says who calls; pg_ident.conf who that "
      "is.\n"
      "local all shakedown peer map=farm\n"
      "local all postgres peer map=owner\n";
  std::string ident = absl::StrCat("owner \"", cluster.account.name, "\" postgres\n");
  std::vector<std::string> names = {"root", cluster.account.name};
  names.insert(names.end(), allow.begin(), allow.end());
  for (const std::string& name : names) {
    RETURN_IF_ERROR(FindAccount(name).status());
    absl::StrAppend(&ident, "farm \"", name, "\" shakedown\n");
  }
  RETURN_IF_ERROR(WriteAs(cluster.account, cluster.data + "/pg_hba.conf", hba));
  return WriteAs(cluster.account, cluster.data + "/pg_ident.conf", ident);
}

// psql's \\gexec runs what a query returns: nothing when it returns no row.
absl::Status Psql(const Cluster& cluster, std::string script) {
  Command command =
      As(cluster.account, {cluster.programs + "/psql", "-h", cluster.run, "-U", "postgres", "-d",
                           "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1"});
  command.input = std::move(script);
  return Annotate(Run(command), absl::StrCat("PostgreSQL in ", cluster.data));
}

}  // namespace

absl::StatusOr<std::string> FindPrograms() {
  int newest = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", error)) {
    int version = 0;
    const bool good = absl::SimpleAtoi(entry.path().filename().string(), &version) &&
                      fs::exists(entry.path() / "bin/initdb", error) &&
                      fs::exists(entry.path() / "bin/postgres", error);
    if (good) newest = std::max(newest, version);
  }
  if (newest == 0) {
    return absl::NotFoundError(
        "/usr/lib/postgresql/*/bin: no initdb and postgres; install the package postgresql");
  }
  return absl::StrCat("/usr/lib/postgresql/", newest, "/bin");
}

absl::StatusOr<Cluster> DescribeCluster(const ServerOptions& options) {
  RETURN_IF_ERROR(CheckDir(options.dir));
  const std::string& dir = options.dir;
  Cluster cluster{dir, dir + "/data", dir + "/run", dir + "/log", "", "", {}};
  ASSIGN_OR_RETURN(cluster.programs, FindPrograms());
  const bool default_root = options.user.empty() && geteuid() == 0;
  ASSIGN_OR_RETURN(cluster.account, FindAccount(default_root ? "postgres" : options.user));
  if (cluster.account.user == 0) {
    return absl::InvalidArgumentError("user root: PostgreSQL refuses to run as root");
  }
  if (geteuid() != 0 && cluster.account.user != geteuid()) {
    return absl::PermissionDeniedError(absl::StrCat(
        "user ", cluster.account.name, ": only root can start PostgreSQL as another user"));
  }
  cluster.conninfo = absl::StrCat("host=", cluster.run, " dbname=shakedown user=shakedown");
  return cluster;
}

absl::Status PrepareCluster(const Cluster& cluster, const ServerOptions& options) {
  std::error_code error;
  fs::create_directories(fs::path(cluster.dir).parent_path(), error);
  RETURN_IF_ERROR(MakeHome(cluster.dir, cluster.account));
  RETURN_IF_ERROR(CheckWay(cluster.account, cluster.dir));
  RETURN_IF_ERROR(
      Run(As(cluster.account, {"mkdir", "-p", "-m", "0700", cluster.run, cluster.log})));
  if (!fs::exists(cluster.data + "/PG_VERSION", error)) {
    RETURN_IF_ERROR(InitCluster(cluster, options.durable));
  }
  return WriteAccess(cluster, options.allow);
}

absl::Status PrepareDatabase(const Cluster& cluster) {
  RETURN_IF_ERROR(Psql(cluster,
                       "SELECT 'CREATE ROLE shakedown LOGIN' WHERE NOT EXISTS "
                       "(SELECT FROM pg_roles WHERE rolname = 'shakedown') \\gexec\n"));
  return CreateDatabase(cluster, "shakedown");
}

absl::Status CreateDatabase(const Cluster& cluster, const std::string& name) {
  return Psql(cluster, absl::StrCat("SELECT 'CREATE DATABASE ", name,
                                    " OWNER shakedown' WHERE NOT EXISTS "
                                    "(SELECT FROM pg_database WHERE datname = '",
                                    name, "') \\gexec\n"));
}

}  // namespace shakedown::embedded
