#include "controller/history/order_key.h"

#include <gtest/gtest.h>

#include <vector>

namespace shakedown::history {
namespace {

TEST(OrderKeyTest, EachIsBelowTheNext) {
  for (const std::vector<absl::string_view>& ascending :
       std::vector<std::vector<absl::string_view>>{
           {"2.6.9", "2.6.10", "2.6.30.5", "2.6.31-rc9", "2.6.31", "2.6.31-ck1", "2.6.35"},
           {"6.12-rc7", "6.12-rc10", "6.12", "6.12.1", "6.13-rc1"},
           {"-3", "-1", "0", "2", "10", "1000"},
           {"2026-09-30", "2026-10-01", "2026-10-01T12:00"},
           {"debian-6.1", "debian-6.12"},
           {"a", "b", "ba"}}) {
    for (size_t i = 0; i < ascending.size(); ++i) {
      for (size_t j = 0; j < ascending.size(); ++j) {
        const int want = i < j ? -1 : i > j ? 1 : 0;
        EXPECT_EQ(CompareOrderKeys(ascending[i], ascending[j]), want)
            << ascending[i] << " against " << ascending[j];
      }
    }
  }
}

TEST(OrderKeyTest, NumbersAreEqualHoweverWritten) {
  EXPECT_EQ(CompareOrderKeys("01", "1"), 0);
  EXPECT_EQ(CompareOrderKeys("v007", "v7"), 0);
  EXPECT_GT(CompareOrderKeys("1.10", "1.9.0"), 0);
}

}  // namespace
}  // namespace shakedown::history
