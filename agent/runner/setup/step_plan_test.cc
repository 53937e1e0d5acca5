#include "agent/runner/setup/step_plan.h"

#include "absl/strings/match.h"
#include "agent/runner/setup/fake_root.h"
#include "controller/plan/setup_text.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

class StepPlanTest : public testing::Test {
 protected:
  absl::StatusOr<StepPlan> Plan(const std::string& text) {
    const absl::StatusOr<v1::SetupStep> step = plan::ParseSetupStep(text);
    EXPECT_TRUE(step.ok()) << step.status();
    return PlanStep(*step, root_.path());
  }
  FakeRoot root_;
};

TEST_F(StepPlanTest, NamesWhatAnEmptyMachineLacks) {
  const std::pair<std::string, std::string> cases[] = {
      {"stop cron", "service cron"},
      {"governor performance", "no cpufreq"},
      {"turbo off", "no turbo switch"},
      {"autogroup off", "sched_autogroup_enabled"},
      {"sysctl kernel.sched_rt_runtime_us=-1", "kernel.sched_rt_runtime_us"},
      {"sysctl sched/features=NO_WAKEUP_PREEMPTION", "features"},
      {"drop_caches", "drop_caches"},
      {"settle:load=1", "loadavg"},
      {"settle:celsius=50", "thermal zone"}};
  for (const auto& [step, words] : cases) {
    const absl::StatusOr<StepPlan> plan = Plan(step);
    ASSERT_FALSE(plan.ok()) << step;
    EXPECT_TRUE(absl::StrContains(plan.status().message(), words)) << plan.status();
  }
}

TEST_F(StepPlanTest, LookingChangesNothing) {
  root_.PutMachine();
  for (const char* step : {"stop cron", "governor performance", "turbo off", "autogroup off"}) {
    const absl::StatusOr<StepPlan> plan = Plan(step);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_FALSE(plan->undo.empty()) << step;
    EXPECT_TRUE(root_.IsAsItWas()) << step;
  }
}

TEST_F(StepPlanTest, WhatIsSoAlreadyNeedsNothing) {
  root_.PutMachine();
  for (const char* step : {"governor schedutil", "turbo on", "autogroup on"}) {
    const absl::StatusOr<StepPlan> plan = Plan(step);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->undo.empty()) << step;
    EXPECT_EQ(plan->act, nullptr) << step;
  }
  EXPECT_EQ(Plan("turbo on")->before, "on");
}

TEST_F(StepPlanTest, GovernorsThatDifferComeBackEach) {
  root_.PutMachine();
  root_.Put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  const absl::StatusOr<StepPlan> plan = Plan("governor performance");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->before, "schedutil performance");
  ASSERT_EQ(plan->undo.size(), 1u);
  EXPECT_TRUE(absl::StrContains(UndoLine(plan->undo[0]), "cpu0"));
  EXPECT_TRUE(absl::StrContains(Plan("governor userspace").status().message(), "want one of"));
}

TEST_F(StepPlanTest, BoostWhereThereIsNoIntelSwitch) {
  root_.Put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  absl::StatusOr<StepPlan> plan = Plan("turbo off");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->before, "on");
  ASSERT_TRUE(plan->act().ok());
  EXPECT_EQ(root_.Get("/sys/devices/system/cpu/cpufreq/boost"), "0");
}

TEST_F(StepPlanTest, AFeatureIsTurnedRoundAlone) {
  root_.Put("/sys/kernel/debug/sched/features", "PLACE_LAG NO_HRTICK WAKEUP_PREEMPTION\n");
  const absl::StatusOr<StepPlan> plan = Plan("sysctl sched/features=NO_WAKEUP_PREEMPTION");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->before, "WAKEUP_PREEMPTION");
  EXPECT_EQ(plan->undo[0].value, "WAKEUP_PREEMPTION");
  EXPECT_TRUE(Plan("sysctl sched/features=NO_HRTICK")->undo.empty());
  EXPECT_FALSE(Plan("sysctl sched/features=NO_SUCH").ok());
}

TEST_F(StepPlanTest, MainsPower) {
  EXPECT_EQ(Plan("require_ac")->before, "no battery");
  root_.Put("/sys/class/power_supply/AC/type", "Mains\n");
  root_.Put("/sys/class/power_supply/AC/online", "0\n");
  EXPECT_EQ(Plan("require_ac")->before, kOnBattery);
  root_.Put("/sys/class/power_supply/AC/online", "1\n");
  EXPECT_EQ(Plan("require_ac")->before, "on mains");
}

}  // namespace
}  // namespace shakedown::runner
