#include <string>
#include <vector>

#include "agent/machine/session_talk.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

TEST(RunnerSessionTest, AWholeBoot) {
  Talk talk;
  EXPECT_EQ(talk.session.phase(), "booting");
  EXPECT_EQ(talk.session.TakeOutput(), "");
  talk.ToFirstLoad();
  EXPECT_EQ(talk.session.phase(), "make 1/2");
  talk.Measured(0);
  EXPECT_TRUE(talk.Asked().has_identify());
  talk.clocksource = "tsc";
  talk.Identified();
  const v1::RunnerRequest second = talk.Asked();
  EXPECT_EQ(second.run_load().index(), 1u);
  EXPECT_TRUE(second.run_load().load().has_latt());
  EXPECT_LE(second.run_load().limit_s(), 300u);
  EXPECT_GE(second.run_load().limit_s(), 290u);
  EXPECT_EQ(talk.session.phase(), "latt 2/2");
  EXPECT_NEAR(talk.session.fraction(), 0.55, 0.001);
  talk.Measured(1);
  talk.Asked();
  EXPECT_FALSE(talk.session.end().has_value());
  talk.Identified();
  ASSERT_TRUE(talk.session.end().has_value());
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_MEASURED);
  const v1::BootResult result = talk.Result();
  EXPECT_EQ(result.load_runs_size(), 2);
  EXPECT_EQ(result.identity().release(), "6.12.43");
  EXPECT_EQ(result.fingerprint().facts().at("cpu.online"), "2");
  EXPECT_EQ(result.fingerprint().facts().at("clocksource"), "tsc");  // The latest word.
  EXPECT_EQ(result.boot_ms(), 1000u);
}

TEST(RunnerSessionTest, TunablesAreWrittenReadBackAndProven) {
  v1::BootOrder order = AnOrder();
  v1::Tunable* tunable = order.add_tunables();
  tunable->set_name("kernel.sched_autogroup_enabled");
  tunable->set_value("0");
  for (const std::string read_back : {"0", "1"}) {
    Talk talk(order);
    talk.Hello();
    EXPECT_EQ(talk.Asked().identify().tunables_size(), 0);
    talk.Identified();
    EXPECT_EQ(talk.Asked().apply_tunables().tunables(0).value(), "0");
    v1::RunnerEvent applied;
    *applied.mutable_tunables_applied()->add_read_back() = *tunable;
    applied.mutable_tunables_applied()->mutable_read_back(0)->set_value(read_back);
    talk.Say(applied);
    if (read_back == "1") {
      EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_WRONG_KERNEL);
      EXPECT_EQ(talk.session.end()->reason,
                "tunable kernel.sched_autogroup_enabled: wanted \"0\", found \"1\"");
      continue;
    }
    EXPECT_EQ(talk.Asked().identify().tunables(0), "kernel.sched_autogroup_enabled");
    *talk.identity.add_tunables() = *tunable;
    talk.Identified();
    EXPECT_TRUE(talk.Asked().has_run_load());
    EXPECT_TRUE(talk.session.identity_proven());
  }
}

TEST(RunnerSessionTest, ATunableThatCanNotBeWrittenIsNoProof) {
  v1::BootOrder order = AnOrder();
  order.add_tunables()->set_name("sched/x");
  Talk talk(order);
  talk.Hello();
  talk.Asked();
  talk.Identified();
  talk.Asked();
  talk.Fail("tunable sched/x: this kernel has none (did you mean sched/y?)");
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_WRONG_KERNEL);
  EXPECT_EQ(talk.session.end()->reason,
            "tunable sched/x: this kernel has none (did you mean sched/y?)");
}

TEST(RunnerSessionTest, AnotherKernelMeasuresNothing) {
  Talk talk;
  talk.identity.set_release("6.1.0");
  talk.Hello();
  talk.Asked();
  talk.Identified();
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_WRONG_KERNEL);
  EXPECT_THAT(talk.session.end()->reason, HasSubstr("wanted \"6.12.43\", found \"6.1.0\""));
  EXPECT_EQ(talk.session.TakeOutput(), "");
  EXPECT_EQ(talk.Result().load_runs_size(), 0);
  EXPECT_EQ(talk.Result().identity().release(), "6.1.0");
}

TEST(RunnerSessionTest, AFailedLoadKeepsTheRunsBefore) {
  Talk talk;
  talk.ToFirstLoad();
  talk.Measured(0);
  talk.Asked();
  talk.Identified();
  talk.Asked();
  talk.Fail("latt: make ended with 2\nsecond line");
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_LOAD_FAILED);
  EXPECT_EQ(talk.session.end()->reason, "latt 2/2: latt: make ended with 2 second line");
  EXPECT_EQ(talk.Result().load_runs_size(), 1);
}

