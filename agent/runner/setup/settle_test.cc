#include "agent/runner/setup/settle.h"

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

v1::Settle Want(double load, double celsius, uint32_t seconds, uint32_t limit) {
  v1::Settle settle;
  settle.set_max_load(load);
  settle.set_max_celsius(celsius);
  settle.set_seconds(seconds);
  settle.set_limit_s(limit);
  return settle;
}

TEST(SettlerTest, AllMustHold) {
  Settler settler({Want(0.5, 60, 10, 0)}, absl::Seconds(1000));
  EXPECT_FALSE(settler.Step({1.25, 50}, absl::Seconds(1020)));
  EXPECT_EQ(settler.text(), "settling: load 1.25, at most 0.5 is wanted");
  EXPECT_FALSE(settler.Step({0.5, 61}, absl::Seconds(1020)));
  EXPECT_EQ(settler.text(), "settling: 61.0 C, at most 60 C is wanted");
  EXPECT_FALSE(settler.Step({0.5, 60}, absl::Seconds(1009)));
  EXPECT_EQ(settler.text(), "settling: 9 s, 10 s are wanted");
  EXPECT_TRUE(settler.Step({0.5, 60}, absl::Seconds(1010)));
  EXPECT_TRUE(settler.warnings().empty());
}

TEST(SettlerTest, GivesUpAtItsLimitAndSaysSo) {
  Settler settler({Want(0.5, 0, 0, 30), Want(0, 0, 40, 40)}, absl::ZeroDuration());
  EXPECT_FALSE(settler.Step({2, std::nullopt}, absl::Seconds(29)));
  EXPECT_FALSE(settler.Step({2, std::nullopt}, absl::Seconds(30)));  // The other still waits.
  EXPECT_TRUE(settler.Step({2, std::nullopt}, absl::Seconds(40)));
  ASSERT_EQ(settler.warnings().size(), 1u);
  EXPECT_EQ(settler.warnings()[0].substr(0, 44), "settle: not reached within 30s: load 2.00, a");
}

TEST(SettlerTest, NothingWantedIsRest) { EXPECT_TRUE(Settler({}, {}).Step({}, {})); }

}  // namespace
}  // namespace shakedown::runner
