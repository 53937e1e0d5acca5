#include "agent/runner/loads/launch.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/beside.h"
#include "agent/runner/loads/load_testing.h"
#include "agent/runner/loads/program_start.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

using testing::HasSubstr;

FakeClock no_pause_is_slept;

class LaunchTest : public LoadTest {
 protected:
  LaunchTest() : LoadTest(no_pause_is_slept) {
    const char* programs = std::getenv("SHAKEDOWN_BIN_DIR");
    context_.self = absl::StrCat(programs == nullptr ? "build/bin" : programs, "/shakedown-runner");
  }
};

TEST_F(LaunchTest, OurOwnProgramFromACopy) {
  v1::Load load;
  load.set_warmups(1);
  load.mutable_launch()->set_count(5);
  load.mutable_launch()->set_pause_ms(1000);
  const absl::Duration before = no_pause_is_slept.Elapsed();
  const absl::StatusOr<v1::LoadRun> run = RunLaunchLoad(load, context_);
  ASSERT_TRUE(run.ok()) << run.status();
  auto values = Values(*run, 2);
  EXPECT_EQ(values["launch.warm.n"], 5);
  EXPECT_GT(values["launch.warm.avg"], 0);
  EXPECT_GE(values["launch.warm.max"], values["launch.warm.p50"]);
  EXPECT_LT(values["launch.warm.max"], 60e6);
  EXPECT_EQ(no_pause_is_slept.Elapsed() - before,
            absl::Seconds(8));  // Four pauses in each of two iterations.
  ASSERT_EQ(run->histograms_size(), 2);
  EXPECT_EQ(run->histograms(1).metric(), "launch.warm");
  uint64_t all = 0;
  for (const uint64_t count : run->histograms(1).count()) all += count;
  EXPECT_EQ(all, 5u);
}

TEST_F(LaunchTest, BesideSomethingThatBurns) {
  v1::Load load;
  load.mutable_launch()->set_count(2);
  load.mutable_launch()->add_program("echo");
  load.mutable_launch()->mutable_beside()->set_burn_threads(2);
  const absl::StatusOr<v1::LoadRun> run = RunLaunchLoad(load, context_);
  ASSERT_TRUE(run.ok()) << run.status();
}

TEST_F(LaunchTest, ACompanionThatFailsSpoilsTheRun) {
  v1::Beside beside;
  for (const char* word : {"sh", "-c", "echo no disk; exit 7"}) {
    beside.mutable_command()->add_words(word);
  }
  v1::LoadRun run;
  absl::StatusOr<BesideLoad> load = BesideLoad::Start(beside, context_, run);
  const absl::Time until = absl::Now() + absl::Seconds(60);
  absl::Status status = load.status();
  while (status.ok() && absl::Now() < until) status = load->CheckAlive();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the command sh beside it has ended"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("exit code 7"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no disk"));
}

TEST_F(LaunchTest, ProgramsThatDoNotDoAsTheyShould) {
  EXPECT_TRUE(TimeToFirstByte({"/bin/echo"}).ok());
  EXPECT_TRUE(TimeToFirstByte({"/usr/bin/yes"}).ok());  // Ended by SIGPIPE.
  EXPECT_THAT(std::string(TimeToFirstByte({"/bin/true"}).status().message()),
              HasSubstr("wrote nothing"));
  EXPECT_THAT(std::string(TimeToFirstByte({"/bin/sh", "-c", "echo; exit 3"}).status().message()),
              HasSubstr("exit code 3"));
  EXPECT_EQ(TimeToFirstByte({"/nonexistent"}).status().code(), absl::StatusCode::kNotFound);
  v1::Load load;
  load.mutable_launch()->add_program("no-such-program");
  EXPECT_EQ(RunLaunchLoad(load, context_).status().code(), absl::StatusCode::kNotFound);
  load.mutable_launch()->set_count(10001);
  EXPECT_EQ(RunLaunchLoad(load, context_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LaunchTest, ColdInMemoryIsRefused) {
  v1::Load load;
  load.mutable_launch()->set_cold(true);
  const std::string disk = context_.scratch;
  context_.scratch = "/dev/shm";
  EXPECT_EQ(RunLaunchLoad(load, context_).status().code(), absl::StatusCode::kFailedPrecondition);
  context_.scratch = disk;
}

}  // namespace
}  // namespace shakedown::runner