v1::BootOrder OrderOfInterbench(uint64_t loops_per_ms) {
  v1::BootOrder order = AnOrder();
  order.clear_loads();
  order.add_loads()->mutable_make();
  order.add_loads()->mutable_interbench();
  order.add_loads()->mutable_frames();
  order.set_loops_per_ms(loops_per_ms);
  return order;
}

v1::RunnerEvent Calibrated(uint64_t loops_per_ms) {
  v1::RunnerEvent event;
  event.mutable_calibrated()->set_loops_per_ms(loops_per_ms);
  return event;
}

TEST(RunnerSessionTest, AnUnknownMachineIsCalibratedOnce) {
  Talk talk(OrderOfInterbench(0));
  talk.ToFirstLoad();
  talk.Say(Calibrated(5));  // Unasked: not heard.
  talk.Measured(0);
  talk.Asked();
  EXPECT_EQ(talk.Result().loops_per_ms(), 0u);
  talk.Identified();
  EXPECT_TRUE(talk.Asked().has_calibrate());
  EXPECT_EQ(talk.session.phase(), "calibrating");
  talk.Say(Calibrated(2500000));
  const v1::RunnerRequest interbench = talk.Asked();
  EXPECT_EQ(interbench.run_load().index(), 1u);
  EXPECT_EQ(interbench.run_load().loops_per_ms(), 2500000u);
  talk.Measured(1);
  talk.Asked();
  talk.Identified();
  const v1::RunnerRequest frames = talk.Asked();  // Not asked again.
  EXPECT_EQ(frames.run_load().loops_per_ms(), 2500000u);
  talk.Measured(2);
  talk.Asked();
  talk.Identified();
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_MEASURED);
  EXPECT_EQ(talk.Result().loops_per_ms(), 2500000u);
}

TEST(RunnerSessionTest, AKnownMachineIsNotCalibrated) {
  Talk talk(OrderOfInterbench(3000000));
  talk.ToFirstLoad();
  talk.Measured(0);
  talk.Asked();
  talk.Identified();
  EXPECT_EQ(talk.Asked().run_load().loops_per_ms(), 3000000u);
}

TEST(RunnerSessionTest, ActivitiesAndBurnersAreCalibratedToo) {
  for (const bool beside : {false, true}) {
    v1::BootOrder order = AnOrder();
    order.clear_loads();
    v1::Load* load = order.add_loads();
    load->mutable_launch();
    if (beside) load->mutable_launch()->mutable_beside()->set_burn_threads(2);
    if (!beside) order.add_background()->set_audio(true);
    Talk talk(order);
    talk.Hello();
    talk.Asked();
    talk.Identified();
    EXPECT_TRUE(talk.Asked().has_calibrate()) << beside;
    v1::RunnerEvent calibrated;
    calibrated.mutable_calibrated()->set_loops_per_ms(1234567);
    talk.Say(calibrated);
    const v1::RunLoad run = talk.Asked().run_load();
    EXPECT_EQ(run.background_size(), beside ? 0 : 1);
    EXPECT_EQ(run.loops_per_ms(), 1234567u);
  }
}

TEST(RunnerSessionTest, ALoadsOwnLoopsNeedNoCalibration) {
  v1::BootOrder order = OrderOfInterbench(0);
  order.mutable_loads()->RemoveLast();
  order.mutable_loads(1)->mutable_interbench()->set_loops_per_ms(1000000);
  Talk talk(order);
  talk.ToFirstLoad();
  talk.Measured(0);
  talk.Asked();
  talk.Identified();
  EXPECT_TRUE(talk.Asked().has_run_load());
  talk.Measured(1);
  talk.Asked();
  talk.Identified();
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_MEASURED);
  EXPECT_EQ(talk.Result().loops_per_ms(), 0u);
}

TEST(RunnerSessionTest, AFailedCalibrationFailsTheLoad) {
  for (const bool absurd : {false, true}) {
    v1::BootOrder order = OrderOfInterbench(0);
    order.mutable_loads()->DeleteSubrange(0, 1);
    Talk talk(order);
    talk.Hello();
    talk.Asked();
    talk.Identified();
    EXPECT_TRUE(talk.Asked().has_calibrate());
    if (absurd) talk.Say(Calibrated(~uint64_t{0}));
    if (!absurd) talk.Fail("calibration: no steady speed within 60 s");
    EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_LOAD_FAILED);
    EXPECT_THAT(talk.session.end()->reason, HasSubstr("interbench 1/2: calibrat"));
  }
}

