#include "proto/wire/ids.h"

#include <gtest/gtest.h>

namespace shakedown {
namespace {

TEST(BootNameTest, FormatsAndParsesBack) {
  EXPECT_EQ(FormatBootName({.job = 17, .block = 3, .variant = 1}), "17.3B");
  EXPECT_EQ(FormatBootName({.job = 17, .block = 3, .variant = 1, .attempt = 2}), "17.3B.2");
  EXPECT_EQ(*ParseBootName("17.3B.2"),
            (BootName{.job = 17, .block = 3, .variant = 1, .attempt = 2}));
}

TEST(BootNameTest, WithoutAttemptMeansTheLatest) { EXPECT_EQ(ParseBootName("1.1A")->attempt, 0); }

class BadBootNameTest : public testing::TestWithParam<const char*> {};
TEST_P(BadBootNameTest, IsRefused) {
  EXPECT_EQ(ParseBootName(GetParam()).status().code(), absl::StatusCode::kInvalidArgument);
}
INSTANTIATE_TEST_SUITE_P(, BadBootNameTest,
                         testing::Values("", "17", "17.3", "17.B", "17.3b", "0.3B", "17.3B.0",
                                         "17.3B.2.1", " 17.3B", "17.-3B", "+17.3B", "17.3B ",
                                         "99999999999999999999.1A", "17.99999999999B"));

TEST(UuidTest, FreshOnesAreSoundAndDiffer) {
  const std::string a = NewUuid();
  EXPECT_TRUE(IsUuid(a)) << a;
  EXPECT_NE(a, NewUuid());
  EXPECT_FALSE(IsUuid("../../../../etc/passwd0000000000000000"));
  EXPECT_FALSE(IsUuid(a + "x"));
}

TEST(CheckNameTest, TellsTheRuleAndTheValue) {
  EXPECT_TRUE(CheckName("kernel", "debian-6.12-hz1000").ok());
  EXPECT_TRUE(CheckName("kernel", std::string(64, 'a')).ok());
  for (const std::string& bad :
       {std::string(), std::string("../x"), std::string("a b"), std::string("a/b"),
        std::string("-rf"), std::string("Ä"), std::string("a\0b", 3), std::string(300, 'a')}) {
    const absl::Status status = CheckName("kernel", bad);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_LT(status.message().size(), 500u);
  }
}

TEST(QuotedTest, HostileBytesAreEscaped) { EXPECT_EQ(Quoted("a\x1b[31m\n"), "\"a\\x1b[31m\\n\""); }

}  // namespace
}  // namespace shakedown
