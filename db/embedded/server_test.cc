#include "db/embedded/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "db/embedded/ephemeral_postgres.h"
#include "proto/wire/clock.h"
#include "proto/wire/subprocess.h"

namespace shakedown::embedded {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

absl::StatusOr<std::string> Query(const std::string& conninfo, const std::string& sql) {
  Command psql;
  psql.argv = {"psql", "-qAtX", "-d", conninfo, "-c", sql};
  return RunForOutput(psql);
}

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = "/tmp/shakedown-server-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    ASSERT_EQ(chmod(folder.c_str(), 0711), 0);
    folder_ = folder;
    options_.dir = folder + "/pg";
    options_.durable = false;
    options_.die_with_thread = true;
  }
  void TearDown() override {
    EXPECT_TRUE(Crash(options_).ok());
    fs::remove_all(folder_);
  }
  fs::path folder_;
  ServerOptions options_;
};

TEST_F(ServerTest, StartsAnswersStopsAndKeepsItsData) {
  absl::StatusOr<ServerStatus> started = Start(options_);
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_TRUE(started->running);
  EXPECT_EQ(Query(started->conninfo, "CREATE TABLE t AS SELECT 42 AS x").status(),
            absl::OkStatus());
  // Not a superuser: no statement reaches the host's files or programs.
  EXPECT_EQ(*Query(started->conninfo, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"),
            "f\n");
  EXPECT_EQ(*Query(started->conninfo, "SHOW listen_addresses"), "\n");

  absl::StatusOr<ServerStatus> again = Start(options_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->pid, started->pid);

  ASSERT_TRUE(Stop(options_).ok());
  EXPECT_FALSE(Status(options_)->running);
  EXPECT_TRUE(Stop(options_).ok());
  ASSERT_TRUE(Start(options_).ok());
  EXPECT_EQ(*Query(started->conninfo, "SELECT x FROM t"), "42\n");
  ASSERT_TRUE(Crash(options_).ok());
  ASSERT_TRUE(Start(options_).ok());
  EXPECT_EQ(*Query(started->conninfo, "SELECT x FROM t"), "42\n");
}

TEST_F(ServerTest, OtherUsersStayOut) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can try it as another user";
  absl::StatusOr<ServerStatus> started = Start(options_);
  ASSERT_TRUE(started.ok()) << started.status();
  struct stat info {};
  ASSERT_EQ(stat(options_.dir.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  // Even when somebody opens the way to the socket, the server refuses whoever is not in its list.
  fs::permissions(options_.dir, fs::perms(0755));
  fs::permissions(options_.dir + "/run", fs::perms(0755));
  fs::permissions(options_.dir + "/run/.s.PGSQL.5432", fs::perms(0777));
  Command psql;
  psql.argv = {"psql", "-qAtX", "-d", started->conninfo, "-c", "SELECT 1"};
  psql.user = 65534;
  psql.group = 65534;
  absl::StatusOr<CommandResult> result = RunCommand(psql);
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result->exit_code, 0);
  EXPECT_THAT(result->output, HasSubstr("Peer authentication failed"));
}

TEST_F(ServerTest, NamesWhatIsWrong) {
  ServerOptions options = options_;
  options.dir = "relative";
  EXPECT_THAT(std::string(Start(options).status().message()),
              HasSubstr("an absolute path is wanted"));
  options.dir = "/tmp/it's";
  EXPECT_THAT(std::string(Start(options).status().message()), HasSubstr("/tmp/it\\'s"));
  options.dir = "/tmp/" + std::string(100, 'x');
  EXPECT_THAT(std::string(Start(options).status().message()), HasSubstr("at most"));
  options = options_;
  options.user = "no-such-user";
  EXPECT_EQ(Start(options).status().code(), absl::StatusCode::kNotFound);
  options.user = "root";
  EXPECT_THAT(std::string(Start(options).status().message()), HasSubstr("refuses to run as root"));
}

TEST_F(ServerTest, NamesTheFolderItCanNotPass) {
  if (geteuid() != 0) GTEST_SKIP() << "only root starts it as another user";
  fs::permissions(folder_, fs::perms(0700));
  absl::Status status = Start(options_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("folder " + folder_.string() + ": user postgres"));
}

TEST_F(ServerTest, AnotherPersonsFolderIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root starts it as another user";
  fs::create_directory(options_.dir);
  std::ofstream(options_.dir + "/diary.txt") << "mine";
  absl::Status status = Start(options_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("is not empty"));
}

TEST(EphemeralPostgresTest, EndsWithAKilledProgramAndTheNextOneCleansUp) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto postgres = EphemeralPostgres::Start();
    const char good = postgres.ok() ? 'y' : 'n';
    (void)!write(ends[1], &good, 1);
    pause();
    _exit(0);
  }
  char good = 'n';
  ASSERT_EQ(read(ends[0], &good, 1), 1);
  ASSERT_EQ(good, 'y');
  const std::string mark = "shakedown-pg-" + std::to_string(child) + "-";
  std::string folder;
  for (const auto& entry : fs::directory_iterator("/tmp")) {
    if (entry.path().filename().string().starts_with(mark)) folder = entry.path();
  }
  ASSERT_FALSE(folder.empty());
  std::ifstream file(folder + "/data/postmaster.pid");
  pid_t server = 0;
  ASSERT_TRUE(file >> server);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  Clock& clock = SystemClock();
  const absl::Duration start = clock.Elapsed();
  while (kill(server, 0) == 0 && clock.Elapsed() - start < absl::Seconds(20)) {
    clock.Sleep(absl::Milliseconds(10));
  }
  EXPECT_NE(kill(server, 0), 0);
  auto next = EphemeralPostgres::Start();
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(*Query((*next)->conninfo(), "SELECT 1"), "1\n");
}

}  // namespace
}  // namespace shakedown::embedded
