#include "controller/cli/stopping_args.h"

#include <gtest/gtest.h>

namespace shakedown::cli {
namespace {

TEST(ParseSpanTest, Table) {
  EXPECT_EQ(*ParseSpan("40s"), 40u);
  EXPECT_EQ(*ParseSpan("90m"), 5400u);
  EXPECT_EQ(*ParseSpan("4h"), 14400u);
  EXPECT_EQ(*ParseSpan("1h30m"), 5400u);
  EXPECT_EQ(*ParseSpan("2d"), 2u * 86400);
  EXPECT_EQ(*ParseSpan("365d"), 365u * 86400);
  for (const char* bad : {"", "4", "0", "0s", "-1h", "1.5h", "inf", "h", "4 h", "366d", "4w", "5ms",
                          "99999999999999999999h", "d", "1d2h"}) {
    EXPECT_FALSE(ParseSpan(bad).ok()) << bad;
  }
}

TEST(SetStoppingTest, WhatIsGivenWins) {
  v1::JobSpec file;
  file.set_stopping(v1::STOPPING_RULE_LOOKS);
  file.set_budget_s(60);
  file.add_primary_metrics("make.user");
  v1::JobSpec spec = file;
  SetStopping({}, &spec);
  EXPECT_EQ(spec.SerializeAsString(), file.SerializeAsString());
  SetStopping({.blocks = 6, .budget_s = 120, .primaries = {"make.real"}, .control = true}, &spec);
  EXPECT_EQ(spec.stopping(), v1::STOPPING_RULE_FIXED);
  EXPECT_EQ(spec.blocks(), 6u);
  EXPECT_EQ(spec.budget_s(), 120u);
  ASSERT_EQ(spec.primary_metrics_size(), 1);
  EXPECT_EQ(spec.primary_metrics(0), "make.real");
  EXPECT_TRUE(spec.control());
  SetStopping({.quick = true}, &spec);
  EXPECT_EQ(spec.stopping(), v1::STOPPING_RULE_QUICK);
  EXPECT_EQ(spec.blocks(), 0u);
}

TEST(StoppingLinesTest, SaysWhatIsNotPlain) {
  v1::JobSpec spec;
  spec.set_blocks(4);
  EXPECT_EQ(StoppingLines(spec), "");
  spec.set_stopping(v1::STOPPING_RULE_LOOKS);
  spec.set_budget_s(14400);
  spec.add_primary_metrics("make.real");
  EXPECT_EQ(StoppingLines(spec),
            "stopping: looks after 8, 16 and 24 blocks; time budget 4 h from the first boot's "
            "start\nprimary metrics: make.real\n");
}

}  // namespace
}  // namespace shakedown::cli
