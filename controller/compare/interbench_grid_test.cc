#include "controller/compare/interbench_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::compare {
namespace {

using testing::ElementsAre;

TEST(InterbenchGridTest, RealTimeIsABenchmarkOfItsOwn) {
  v1::ReportLoad load;
  for (const char* name :
       {"interbench.rt.video.burn.latency.avg", "interbench.loops_per_ms",
        "interbench.custom.ring.latency.avg", "interbench.video.custom.latency.p99.9",
        "interbench.audio.none.desired_cpu", "interbench.rt.x.latency", "latt.wakeup.avg"}) {
    load.add_metrics()->set_name(name);
  }
  const InterbenchGrid grid(load);
  EXPECT_THAT(grid.benchmarks(), ElementsAre("audio", "video", "custom", "rt.video"));
  EXPECT_THAT(grid.loads(), ElementsAre("none", "burn", "ring", "custom"));
  EXPECT_EQ(grid.Find("rt.video", "burn", "latency.avg"), &load.metrics(0));
  EXPECT_EQ(grid.Find("video", "burn", "latency.avg"), nullptr);
  EXPECT_EQ(InterbenchGrid::Unit("rt.video"), "us");
  EXPECT_EQ(InterbenchGrid::Unit("video"), "ms");
  EXPECT_EQ(InterbenchName("rt.video"), "Video RT");
  EXPECT_EQ(InterbenchName("x"), "X");
}

}  // namespace
}  // namespace shakedown::compare
