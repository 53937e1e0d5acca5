#include "controller/plan/setup_text.h"

#include "gtest/gtest.h"

namespace shakedown::plan {
namespace {

TEST(SetupTextTest, ReadsBackWhatItPrints) {
  for (const std::string text :
       {"stop cron", "stop apt-daily.timer", "drop_caches", "governor performance", "turbo off",
        "turbo on", "autogroup off", "sysctl kernel.sched_rt_runtime_us=-1",
        "sysctl sched/base_slice_ns=3000000", "sysctl kernel.core_pattern=a b=c",
        "settle:load=0.5,celsius=55.5,seconds=10,limit=60", "settle:seconds=5", "require_ac"}) {
    const absl::StatusOr<v1::SetupStep> step = ParseSetupStep(text);
    ASSERT_TRUE(step.ok()) << step.status();
    EXPECT_EQ(PrintSetupStep(*step), text);
  }
}

TEST(SetupTextTest, RefusesByName) {
  for (const std::string text : {"",
                                 "stop",
                                 "stop ../cron",
                                 "stop -h",
                                 "stop a b",
                                 "stop a;b",
                                 "governor",
                                 "governor a b",
                                 "governor ../x",
                                 "turbo",
                                 "turbo maybe",
                                 "autogroup 1",
                                 "sysctl",
                                 "sysctl kernel.x",
                                 "sysctl x=1",
                                 "sysctl ../x.y=1",
                                 "sysctl kernel..x=1",
                                 "sysctl sched/../x=1",
                                 "sysctl kernel.x=",
                                 "settle",
                                 "settle:",
                                 "settle:load",
                                 "settle:load=x",
                                 "settle:load=-1",
                                 "settle:load=nan",
                                 "settle:seconds=200",
                                 "settle:seconds=5,limit=4",
                                 "settle:limit=9",
                                 "settle load=1",
                                 "drop_caches 3",
                                 "require_ac no",
                                 "reboot",
                                 "stop \x01"}) {
    const absl::StatusOr<v1::SetupStep> step = ParseSetupStep(text);
    EXPECT_EQ(step.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(step.status().message().substr(0, 11), "setup step ") << text;
  }
}

TEST(SetupTextTest, AFileMayNotSayWhatTheTextCanNot) {
  v1::SetupStep step;
  EXPECT_FALSE(CheckSetupStep(step).ok());
  step.set_drop_caches(false);
  EXPECT_FALSE(CheckSetupStep(step).ok());
  step.mutable_tunable()->set_name("kernel.x");
  step.mutable_tunable()->set_value("a\nb");
  EXPECT_FALSE(CheckSetupStep(step).ok());
}

}  // namespace
}  // namespace shakedown::plan
