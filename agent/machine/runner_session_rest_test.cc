#include "agent/machine/runner_session.h"
#include "agent/machine/session_talk.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

// To where the session waits for the first load's rest.
void ToRest(Talk& talk) {
  talk.session.RestBeforeLoads();
  talk.Hello();
  talk.Asked();
  talk.Identified();
}

TEST(RunnerSessionRestTest, EachLoadWaitsForItsRest) {
  Talk talk;
  ToRest(talk);
  EXPECT_TRUE(talk.session.WantsRest());
  EXPECT_EQ(talk.session.TakeOutput(), "");
  EXPECT_EQ(talk.session.phase(), "waiting to run make 1/2");
  talk.session.Rested(talk.now);
  EXPECT_FALSE(talk.session.WantsRest());
  EXPECT_EQ(talk.Asked().run_load().index(), 0u);
  talk.Measured(0);
  talk.Asked();
  talk.Identified();
  EXPECT_TRUE(talk.session.WantsRest());
  talk.session.Rested(talk.now);
  EXPECT_EQ(talk.Asked().run_load().index(), 1u);
  talk.Measured(1);
  talk.Asked();
  talk.Identified();
  EXPECT_FALSE(talk.session.WantsRest());
  EXPECT_EQ(talk.Result().outcome(), v1::OUTCOME_MEASURED);
}

TEST(RunnerSessionRestTest, RestIsNeitherSilenceNorRunTime) {
  Talk talk;
  ToRest(talk);
  const absl::Duration rested = talk.now + absl::Seconds(10000);
  EXPECT_EQ(talk.session.LookAt(rested), RunnerSession::Overdue::kNot);
  talk.session.Rested(rested);
  // A second between hello and rest is all that is gone of the 300 s.
  EXPECT_EQ(talk.Asked().run_load().limit_s(), 299u);
  EXPECT_EQ(talk.session.LookAt(rested + absl::Seconds(80)), RunnerSession::Overdue::kNot);
  EXPECT_EQ(talk.session.LookAt(rested + absl::Seconds(100)), RunnerSession::Overdue::kSilent);
}

TEST(RunnerSessionRestTest, ACalibrationIsOnARestedMachine) {
  v1::BootOrder order = AnOrder();
  order.clear_loads();
  order.add_loads()->mutable_interbench();
  Talk talk(order);
  ToRest(talk);
  EXPECT_TRUE(talk.session.WantsRest());
  talk.session.Rested(talk.now);
  EXPECT_TRUE(talk.Asked().has_calibrate());
  v1::RunnerEvent event;
  event.mutable_calibrated()->set_loops_per_ms(50000);
  talk.Say(event);
  EXPECT_EQ(talk.Asked().run_load().loops_per_ms(), 50000u);
}

TEST(RunnerSessionRestTest, WithoutRestTheBootIsDisturbedAndItsSetupTakenBack) {
  v1::BootOrder order = AnOrder();
  order.add_setup()->set_turbo(false);
  Talk talk(order);
  ToRest(talk);
  v1::RunnerEvent done;
  done.mutable_setup_done()->add_records()->set_step("turbo off");
  EXPECT_TRUE(talk.Asked().has_apply_setup());
  talk.Say(done);
  EXPECT_TRUE(talk.Asked().has_identify());
  talk.Identified();
  ASSERT_TRUE(talk.session.WantsRest());
  talk.session.GiveUp("ac_lost: on battery", talk.now);
  EXPECT_TRUE(talk.Asked().has_undo_setup());
  talk.Say(done);
  ASSERT_TRUE(talk.session.end());
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_DISTURBED);
  EXPECT_EQ(talk.session.end()->reason, "make 1/2: ac_lost: on battery");
}

}  // namespace
}  // namespace shakedown::agent
