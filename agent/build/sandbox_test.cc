#include "agent/build/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

// The real bubblewrap: there is no use in a fake one.
class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::optional<BuildUser>> user = FindBuildUser();
    ASSERT_TRUE(user.ok()) << user.status();
    std::string pattern = absl::StrCat(testing::TempDir(), "/sandboxXXXXXX");
    folder_ = mkdtemp(pattern.data());
    if (*user) {
      ASSERT_EQ(chown(folder_.c_str(), (*user)->uid, (*user)->gid), 0);
    }
    spec_.user = *user;
    spec_.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "SECRET=none"};
    spec_.writable = {{folder_, "/build"}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  CommandResult Run(const std::vector<std::string>& argv, const std::atomic<bool>* cancel = nullptr,
                    std::function<void(absl::string_view)> output = nullptr) {
    Command command;
    command.argv = SandboxArgv(spec_, argv);
    command.limit = absl::Seconds(60);
    command.cancel = cancel;
    command.output = std::move(output);
    absl::StatusOr<CommandResult> result = RunCommand(command);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : CommandResult{};
  }

  std::string folder_;
  SandboxSpec spec_;
};

TEST_F(SandboxTest, Works) {
  EXPECT_TRUE(ProveSandbox(spec_.user).ok()) << ProveSandbox(spec_.user);
}

TEST_F(SandboxTest, IsNotRootAndHasNoCapabilities) {
  EXPECT_NE(Run({"id", "-u"}).output, "0\n");
  const std::string status = Run({"cat", "/proc/self/status"}).output;
  EXPECT_THAT(status, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(SandboxTest, SeesNoNetwork) {
  const CommandResult result = Run({"cat", "/proc/net/route", "/proc/net/dev"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("lo:"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("eth")));
  // Header line only: no route to anywhere.
  EXPECT_EQ(Run({"wc", "-l", "/proc/net/route"}).output, "1 /proc/net/route\n");
}

TEST_F(SandboxTest, WritesOnlyIntoItsFolder) {
  EXPECT_EQ(Run({"touch", "/build/mine"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/mine"));
  for (const char* path : {"/usr/bin/mine", "/etc/mine", "/mine", "/dev/shm/../../mine"}) {
    EXPECT_NE(Run({"touch", path}).exit_code, 0) << path;
  }
}

TEST_F(SandboxTest, SeesNoFilesOfTheHost) {
  EXPECT_NE(Run({"ls", "/root"}).exit_code, 0);
  EXPECT_NE(Run({"ls", "/home"}).exit_code, 0);
  EXPECT_NE(Run({"cat", "/etc/passwd"}).exit_code, 0);
  EXPECT_NE(Run({"ls", folder_}).exit_code, 0);
}

TEST_F(SandboxTest, HasTheToolsThatAreAlternatives) {
  const CommandResult result = Run({"awk", "BEGIN { print 6 * 7 }"});
  EXPECT_EQ(result.output, "42\n");
}

TEST_F(SandboxTest, HasOnlyTheEnvironmentGiven) {
  setenv("SHAKEDOWN_TOKEN", "hidden", 1);
  const std::string environment = Run({"env"}).output;
  EXPECT_THAT(environment, HasSubstr("SECRET=none"));
  EXPECT_THAT(environment, testing::Not(HasSubstr("SHAKEDOWN_TOKEN")));
}

TEST_F(SandboxTest, LimitsTheFileSize) {
  const CommandResult result =
      Run({"dd", "if=/dev/null", "of=/build/big", "bs=1M", "seek=9000", "count=0"});
  EXPECT_NE(result.exit_code, 0);
}

// True when a process of this command line is there. Only ours has this number of seconds.
bool Runs(const std::string& seconds) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (line == std::string("sleep\0", 6) + seconds + std::string("\0", 1)) return true;
  }
  return false;
}

// Waits at most 20 s.
bool Becomes(bool want, const std::string& seconds) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (Runs(seconds) != want && absl::Now() < deadline) std::this_thread::yield();
  return Runs(seconds) == want;
}

TEST_F(SandboxTest, EverythingInsideEndsOnCancel) {
  const std::string seconds = absl::StrCat(100000 + getpid());
  std::atomic<bool> cancel = false;
  // A grandchild in a session of its own holds on: the usual way out of a process group.
  const std::string script =
      absl::StrCat("setsid sleep ", seconds, " & echo started; sleep ", seconds);
  const CommandResult result = Run({"sh", "-c", script}, &cancel, [&](absl::string_view) {
    EXPECT_TRUE(Becomes(true, seconds));
    cancel = true;
  });
  EXPECT_TRUE(result.cancelled);
  EXPECT_TRUE(Becomes(false, seconds));
}

TEST(ProveSandboxTest, WithoutBubblewrapNothingIsBuilt) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const absl::Status status = ProveSandbox(std::nullopt);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("apt-get install bubblewrap"));
}

TEST(SandboxArgvTest, BindsAreWordsOfTheirOwn) {
  SandboxSpec spec;
  spec.read_only = {{"/a b; rm -rf /", "/in"}};
  const std::vector<std::string> argv = SandboxArgv(spec, {"true"});
  EXPECT_THAT(argv, testing::Contains("/a b; rm -rf /"));
  EXPECT_THAT(argv, testing::Contains("--unshare-all"));
  EXPECT_EQ(argv.back(), "true");
}

}  // namespace
}  // namespace shakedown::agent