TEST(RunnerSessionTest, AnEjectedSchedulerVoidsTheBoot) {
  Talk talk;
  talk.identity.set_sched_ext_state("enabled");
  talk.ToFirstLoad();
  talk.Measured(0);
  talk.Asked();
  talk.identity.set_sched_ext_state("disabled");
  talk.Identified();
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_SCHEDULER_EJECTED);
  EXPECT_EQ(talk.Result().load_runs_size(), 0);
}

TEST(RunnerSessionTest, AChangedBootIdVoidsTheBoot) {
  Talk talk;
  talk.ToFirstLoad();
  v1::RunnerEvent hello;
  hello.mutable_hello()->set_boot_id("other");
  talk.Say(hello);
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_WRONG_KERNEL);
}

TEST(RunnerSessionTest, SamplesAreOfTheLoadThatRuns) {
  Talk talk;
  v1::RunnerEvent event;
  v1::TelemetrySample& sample = *event.mutable_progress()->mutable_sample();
  sample.set_at_ms(1000);
  sample.add_values()->set_name("vmstat.us");
  sample.mutable_values(0)->set_value(42);
  talk.Hello();
  talk.Asked();
  talk.Say(event);  // No load runs yet.
  EXPECT_EQ(talk.session.live().at_ms_size(), 0);
  talk.Identified();
  talk.Asked();
  talk.Say(event);
  ASSERT_EQ(talk.session.live().at_ms_size(), 1);
  EXPECT_EQ(talk.session.live().load(), 0u);
  EXPECT_EQ(talk.session.live().lines(0).values(0), 42);
  talk.Measured(0);
  EXPECT_EQ(talk.session.live().at_ms_size(), 0);
  talk.Asked();
  talk.Identified();
  talk.Asked();
  talk.Say(event);
  EXPECT_EQ(talk.session.live().load(), 1u);
  EXPECT_EQ(talk.session.live().at_ms_size(), 1);
}

TEST(RunnerSessionTest, AHostileGuestIsNotHeard) {
  Talk talk;
  talk.Measured(0);  // Before any question.
  talk.Identified();
  EXPECT_FALSE(talk.session.end().has_value());
  talk.ToFirstLoad();
  talk.last_id = 77;  // An answer to nothing.
  talk.Measured(0);
  EXPECT_EQ(talk.session.TakeOutput(), "");
  talk.last_id = 2;
  v1::RunnerEvent progress;
  progress.mutable_progress()->set_fraction(1e30f);
  talk.Say(progress);
  EXPECT_LE(talk.session.fraction(), 1.0f);
  talk.Measured(5);  // Not the load that was asked for.
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_LOAD_FAILED);
  EXPECT_EQ(talk.Result().load_runs_size(), 0);
}

TEST(RunnerSessionTest, NoMessagesAtAllEndIt) {
  Talk talk;
  talk.session.Receive(EncodeFrame("\xFF\xFF\xFF"), absl::Seconds(1));
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_WRONG_KERNEL);
  EXPECT_THAT(talk.session.end()->reason, HasSubstr("is no RunnerEvent"));
  Talk flood;
  for (int i = 0; i < 20; ++i) flood.session.Receive(std::string(1 << 17, 'x'), absl::Seconds(1));
  ASSERT_TRUE(flood.session.end().has_value());
  EXPECT_THAT(flood.session.end()->reason, HasSubstr("that are no message"));
}

TEST(RunnerSessionTest, TimeIsLookedAt) {
  using Overdue = RunnerSession::Overdue;
  Talk talk;
  EXPECT_EQ(talk.session.LookAt(absl::Seconds(60)), Overdue::kNot);
  EXPECT_EQ(talk.session.LookAt(absl::Seconds(61)), Overdue::kHello);
  talk.ToFirstLoad();  // The hello came after one second, the identity after two.
  EXPECT_EQ(talk.session.LookAt(absl::Seconds(92)), Overdue::kNot);
  EXPECT_EQ(talk.session.LookAt(absl::Seconds(93)), Overdue::kSilent);
  talk.now = absl::Seconds(299);
  v1::RunnerEvent progress;
  progress.mutable_progress()->set_fraction(0.5f);
  talk.Say(progress);
  EXPECT_EQ(talk.session.LookAt(absl::Seconds(301)), Overdue::kNot);
  EXPECT_EQ(talk.session.LookAt(absl::Seconds(302)), Overdue::kRun);
}

TEST(RunnerSessionTest, WithoutLoadsABootIsMeasuredOnceProven) {
  v1::BootOrder order = AnOrder();
  order.clear_loads();
  Talk talk(order);
  talk.Hello();
  talk.Asked();
  talk.Identified();
  EXPECT_EQ(talk.session.end()->outcome, v1::OUTCOME_MEASURED);
}

}  // namespace
}  // namespace shakedown::agent
