#include "agent/runner/telemetry/disturbance_rules.h"

#include <functional>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

MachineFacts Quiet() {
  MachineFacts facts;
  facts.suspended = absl::Seconds(100);
  facts.wall_offset = absl::Hours(500000);
  facts.throttled = 7;
  facts.oom_kills = 1;
  facts.on_ac = true;
  facts.scheduler = "enabled simple 1";
  facts.cpu_ticks = 10000;
  facts.steal_ticks = 50;
  facts.foreign_ticks = 4000;
  return facts;
}

// What holds still 100 s later on two CPUs.
MachineFacts Later() {
  MachineFacts facts = Quiet();
  facts.cpu_ticks = 30000;
  return facts;
}

std::vector<v1::Disturbance> After(const MachineFacts& later) {
  DisturbanceRules rules;
  rules.See(Quiet());
  rules.See(later);
  return rules.Found();
}

TEST(DisturbanceRulesTest, QuietMachine) { EXPECT_TRUE(After(Later()).empty()); }

struct RuleCase {
  std::string name;
  std::function<void(MachineFacts&)> change;
  std::string rule;  // Empty: none.
  std::string words;
};
class RuleTest : public testing::TestWithParam<RuleCase> {};
TEST_P(RuleTest, OneRule) {
  MachineFacts later = Later();
  GetParam().change(later);
  const std::vector<v1::Disturbance> found = After(later);
  if (GetParam().rule.empty()) {
    EXPECT_TRUE(found.empty()) << found[0].fact();
    return;
  }
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule(), GetParam().rule);
  EXPECT_TRUE(absl::StrContains(found[0].fact(), GetParam().words)) << found[0].fact();
}
INSTANTIATE_TEST_SUITE_P(
    , RuleTest,
    testing::ValuesIn<RuleCase>({
        {"Throttled", [](auto& f) { f.throttled = 9; }, "throttled", "throttling 2 times"},
        {"Suspended", [](auto& f) { *f.suspended += absl::Seconds(30); }, "suspended", "30.0 s"},
        {"SuspendGrain", [](auto& f) { *f.suspended += absl::Milliseconds(99); }, "", ""},
        {"ClockForth", [](auto& f) { *f.wall_offset += absl::Seconds(2); }, "clock_stepped",
         "2.0 s"},
        {"ClockBack", [](auto& f) { *f.wall_offset -= absl::Seconds(2); }, "clock_stepped",
         "-2.0 s"},
        {"ClockSlewed", [](auto& f) { *f.wall_offset += absl::Milliseconds(90); }, "", ""},
        {"Steal", [](auto& f) { f.steal_ticks = 50 + 680; }, "steal", "steal 3.4 %, at most 1 %"},
        {"StealAtLimit", [](auto& f) { f.steal_ticks = 50 + 200; }, "", ""},
        {"Foreign", [](auto& f) { f.foreign_ticks = 4500; }, "foreign_cpu", "2.5 %, at most 2 %"},
        {"ForeignAtLimit", [](auto& f) { f.foreign_ticks = 4400; }, "", ""},
        {"ForeignShrinks", [](auto& f) { f.foreign_ticks = 40; }, "", ""},
        {"Oom", [](auto& f) { f.oom_kills = 2; }, "oom", "1 times"},
        {"AcLost", [](auto& f) { f.on_ac = false; }, "ac_lost", "mains"},
        {"Ejected", [](auto& f) { f.scheduler = "disabled - 1"; }, "scheduler_changed", "disabled"},
        {"AnotherActivation", [](auto& f) { f.scheduler = "enabled simple 2"; },
         "scheduler_changed", "simple 2"},
        {"NothingReadable", [](auto& f) { f = MachineFacts(); }, "", ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(DisturbanceRulesTest, GrainOfAShortRun) {
  MachineFacts later = Quiet();
  later.cpu_ticks = 10020;  // 0.1 s of two CPUs.
  later.foreign_ticks = 4005;
  later.steal_ticks = 55;
  EXPECT_TRUE(After(later).empty());
  later.foreign_ticks = 4006;
  ASSERT_EQ(After(later).size(), 1u);
}

TEST(DisturbanceRulesTest, ASlewThatAddsUpIsNoStepAndASetBackClockIs) {
  DisturbanceRules rules;
  MachineFacts facts = Quiet();
  for (int i = 0; i < 100; ++i) {
    *facts.wall_offset += absl::Milliseconds(50);
    rules.See(facts);
  }
  EXPECT_TRUE(rules.Found().empty());
  *facts.wall_offset += absl::Seconds(5);
  rules.See(facts);
  *facts.wall_offset -= absl::Seconds(5);
  rules.See(facts);
  EXPECT_EQ(rules.Found().size(), 1u);
}

TEST(DisturbanceRulesTest, WhatCameAndWentStands) {
  DisturbanceRules rules;
  MachineFacts facts = Quiet();
  rules.See(facts);
  facts.on_ac = false;
  facts.scheduler = "disabled - 1";
  rules.See(facts);
  rules.See(Quiet());
  const std::vector<v1::Disturbance> found = rules.Found();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rule(), "scheduler_changed");  // First: it is the kernel's.
  EXPECT_EQ(found[1].rule(), "ac_lost");
}

TEST(DisturbanceRulesTest, OnBatteryAllTheTimeIsNoLoss) {
  DisturbanceRules rules;
  MachineFacts facts = Quiet();
  facts.on_ac = false;
  rules.See(facts);
  rules.See(facts);
  EXPECT_TRUE(rules.Found().empty());
}

}  // namespace
}  // namespace shakedown::runner
