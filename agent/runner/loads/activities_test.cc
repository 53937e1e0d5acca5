#include "agent/runner/loads/activities.h"

#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "agent/runner/loads/load_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

using testing::HasSubstr;

class PerformLoadTest : public LoadTest {
 protected:
  PerformLoadTest() { request_.set_loops_per_ms(1000); }
  void TearDown() override {
    setpriority(PRIO_PROCESS, 0, 0);
    LoadTest::TearDown();
  }
  void Measure(const std::string& script) {
    request_.mutable_load()->mutable_command()->clear_words();
    for (const std::string& word : {std::string("sh"), std::string("-c"), script}) {
      request_.mutable_load()->mutable_command()->add_words(word);
    }
  }
  v1::Activity& Command(const std::string& script) {
    v1::Activity& activity = *request_.add_background();
    for (const std::string& word : {std::string("sh"), std::string("-c"), script}) {
      activity.mutable_command()->add_words(word);
    }
    return activity;
  }
  v1::RunLoad request_;
};

TEST_F(PerformLoadTest, ActivitiesRunBesideTheLoad) {
  const std::string there = context_.scratch + "/there";
  Command("touch " + there + "; exec sleep 1000").set_name("music");
  request_.add_background()->set_audio(true);
  request_.add_background()->set_video(true);
  Measure("while [ ! -e " + there + " ]; do sleep 0.01; done");
  const absl::StatusOr<v1::LoadRun> run = PerformLoad(request_, context_);
  EXPECT_TRUE(run.ok()) << run.status();
}

TEST_F(PerformLoadTest, OneThatHasEndedIsNamedWithItsExit) {
  const std::string pid_file = context_.scratch + "/pid";
  Command("echo $$ > " + pid_file + "; echo no sound card; exit 4").set_name("music");
  // Until the process that ran it is gone, too: a zombie of ours, whose parent we are.
  Measure("while [ ! -s " + pid_file + " ]; do sleep 0.01; done; while [ -d /proc/$(cat " +
          pid_file + ") ]; do sleep 0.01; done; sleep 0.2");
  const absl::Status status = PerformLoad(request_, context_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("activity \"music\" has ended"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("exit code 4"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no sound card"));
}

TEST_F(PerformLoadTest, NiceIsTheLoadsAndTheActivitysOwn) {
  const std::string seen = context_.scratch + "/seen";
  Command("nice > " + seen + "; exec sleep 1000").set_nice(3);
  request_.mutable_load()->set_nice(7);
  Measure("while [ ! -s " + seen + " ]; do sleep 0.01; done; echo load $(nice) beside $(cat " +
          seen + ")");
  const absl::StatusOr<v1::LoadRun> run = PerformLoad(request_, context_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(run->output(), HasSubstr("load 7 beside 3"));
}

TEST_F(PerformLoadTest, BadRequests) {
  Measure("true");
  request_.mutable_load()->set_nice(20);
  EXPECT_EQ(PerformLoad(request_, context_).status().code(), absl::StatusCode::kInvalidArgument);
  request_.mutable_load()->set_nice(0);
  request_.add_background()->set_name("nothing");
  EXPECT_THAT(std::string(PerformLoad(request_, context_).status().message()),
              HasSubstr("activity \"nothing\": no kind"));
  request_.mutable_background(0)->set_audio(true);
  request_.mutable_background(0)->set_nice(-21);
  EXPECT_EQ(PerformLoad(request_, context_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PerformLoadTest, CalibrationIsForWhatBurns) {
  Measure("true");
  EXPECT_FALSE(NeedsCalibration(request_));
  Command("true");
  EXPECT_FALSE(NeedsCalibration(request_));
  request_.add_background()->set_video(true);
  EXPECT_TRUE(NeedsCalibration(request_));
  v1::RunLoad frames;
  frames.mutable_load()->mutable_frames();
  EXPECT_TRUE(NeedsCalibration(frames));
  frames.mutable_load()->mutable_frames()->set_loops_per_ms(5);
  EXPECT_FALSE(NeedsCalibration(frames));
}

}  // namespace
}  // namespace shakedown::runner
