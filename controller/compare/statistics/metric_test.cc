#include "controller/compare/statistics/metric.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shakedown::statistics {
namespace {

// Every name that the loads give, as their headers list them.
TEST(FindMetricTest, EveryLoadsMetricsAreKnown) {
  const std::string times[] = {"avg", "p50", "p95", "p99", "max"};
  std::vector<std::string> names = {"launch.warm.n",
                                    "launch.cold.n",
                                    "frames.fps",
                                    "frames.dropped",
                                    "frames.due",
                                    "frames.shown",
                                    "frames.late",
                                    "frames.freeze",
                                    "frames.dropped.share",
                                    "frames.jitter",
                                    "command.real",
                                    "frames.loops_per_ms",
                                    "command.user",
                                    "command.sys",
                                    "command.exit_code",
                                    "command.majflt",
                                    "command.copy.avg",
                                    "command.copy.max",
                                    "command.ctxt.voluntary",
                                    "command.ctxt.involuntary",
                                    "hackbench.time",
                                    "hackbench.tasks",
                                    "cyclictest.min",
                                    "cyclictest.avg",
                                    "cyclictest.max",
                                    "cyclictest.n",
                                    "stress-ng.switch.rate",
                                    "stress-ng.switch.ops",
                                    "sysbench.rate",
                                    "sysbench.events",
                                    "sysbench.latency.avg",
                                    "sysbench.latency.p95",
                                    "sysbench.latency.max",
                                    "perf-messaging.time",
                                    "perf-messaging.tasks",
                                    "perf-pipe.time",
                                    "perf-pipe.op",
                                    "perf-pipe.rate",
                                    "tool.real"};
  for (const std::string& time : times) {
    for (const char* what : {"launch.warm.", "launch.cold.", "frames.time.", "frames.start."}) {
      names.push_back(what + time);
    }
  }
  for (const char* what : {"real", "user", "sys", "idle", "majflt", "ctxt", "ctxt.voluntary",
                           "ctxt.involuntary", "objects"}) {
    names.push_back(std::string("make.") + what);
    names.push_back(std::string("make.cold.") + what);
  }
  for (const std::string& name : names) EXPECT_TRUE(FindMetric(name).has_value()) << name;
  EXPECT_EQ(FindMetric("frames.fps")->direction, Direction::kHigherIsBetter);
  EXPECT_EQ(FindMetric("launch.cold.max")->unit, "us");
}

TEST(FindMetricTest, OurMetrics) {
  EXPECT_EQ(FindMetric("make.real")->unit, "s");
  EXPECT_EQ(FindMetric("make.real")->role, Role::kPrimary);
  EXPECT_EQ(FindMetric("make.idle")->scale, Scale::kDifference);
  const Metric latt = *FindMetric("latt.wakeup.avg");
  EXPECT_EQ(latt.unit, "us");
  EXPECT_DOUBLE_EQ(latt.floor, 100);
  EXPECT_DOUBLE_EQ(latt.delta_abs, 5000);
  const Metric latency = *FindMetric("interbench.video.burn.latency.max");
  EXPECT_EQ(latency.name, "interbench.video.burn.latency.max");
  EXPECT_EQ(latency.scale, Scale::kDifference);
  EXPECT_EQ(latency.direction, Direction::kLowerIsBetter);
  EXPECT_DOUBLE_EQ(latency.floor, 0.2);
  EXPECT_DOUBLE_EQ(latency.delta_abs, 5);
  EXPECT_EQ(FindMetric("interbench.video.burn.latency.p99.9")->unit, "ms");
  EXPECT_EQ(FindMetric("interbench.video.burn.n")->role, Role::kInfo);
  EXPECT_EQ(FindMetric("interbench.custom.ring.latency.avg")->unit, "ms");
  EXPECT_EQ(FindMetric("interbench.rt.video.burn.latency.avg")->unit, "us");
  EXPECT_EQ(FindMetric("interbench.rt.audio.none.latency.p99.9")->unit, "us");
  EXPECT_EQ(FindMetric("interbench.rt.custom.none.deadlines_met")->unit, "%");
  for (const char* what : {"user", "sys", "status"})
    EXPECT_EQ(FindMetric(std::string("latt.command.") + what)->role, Role::kInfo);
  const Metric met = *FindMetric("interbench.x.none.deadlines_met");
  EXPECT_EQ(met.direction, Direction::kHigherIsBetter);
  EXPECT_DOUBLE_EQ(met.delta_abs, 5);
}

TEST(FindMetricTest, OthersAreNotKnown) {
  for (const char* name :
       {"", "make", "make.real.x", "interbench.video.latency.avg", "interbench..burn.latency.avg",
        "interbench.a.b.c.latency.avg", ".", "interbench.a.b.latency.p99.9.1"})
    EXPECT_FALSE(FindMetric(name).has_value()) << name;
}

TEST(IsBigTest, EitherRuleIsEnough) {
  const Metric ms = MakeMetric("m", Direction::kLowerIsBetter, Scale::kDifference, "ms", 0.1);
  EXPECT_TRUE(IsBig(ms, 5, 1000));  // 5 ms.
  EXPECT_TRUE(IsBig(ms, -1, 20));   // 5 %.
  EXPECT_FALSE(IsBig(ms, 4.9, 1000));
  EXPECT_FALSE(IsBig(ms, -0.1, 0.1));  // 100 %, below the floor of 0.2 ms.
  EXPECT_TRUE(IsBig(ms, 0.2, 0));
  EXPECT_FALSE(IsBig(ms, 0, 0));
  const Metric s = MakeMetric("m", Direction::kLowerIsBetter, Scale::kRatio, "s");
  EXPECT_TRUE(IsBig(s, 105.0 / 100 - 1, 100));
  EXPECT_FALSE(IsBig(s, 0.04, 100));  // 4 s: a duration has no absolute rule.
}

}  // namespace
}  // namespace shakedown::statistics
