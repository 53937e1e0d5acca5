// What the session makes of setup steps and disturbances.
#include <string>
#include <vector>

#include "agent/machine/session_talk.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

v1::BootOrder OrderWithSetup() {
  v1::BootOrder order = AnOrder();
  order.add_setup()->set_governor("performance");
  order.add_setup()->set_require_ac(true);
  return order;
}

v1::RunnerEvent Done(const std::vector<std::string>& before, bool undone = false) {
  v1::RunnerEvent event;
  event.mutable_setup_done();
  for (const std::string& was : before) {
    v1::SetupRecord* record = event.mutable_setup_done()->add_records();
    record->set_step("step");
    record->set_before(was);
    record->set_undone(undone);
  }
  return event;
}

v1::RunnerEvent Disturbed(uint32_t load, const std::string& rule, const std::string& fact) {
  v1::RunnerEvent event;
  event.mutable_load_run()->set_load(load);
  event.mutable_load_run()->add_measurements()->set_metric("make.real");
  v1::Disturbance* disturbance = event.mutable_load_run()->add_disturbances();
  disturbance->set_rule(rule);
  disturbance->set_fact(fact);
  return event;
}

// To where the setup has been asked for.
void ToSetup(Talk& talk) {
  talk.Hello();
  talk.Asked();
  talk.Identified();
}

TEST(RunnerSessionSetupTest, AppliedProvenAndTakenBack) {
  Talk talk(OrderWithSetup());
  ToSetup(talk);
  const v1::RunnerRequest asked = talk.Asked();
  ASSERT_EQ(asked.apply_setup().steps_size(), 2);
  EXPECT_FALSE(asked.apply_setup().has_sched_ext());
  EXPECT_EQ(talk.session.phase(), "setting the machine up");
  talk.Say(Done({"schedutil", "on mains"}));
  EXPECT_TRUE(talk.Asked().has_identify());
  talk.Identified();
  for (uint32_t load : {0, 1}) {
    EXPECT_EQ(talk.Asked().run_load().index(), load);
    talk.Measured(load);
    talk.Asked();
    talk.Identified();
  }
  EXPECT_TRUE(talk.Asked().has_undo_setup());
  EXPECT_FALSE(talk.session.end().has_value());
  talk.Say(Done({"schedutil", "on mains"}, true));
  ASSERT_TRUE(talk.session.end().has_value());
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_MEASURED);
  const v1::BootResult result = talk.Result();
  ASSERT_EQ(result.setup_size(), 2);
  EXPECT_EQ(result.setup(0).before(), "schedutil");
  EXPECT_TRUE(result.setup(0).undone());
  EXPECT_EQ(result.load_runs_size(), 2);
}

TEST(RunnerSessionSetupTest, WhatTheMachineCanNotDoIsNotTheKernels) {
  for (const std::string error :
       {"setup: governor performance: no cpufreq on this machine", "governor performance: no"}) {
    Talk talk(OrderWithSetup());
    ToSetup(talk);
    talk.Asked();
    talk.Fail(error);
    ASSERT_TRUE(talk.session.end().has_value());
    EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_FARM_FAILED);
    EXPECT_THAT(talk.session.end()->reason, testing::StartsWith("setup: governor performance: no"));
  }
}

TEST(RunnerSessionSetupTest, OnBatteryIsDisturbedBeforeAnyLoad) {
  Talk talk(OrderWithSetup());
  ToSetup(talk);
  talk.Asked();
  talk.Say(Done({"schedutil", "on battery"}));
  EXPECT_TRUE(talk.Asked().has_undo_setup());
  talk.Say(Done({"schedutil", "on battery"}, true));
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_DISTURBED);
  EXPECT_THAT(talk.session.end()->reason, HasSubstr("ac_lost"));
}

