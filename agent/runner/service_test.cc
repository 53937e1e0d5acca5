#include <sys/wait.h>

#include <string>

#include "absl/strings/match.h"
#include "agent/runner/service_fixture.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST_F(ServiceTest, HelloUntilTheFirstRequest) {
  const v1::RunnerEvent first = Hear();
  EXPECT_TRUE(first.has_hello());
  EXPECT_EQ(first.id(), 0u);
  EXPECT_EQ(first.hello().boot_id().size(), 36u);
  EXPECT_TRUE(Hear().has_hello());
  PowerOff();
  thread_.join();
  EXPECT_TRUE(status_.ok()) << status_;
}

TEST_F(ServiceTest, IdentifyThroughNoise) {
  SendBytes("SDF1 not a frame");
  v1::RunnerRequest request;
  request.set_id(7);
  request.mutable_identify()->add_tunables("kernel.ostype");
  Ask(request);
  const v1::RunnerEvent event = HearAnswer(7);
  ASSERT_TRUE(event.has_identified()) << event.failure().error();
  EXPECT_NE(event.identified().identity().release(), "");
  ASSERT_EQ(event.identified().identity().tunables_size(), 1);
  EXPECT_EQ(event.identified().identity().tunables(0).value(), "Linux");
  EXPECT_NE(event.identified().fingerprint().facts().at("memory_kib"), "");
}

TEST_F(ServiceTest, UnreadableTunableIsAFailureThatNamesIt) {
  v1::RunnerRequest request;
  request.set_id(8);
  request.mutable_identify()->add_tunables("kernel.no_such_thing");
  Ask(request);
  EXPECT_TRUE(absl::StrContains(HearAnswer(8).failure().error(), "kernel.no_such_thing"));
  request.set_id(9);
  v1::Tunable& tunable = *request.mutable_apply_tunables()->add_tunables();
  tunable.set_name("../etc/passwd");
  tunable.set_value("x");
  Ask(request);
  EXPECT_TRUE(absl::StrContains(HearAnswer(9).failure().error(), "../etc/passwd"));
}

// A machine that is busy beside the test may have no steady speed: that is said, in time.
TEST_F(ServiceTest, Calibrates) {
  v1::RunnerRequest request;
  request.set_id(6);
  request.mutable_calibrate();
  Ask(request);
  v1::RunnerEvent event;
  for (int i = 0; i < 3 && event.id() != 6; ++i) event = Hear();
  if (event.has_calibrated()) {
    EXPECT_GE(event.calibrated().loops_per_ms(), 1000u);
  } else {
    EXPECT_TRUE(absl::StrContains(event.failure().error(), "calibration: ")) << event.DebugString();
  }
}

TEST_F(ServiceTest, OneLoadAtATimeAndStop) {
  Ask(RunSleep(1));
  v1::RunnerEvent beat = Hear();
  while (!beat.has_progress()) beat = Hear();
  EXPECT_EQ(beat.id(), 1u);
  Ask(RunSleep(2));
  EXPECT_TRUE(absl::StrContains(HearAnswer(2).failure().error(), "busy"));
  v1::RunnerRequest stop;
  stop.set_id(3);
  stop.mutable_stop_load();
  Ask(stop);
  EXPECT_EQ(HearAnswer(1).failure().error(), "load 0 (latt): stopped");
  stop.set_id(4);
  Ask(stop);
  EXPECT_TRUE(absl::StrContains(HearAnswer(4).failure().error(), "no load runs"));
}

TEST_F(ServiceTest, PowerOffEndsTheLoad) {
  Ask(RunSleep(1));
  v1::RunnerEvent beat = Hear();
  while (!beat.has_progress()) beat = Hear();
  PowerOff();
  thread_.join();
  EXPECT_TRUE(status_.ok()) << status_;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(ServiceTest, StrangeRequests) {
  SendBytes(EncodeFrame("\xff\xff not a message"));
  v1::RunnerEvent refusal = Hear();
  while (refusal.has_hello()) refusal = Hear();  // They too have the id 0.
  EXPECT_TRUE(absl::StrContains(refusal.failure().error(), "not a RunnerRequest"));
  v1::RunnerRequest empty;
  empty.set_id(5);
  Ask(empty);
  EXPECT_TRUE(absl::StrContains(HearAnswer(5).failure().error(), "does not know"));
}

}  // namespace
}  // namespace shakedown::runner
