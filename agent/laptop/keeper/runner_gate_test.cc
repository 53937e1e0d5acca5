#include "agent/laptop/keeper/runner_gate.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace shakedown::laptop {
namespace {

using google::protobuf::util::MessageDifferencer;

v1::BootOrder Order() {
  v1::BootOrder order;
  order.set_run_limit_s(600);
  v1::Tunable* tunable = order.add_tunables();
  tunable->set_name("kernel.sched_x");
  tunable->set_value("1");
  order.add_loads()->mutable_make()->set_jobs(4);
  order.add_loads()->mutable_interbench()->set_seconds(30);
  order.add_setup()->set_governor("performance");
  order.mutable_sched_ext()->add_command("/usr/bin/scx");
  order.add_background()->set_audio(true);
  return order;
}

v1::RunnerRequest RunLoad(uint32_t index) {
  const v1::BootOrder order = Order();
  v1::RunnerRequest request;
  request.set_id(7);
  request.mutable_run_load()->set_index(index);
  *request.mutable_run_load()->mutable_load() = order.loads(static_cast<int>(index));
  *request.mutable_run_load()->mutable_background() = order.background();
  request.mutable_run_load()->set_limit_s(600);
  return request;
}

v1::RunnerRequest Tunables() {
  v1::RunnerRequest request;
  *request.mutable_apply_tunables()->mutable_tunables() = Order().tunables();
  return request;
}

v1::RunnerRequest SetUpMachine() {
  v1::RunnerRequest request;
  *request.mutable_apply_setup()->mutable_steps() = Order().setup();
  *request.mutable_apply_setup()->mutable_sched_ext() = Order().sched_ext();
  return request;
}

v1::RunnerRequest Of(const std::function<void(v1::RunnerRequest&)>& set) {
  v1::RunnerRequest request;
  request.set_id(3);
  set(request);
  return request;
}

TEST(RunnerGateTest, TheOrdersOwnWordsPassUnchanged) {
  RunnerGate gate(Order());
  for (const v1::RunnerRequest& request :
       {Of([](auto& r) { r.mutable_identify(); }),
        Of([](auto& r) { r.mutable_identify()->add_tunables("kernel.sched_x"); }), Tunables(),
        SetUpMachine(), RunLoad(0), RunLoad(1), Of([](auto& r) { r.mutable_stop_load(); }),
        Of([](auto& r) { r.mutable_undo_setup(); }), Of([](auto& r) { r.mutable_calibrate(); })}) {
    const auto passed = gate.Admit(request);
    ASSERT_TRUE(passed.ok()) << passed.status() << request.DebugString();
    EXPECT_TRUE(MessageDifferencer::Equals(*passed, request));
  }
}

struct Change {
  std::string name;
  v1::RunnerRequest request;
  std::function<void(v1::RunnerRequest&)> change;
};

std::vector<Change> Changes() {
  const auto unknown = [](auto* message) {
    message->GetReflection()->MutableUnknownFields(message)->AddVarint(999, 1);
  };
  return {
      {"LoadsParameter", RunLoad(0),
       [](auto& r) { r.mutable_run_load()->mutable_load()->mutable_make()->set_jobs(5); }},
      {"LoadsKind", RunLoad(0),
       [](auto& r) {
         r.mutable_run_load()->mutable_load()->mutable_command()->set_script("#!/bin/sh");
       }},
      {"LoadsNice", RunLoad(0),
       [](auto& r) { r.mutable_run_load()->mutable_load()->set_nice(-5); }},
      {"OtherLoadsIndex", RunLoad(0), [](auto& r) { r.mutable_run_load()->set_index(1); }},
      {"NoSuchIndex", RunLoad(0), [](auto& r) { r.mutable_run_load()->set_index(2); }},
      {"HugeIndex", RunLoad(0), [](auto& r) { r.mutable_run_load()->set_index(0xffffffff); }},
      {"NoLoad", RunLoad(0), [](auto& r) { r.mutable_run_load()->clear_load(); }},
      {"LongerLimit", RunLoad(0), [](auto& r) { r.mutable_run_load()->set_limit_s(601); }},
      {"NoLimit", RunLoad(0), [](auto& r) { r.mutable_run_load()->clear_limit_s(); }},
      {"NoBackground", RunLoad(0), [](auto& r) { r.mutable_run_load()->clear_background(); }},
      {"MoreBackground", RunLoad(0),
       [](auto& r) { r.mutable_run_load()->add_background()->mutable_command()->add_words("sh"); }},
      {"OtherBackground", RunLoad(0),
       [](auto& r) { r.mutable_run_load()->mutable_background(0)->set_nice(1); }},
      {"LoopsNobodyMeasured", RunLoad(0),
       [](auto& r) { r.mutable_run_load()->set_loops_per_ms(5); }},
      {"UnknownFieldOfTheRequest", RunLoad(0), [=](auto& r) { unknown(&r); }},
      {"UnknownFieldOfTheLoad", RunLoad(0),
       [=](auto& r) { unknown(r.mutable_run_load()->mutable_load()->mutable_make()); }},
      {"TunablesValue", Tunables(),
       [](auto& r) { r.mutable_apply_tunables()->mutable_tunables(0)->set_value("2"); }},
      {"TunablesName", Tunables(),
       [](auto& r) {
         r.mutable_apply_tunables()->mutable_tunables(0)->set_name("kernel.core_pattern");
       }},
      {"MoreTunables", Tunables(),
       [](auto& r) { r.mutable_apply_tunables()->add_tunables()->set_name("x.y"); }},
      {"NoTunables", Tunables(), [](auto& r) { r.mutable_apply_tunables()->clear_tunables(); }},
      {"SetupsValue", SetUpMachine(),
       [](auto& r) { r.mutable_apply_setup()->mutable_steps(0)->set_governor("powersave"); }},
      {"SetupsKind", SetUpMachine(),
       [](auto& r) { r.mutable_apply_setup()->mutable_steps(0)->set_stop_service("cron"); }},
      {"MoreSetup", SetUpMachine(),
       [](auto& r) { r.mutable_apply_setup()->add_steps()->set_stop_service("cron"); }},
      {"NoSetup", SetUpMachine(), [](auto& r) { r.mutable_apply_setup()->clear_steps(); }},
      {"SchedExtProgram", SetUpMachine(),
       [](auto& r) { r.mutable_apply_setup()->mutable_sched_ext()->set_command(0, "/bin/sh"); }},
      {"SchedExtArgument", SetUpMachine(),
       [](auto& r) { r.mutable_apply_setup()->mutable_sched_ext()->add_command("-x"); }},
      {"NoSchedExt", SetUpMachine(), [](auto& r) { r.mutable_apply_setup()->clear_sched_ext(); }},
      {"ReadsAnotherTunable",
       Of([](auto& r) { r.mutable_identify()->add_tunables("kernel.sched_x"); }),
       [](auto& r) { r.mutable_identify()->set_tunables(0, "kernel.random.uuid"); }},
      {"PowerOff", {}, [](auto& r) { r.mutable_power_off(); }},
      {"NoKind", {}, [](auto& r) { r.set_id(1); }},
      {"UnknownKind", {}, [=](auto& r) { unknown(&r); }},
  };
}

class ChangedTest : public testing::TestWithParam<Change> {};
TEST_P(ChangedTest, IsRefused) {
  RunnerGate gate(Order());
  v1::RunnerRequest request = GetParam().request;
  GetParam().change(request);
  const auto passed = gate.Admit(request);
  EXPECT_FALSE(passed.ok()) << request.DebugString();
  EXPECT_EQ(passed.status().message().find('\n'), std::string::npos);
  // And is no obstacle to what follows.
  EXPECT_TRUE(gate.Admit(RunLoad(0)).ok());
}
INSTANTIATE_TEST_SUITE_P(RunnerGate, ChangedTest, testing::ValuesIn(Changes()),
                         [](const auto& test) { return test.param.name; });

TEST(RunnerGateTest, NamesWhatDiffers) {
  RunnerGate gate(Order());
  v1::RunnerRequest request = RunLoad(0);
  request.mutable_run_load()->mutable_load()->mutable_make()->set_jobs(5);
  EXPECT_EQ(gate.Admit(request).status().message(),
            "request is not the installed order's: modified: run_load.load.make.jobs: 4 -> 5");
}

TEST(RunnerGateTest, ALoadRunsOnce) {
  RunnerGate gate(Order());
  EXPECT_TRUE(gate.Admit(RunLoad(0)).ok());
  EXPECT_EQ(gate.Admit(RunLoad(0)).status().message(),
            "load 0: was begun in this boot, want each once");
  EXPECT_TRUE(gate.Admit(RunLoad(1)).ok());
}

TEST(RunnerGateTest, BurnsWhatTheRunnerHasCalibrated) {
  RunnerGate gate(Order());
  v1::RunnerEvent event;
  event.mutable_calibrated()->set_loops_per_ms(4711);
  gate.Observe(event);
  v1::RunnerRequest request = RunLoad(0);
  request.mutable_run_load()->set_loops_per_ms(4712);
  EXPECT_FALSE(gate.Admit(request).ok());
  request.mutable_run_load()->set_loops_per_ms(4711);
  EXPECT_TRUE(gate.Admit(request).ok());
}

TEST(RunnerGateTest, AnOrdersOwnLoopsStand) {
  v1::BootOrder order = Order();
  order.set_loops_per_ms(100);
  RunnerGate gate(order);
  v1::RunnerEvent event;
  event.mutable_calibrated()->set_loops_per_ms(4711);
  gate.Observe(event);
  v1::RunnerRequest request = RunLoad(0);
  request.mutable_run_load()->set_loops_per_ms(4711);
  EXPECT_FALSE(gate.Admit(request).ok());
  request.mutable_run_load()->set_loops_per_ms(100);
  EXPECT_TRUE(gate.Admit(request).ok());
}

TEST(RunnerGateTest, CalibrationIsBounded) {
  RunnerGate gate(Order());
  v1::RunnerRequest request;
  request.mutable_calibrate();
  int passed = 0;
  for (int i = 0; i < 20; ++i) passed += gate.Admit(request).ok() ? 1 : 0;
  EXPECT_EQ(passed, 10);
}

TEST(RunnerGateTest, AnOrderWithoutLimitHasTheDefault) {
  v1::BootOrder order = Order();
  order.clear_run_limit_s();
  RunnerGate gate(order);
  v1::RunnerRequest request = RunLoad(0);
  request.mutable_run_load()->set_limit_s(3601);
  EXPECT_FALSE(gate.Admit(request).ok());
  request.mutable_run_load()->set_limit_s(3600);
  EXPECT_TRUE(gate.Admit(request).ok());
}

}  // namespace
}  // namespace shakedown::laptop