TEST(RunnerSessionSetupTest, ADisturbedRunIsTheLastAndIsKept) {
  Talk talk;
  talk.ToFirstLoad();
  talk.Say(Disturbed(0, "steal", "steal 3.4 %, at most 1 % is allowed"));
  EXPECT_TRUE(talk.Asked().has_identify());
  talk.Identified();
  ASSERT_TRUE(talk.session.end().has_value());
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_DISTURBED);
  EXPECT_EQ(talk.session.end()->reason, "make 1/2: steal 3.4 %, at most 1 % is allowed");
  ASSERT_EQ(talk.Result().load_runs_size(), 1);
  EXPECT_EQ(talk.Result().load_runs(0).disturbances(0).rule(), "steal");
}

TEST(RunnerSessionSetupTest, ADisturbedRunOnASetUpMachineIsTakenBackFirst) {
  Talk talk(OrderWithSetup());
  ToSetup(talk);
  talk.Asked();
  talk.Say(Done({"schedutil", "no battery"}));
  talk.Asked();
  talk.Identified();
  talk.Asked();
  talk.Say(Disturbed(0, "throttled", "thermal throttling 2 times, 0 are allowed"));
  talk.Asked();
  talk.Identified();
  EXPECT_TRUE(talk.Asked().has_undo_setup());
  talk.Fail("setup: undo: it did not work");
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_DISTURBED);
  EXPECT_FALSE(talk.Result().setup(0).undone());
}

TEST(RunnerSessionSetupTest, ASchedulerThatCameAndWentIsTheSchedulers) {
  Talk talk;
  talk.ToFirstLoad();
  talk.Say(Disturbed(0, "scheduler_changed", "sched_ext was \"a\", is \"b\""));
  talk.Asked();
  talk.Identified();
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_SCHEDULER_EJECTED);
}

TEST(RunnerSessionSetupTest, ARuleThatIsNoneIsRefused) {
  Talk talk;
  talk.ToFirstLoad();
  talk.Say(Disturbed(0, "bad_luck", "the number was low"));
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_LOAD_FAILED);
  EXPECT_THAT(talk.session.end()->reason, HasSubstr("bad_luck"));
}

TEST(RunnerSessionSetupTest, SchedExtIsStartedAndProven) {
  v1::BootOrder order = AnOrder();
  order.mutable_sched_ext()->add_command("scx_simple");
  order.mutable_sched_ext()->set_ops("simple");
  for (const std::string ops : {"simple", "other", ""}) {
    Talk talk(order);
    talk.identity.set_sched_ext_state("disabled");
    ToSetup(talk);
    EXPECT_EQ(talk.Asked().apply_setup().sched_ext().command(0), "scx_simple");
    talk.Say(Done({"disabled"}));
    talk.Asked();
    talk.identity.set_sched_ext_state(ops.empty() ? "disabled" : "enabled");
    talk.identity.set_sched_ext_ops(ops);
    talk.Identified();
    if (ops == "simple") {
      EXPECT_TRUE(talk.Asked().has_run_load());
      EXPECT_EQ(talk.Result().identity().sched_ext_ops(), "simple");
      continue;
    }
    ASSERT_TRUE(talk.session.end().has_value()) << ops;
    EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_SCHEDULER_EJECTED);
  }
}

TEST(RunnerSessionSetupTest, ASchedulerThatDoesNotStart) {
  v1::BootOrder order = AnOrder();
  order.mutable_sched_ext()->add_command("scx_simple");
  Talk talk(order);
  ToSetup(talk);
  talk.Asked();
  talk.Fail("sched_ext: scx_simple ended with code 1 before its scheduler was enabled");
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_SCHEDULER_EJECTED);
  Talk other(order);
  ToSetup(other);
  other.Asked();
  other.Fail("setup: sched_ext: scx_simple: no such program on this machine");
  EXPECT_EQ(other.session.end()->outcome, v1::OUTCOME_FARM_FAILED);
}

TEST(RunnerSessionSetupTest, AnAnswerThatIsNotWholeIsRefused) {
  Talk talk(OrderWithSetup());
  ToSetup(talk);
  talk.Asked();
  talk.Say(Done({"schedutil"}));
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_FARM_FAILED);
  EXPECT_EQ(talk.session.end()->reason, "setup: 1 steps done, want 2");
}

}  // namespace
}  // namespace shakedown::agent
