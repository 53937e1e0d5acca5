#include "agent/machine/runner_session.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;
constexpr char kBootId[] = "6a1a4c3e-9d0a-4f6c-8f35-0d5c7d3f1a11";

v1::BootOrder AnOrder() {
  v1::BootOrder order;
  order.mutable_expected()->set_release("6.12.43");
  order.mutable_expected()->set_build_id("deadbeef");
  order.add_loads()->mutable_make();
  order.add_loads()->mutable_latt();
  order.set_boot_limit_s(60);
  order.set_run_limit_s(300);
  return order;
}

// A guest that answers as a test tells it to.
class Talk {
 public:
  explicit Talk(v1::BootOrder order = AnOrder())
      : session(order, {"root=/dev/vda"}, absl::Seconds(90)) {
    identity.set_release("6.12.43");
    identity.set_build_id("deadbeef");
    identity.set_command_line("root=/dev/vda");
    identity.set_boot_id(kBootId);
  }

  v1::RunnerRequest Asked() {
    reader.Add(session.TakeOutput());
    v1::RunnerRequest request;
    const std::optional<std::string> payload = reader.Next();
    EXPECT_TRUE(payload.has_value()) << "nothing was asked";
    EXPECT_TRUE(request.ParseFromString(payload.value_or("")));
    last_id = request.id();
    return request;
  }
  void Say(v1::RunnerEvent event) {
    event.set_id(event.has_hello() ? 0 : last_id);
    now += absl::Seconds(1);
    session.Receive(EncodeFrame(event.SerializeAsString()), now);
  }
  void Hello() {
    v1::RunnerEvent event;
    event.mutable_hello()->set_boot_id(kBootId);
    Say(event);
  }
  void Identified() {
    v1::RunnerEvent event;
    *event.mutable_identified()->mutable_identity() = identity;
    auto& facts = *event.mutable_identified()->mutable_fingerprint()->mutable_facts();
    facts["cpu.online"] = "2";
    facts["clocksource"] = clocksource;
    Say(event);
  }
  void Measured(uint32_t load) {
    v1::RunnerEvent event;
    event.mutable_load_run()->set_load(load);
    event.mutable_load_run()->add_measurements()->set_metric("make.real");
    Say(event);
  }
  void Fail(const std::string& error) {
    v1::RunnerEvent event;
    event.mutable_failure()->set_error(error);
    Say(event);
  }
  v1::BootResult Result() {
    v1::BootResult result;
    result.set_outcome(session.end() ? session.end()->outcome : v1::OUTCOME_HUNG);
    session.FillResult(result);
    return result;
  }
  // To where the first load has been asked for.
  void ToFirstLoad() {
    Hello();
    EXPECT_TRUE(Asked().has_identify());
    Identified();
    EXPECT_TRUE(Asked().has_run_load());
  }

  RunnerSession session;
  v1::Identity identity;
  std::string clocksource = "tsc-early";
  FrameReader reader;
  absl::Duration now;
  uint64_t last_id = 0;
};

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
