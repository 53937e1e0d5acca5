#include "controller/compare/layout.h"

#include <gtest/gtest.h>

namespace shakedown::compare {
namespace {

TEST(WrapTest, Table) {
  EXPECT_EQ(Wrap("A: ", "one two three", 10), "A: one two\n   three\n");
  EXPECT_EQ(Wrap("", "", 10), "\n");
  EXPECT_EQ(Wrap("  ", "exactly8 x", 10), "  exactly8\n  x\n");
  EXPECT_EQ(Wrap("> ", "a 0123456789abcdef b", 10), "> a\n  01234567\n  89abcdef\n  b\n");
}

TEST(NumberTest, ShowsThreeToFourDigitsThatCount) {
  EXPECT_EQ(DecimalsFor({}), 0);
  EXPECT_EQ(DecimalsFor({1, 20, 300}), 0);
  EXPECT_EQ(DecimalsFor({1.5, 2000}), 0);
  EXPECT_EQ(DecimalsFor({1.5, 200}), 1);
  EXPECT_EQ(DecimalsFor({21.37, 20.1}), 2);
  EXPECT_EQ(DecimalsFor({1.5}), 3);
  EXPECT_EQ(DecimalsFor({0.0834}), 5);
  EXPECT_EQ(Number(21.366, 2), "21.37");
  EXPECT_EQ(Number(1893, 0), "1893");
  EXPECT_EQ(Number(1.5e9, 0), "1.5e+09");
}

TEST(ChangeTest, Table) {
  EXPECT_EQ(Change(4.54), "+4.5%");
  EXPECT_EQ(Change(-4.55001), "-4.6%");
  EXPECT_EQ(Change(0), "0.0%");
  EXPECT_EQ(Change(-0.04), "0.0%");
  EXPECT_EQ(Change(250.4), "+250%");
  EXPECT_EQ(Change(2e8), "+2.0e+08%");
}

}  // namespace
}  // namespace shakedown::compare
