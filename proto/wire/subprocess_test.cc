#include "proto/wire/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "absl/strings/match.h"

namespace shakedown {
namespace {

TEST(SubprocessTest, GivesOutputAndExitCode) {
  const auto result = RunCommand({.argv = {"sh", "-c", "echo out; echo err >&2; exit 3"}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->output, "out\nerr\n");
}

TEST(SubprocessTest, ArgumentsAreNotSeenByAShell) {
  EXPECT_EQ(*RunForOutput({.argv = {"printf", "%s", "$(id) ; `ls` \"'"}}), "$(id) ; `ls` \"'");
}

TEST(SubprocessTest, FeedsInput) {
  signal(SIGPIPE, SIG_IGN);
  const std::string input(3 << 20, 'x');
  const auto result = RunForOutput({.argv = {"wc", "-c"}, .input = input});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, "3145728\n");
}

TEST(SubprocessTest, KeepsTheLastBytesOnly) {
  const auto result = RunForOutput({.argv = {"seq", "100000"}, .keep = 7});
  EXPECT_EQ(*result, "100000\n");
}

TEST(SubprocessTest, MissingProgramIsNamed) {
  const auto result = RunCommand({.argv = {"no-such-program-here"}});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(result.status().message(), "no-such-program-here"));
}

TEST(SubprocessTest, TheWholeGroupEndsAtTheLimit) {
  const auto result =
      RunCommand({.argv = {"sh", "-c", "sleep 600 & sleep 600"}, .limit = absl::Milliseconds(50)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->exit_code, 128 + SIGTERM);
}

TEST(SubprocessTest, CancelEndsIt) {
  const std::atomic<bool> cancel = true;
  const auto result = RunForOutput({.argv = {"sleep", "600"}, .cancel = &cancel});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kCancelled);
}

TEST(SubprocessTest, ADaemonItLeavesDoesNotKeepUs) {
  const auto result = RunCommand({.argv = {"sh", "-c", "sleep 600 & echo done"}});
  EXPECT_EQ(result->output, "done\n");
}

}  // namespace
}  // namespace shakedown
