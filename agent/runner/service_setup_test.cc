#include "absl/strings/match.h"
#include "agent/runner/service_fixture.h"
#include "agent/runner/setup/fake_root.h"
#include "controller/plan/setup_text.h"

namespace shakedown::runner {
namespace {

class ServiceSetupTest : public ServiceTest {
 protected:
  std::string root() const override { return root_.path(); }
  void SetUp() override {
    root_.PutMachine();
    root_.Put("/proc/loadavg", "0.10 0.2 0.3 1/99 5\n");
    ServiceTest::SetUp();
  }
  v1::RunnerEvent Apply(uint64_t id, const std::vector<std::string>& steps) {
    v1::RunnerRequest request;
    request.set_id(id);
    request.mutable_apply_setup();
    for (const std::string& step : steps) {
      *request.mutable_apply_setup()->add_steps() = *plan::ParseSetupStep(step);
    }
    Ask(request);
    return HearAnswer(id);
  }
  v1::RunnerEvent Undo(uint64_t id) {
    v1::RunnerRequest request;
    request.set_id(id);
    request.mutable_undo_setup();
    Ask(request);
    return HearAnswer(id);
  }
  static v1::RunnerRequest RunShort(uint64_t id) {
    v1::RunnerRequest request = RunSleep(id);
    request.mutable_run_load()->mutable_load()->mutable_latt()->set_command(1, "1");
    return request;
  }
  FakeRoot root_;
};

TEST_F(ServiceSetupTest, AppliedThenUndone) {
  const v1::RunnerEvent done = Apply(1, {"stop cron", "governor performance", "drop_caches"});
  ASSERT_TRUE(done.has_setup_done()) << done.failure().error();
  EXPECT_EQ(done.setup_done().records_size(), 3);
  EXPECT_FALSE(root_.Runs("cron"));
  EXPECT_TRUE(absl::StrContains(Apply(2, {"turbo off"}).failure().error(), "in place already"));
  Ask(RunShort(3));
  EXPECT_TRUE(HearAnswer(3).has_load_run());
  EXPECT_EQ(root_.Get("/proc/sys/vm/drop_caches"), "3\n");
  const v1::RunnerEvent undone = Undo(4);
  ASSERT_EQ(undone.setup_done().records_size(), 3) << undone.failure().error();
  EXPECT_TRUE(undone.setup_done().records(0).undone());
  EXPECT_TRUE(root_.IsAsItWas());
  EXPECT_TRUE(Undo(5).has_setup_done());  // Nothing is in place: nothing to do.
  EXPECT_TRUE(Apply(6, {"turbo off"}).has_setup_done());
}

TEST_F(ServiceSetupTest, WhatThisMachineCanNotDoIsNamed) {
  EXPECT_TRUE(absl::StartsWith(Apply(1, {"turbo off", "stop bluetooth"}).failure().error(),
                               "setup: stop bluetooth: "));
  EXPECT_TRUE(root_.IsAsItWas());
}

TEST_F(ServiceSetupTest, PowerOffTakesBack) {
  ASSERT_TRUE(Apply(1, {"stop cron"}).has_setup_done());
  PowerOff();
  thread_.join();
  EXPECT_TRUE(root_.IsAsItWas());
}

TEST_F(ServiceSetupTest, SettlesBeforeTheLoadAndSaysWhatItWaitsFor) {
  root_.Put("/proc/loadavg", "3.50 0.2 0.3 1/99 5\n");
  ASSERT_TRUE(Apply(1, {"settle:load=1,limit=60"}).has_setup_done());
  Ask(RunShort(2));
  v1::RunnerEvent beat = Hear();
  while (!beat.has_progress()) beat = Hear();
  EXPECT_EQ(beat.progress().text(), "settling: load 3.50, at most 1 is wanted");
  Ask(RunShort(3));
  EXPECT_TRUE(absl::StrContains(HearAnswer(3).failure().error(), "busy"));
  root_.Put("/proc/loadavg", "0.50 0.2 0.3 1/99 5\n");
  const v1::RunnerEvent end = HearAnswer(2);
  EXPECT_TRUE(end.has_load_run()) << end.failure().error();
  EXPECT_LT(end.load_run().duration_ms(), 8000u);
}

TEST_F(ServiceSetupTest, StopWhileSettling) {
  root_.Put("/proc/loadavg", "3.50 0.2 0.3 1/99 5\n");
  ASSERT_TRUE(Apply(1, {"settle:load=1"}).has_setup_done());
  Ask(RunShort(2));
  v1::RunnerEvent beat = Hear();
  while (!beat.has_progress()) beat = Hear();
  v1::RunnerRequest stop;
  stop.set_id(3);
  stop.mutable_stop_load();
  Ask(stop);
  EXPECT_EQ(HearAnswer(2).failure().error(), "stopped");
}

}  // namespace
}  // namespace shakedown::runner
