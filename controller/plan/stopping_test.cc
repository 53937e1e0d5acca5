#include "controller/plan/stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::plan {
namespace {

using testing::ElementsAre;

v1::JobSpec Spec(v1::StoppingRule rule, uint32_t blocks = 0) {
  v1::JobSpec spec;
  spec.set_stopping(rule);
  spec.set_blocks(blocks);
  return spec;
}

TEST(LooksOfTest, EachRule) {
  EXPECT_THAT(LooksOf(Spec(v1::STOPPING_RULE_UNSPECIFIED, 5)), ElementsAre(5));
  EXPECT_THAT(LooksOf(Spec(v1::STOPPING_RULE_FIXED, 12)), ElementsAre(12));
  EXPECT_THAT(LooksOf(Spec(v1::STOPPING_RULE_QUICK)), ElementsAre(8));
  EXPECT_THAT(LooksOf(Spec(v1::STOPPING_RULE_LOOKS)), ElementsAre(8, 16, 24));
  EXPECT_EQ(FirstBlocks(Spec(v1::STOPPING_RULE_LOOKS)), 8u);
  EXPECT_EQ(MostBlocks(Spec(v1::STOPPING_RULE_LOOKS)), 24u);
}

TEST(MostRepeatsTest, HalfRoundedUpAndTwoAtLeast) {
  EXPECT_EQ(MostRepeats(1), 2u);
  EXPECT_EQ(MostRepeats(4), 2u);
  EXPECT_EQ(MostRepeats(5), 3u);
  EXPECT_EQ(MostRepeats(8), 4u);
  EXPECT_EQ(MostRepeats(1000), 500u);
}

TEST(StoppingTextTest, EachRule) {
  EXPECT_EQ(StoppingText(Spec(v1::STOPPING_RULE_FIXED, 1)), "1 block, one look");
  EXPECT_EQ(StoppingText(Spec(v1::STOPPING_RULE_QUICK)), "8 blocks, one look");
  EXPECT_EQ(StoppingText(Spec(v1::STOPPING_RULE_LOOKS)), "looks after 8, 16 and 24 blocks");
}

TEST(SpanTextTest, TwoUnitsAtMost) {
  EXPECT_EQ(SpanText(0), "0 min");
  EXPECT_EQ(SpanText(59), "59 s");
  EXPECT_EQ(SpanText(60), "1 min");
  EXPECT_EQ(SpanText(90), "90 s");
  EXPECT_EQ(SpanText(12 * 60 + 20), "12 min");
  EXPECT_EQ(SpanText(3599), "1 h");
  EXPECT_EQ(SpanText(4 * 3600), "4 h");
  EXPECT_EQ(SpanText(5400), "1 h 30 min");
  EXPECT_EQ(SpanText(2 * 86400 + 4 * 3600), "2 days 4 h");
}

}  // namespace
}  // namespace shakedown::plan
