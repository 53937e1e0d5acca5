#include "kernels/recipe/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::kernels {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

struct WishCase {
  std::string name;
  std::string text;
  std::string option;  // Empty: refused.
  std::string value;
};

class ParseWishTest : public testing::TestWithParam<WishCase> {};

TEST_P(ParseWishTest, TakesOrRefuses) {
  const WishCase& want = GetParam();
  absl::StatusOr<Wish> wish = ParseWish(want.text, "here");
  if (want.option.empty()) {
    EXPECT_EQ(wish.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(wish.status().message()), HasSubstr("here"));
    return;
  }
  ASSERT_TRUE(wish.ok()) << wish.status();
  EXPECT_EQ(wish->option, want.option);
  EXPECT_EQ(wish->value, want.value);
}

INSTANTIATE_TEST_SUITE_P(, ParseWishTest,
                         testing::ValuesIn<WishCase>({
                             {"Yes", "SCHED_MINE=y", "SCHED_MINE", "y"},
                             {"Prefixed", "CONFIG_HZ_1000=y", "HZ_1000", "y"},
                             {"Number", "HZ=1000", "HZ", "1000"},
                             {"Negative", "PANIC_TIMEOUT=-1", "PANIC_TIMEOUT", "-1"},
                             {"Hex", "BASE=0xff", "BASE", "0xff"},
                             {"Text", "NAME=\"a \\\"b\\\"\"", "NAME", "\"a \\\"b\\\"\""},
                             {"EmptyText", "NAME=\"\"", "NAME", "\"\""},
                             {"NoValue", "HZ", "", ""},
                             {"EmptyValue", "HZ=", "", ""},
                             {"BareWord", "HZ=fast", "", ""},
                             {"Space", "HZ =1000", "", ""},
                             {"TwoLines", "HZ=\"a\nb\"", "", ""},
                             {"EndsEarly", "NAME=\"a\" b\"", "", ""},
                             {"HalfEscape", "NAME=\"a\\\"", "", ""},
                             {"NoName", "=y", "", ""},
                             {"Path", "../X=y", "", ""},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(ParseFragmentTest, KnowsNotSetAndComments) {
  absl::StatusOr<std::vector<Wish>> wishes =
      ParseFragment("# words\n\nCONFIG_A=y\n# CONFIG_B is not set\r\n", "f.config");
  ASSERT_TRUE(wishes.ok()) << wishes.status();
  ASSERT_EQ(wishes->size(), 2u);
  EXPECT_EQ((*wishes)[1].option, "B");
  EXPECT_EQ((*wishes)[1].value, "n");
  EXPECT_EQ((*wishes)[1].origin, "f.config:4");
}

TEST(ParseFragmentTest, NamesFileAndLineOfWhatItDoesNotKnow) {
  absl::Status status = ParseFragment("CONFIG_A=y\nHZ=100\n", "f.config").status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("f.config:2: \"HZ=100\""));
}

TEST(MergeWishesTest, LastWinsAndOrderStays) {
  std::vector<Wish> merged =
      MergeWishes({{"A", "y", "1"}, {"B", "y", "2"}, {"A", "n", "3"}, {"C", "7", "4"}});
  EXPECT_EQ(PrintWishes(merged), "# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_C=7\n");
}

struct CompareCase {
  std::string name;
  std::string value;
  std::string actual;  // Empty: absent.
  bool lost;
};

class CompareWishesTest : public testing::TestWithParam<CompareCase> {};

TEST_P(CompareWishesTest, LostOrKept) {
  Config config;
  if (!GetParam().actual.empty()) config["X"] = GetParam().actual;
  EXPECT_EQ(!CompareWishes({{"X", GetParam().value, ""}}, config).empty(), GetParam().lost);
}

INSTANTIATE_TEST_SUITE_P(, CompareWishesTest,
                         testing::ValuesIn<CompareCase>({{"Kept", "y", "y", false},
                                                         {"Absent", "y", "", true},
                                                         {"NotSet", "y", "n", true},
                                                         {"Module", "y", "m", true},
                                                         {"NotWantedNotSet", "n", "n", false},
                                                         {"NotWantedAbsent", "n", "", false},
                                                         {"NotWantedSet", "n", "y", true},
                                                         {"OtherNumber", "1000", "250", true}}),
                         [](const auto& test) { return test.param.name; });

TEST(CheckWishesTest, ListsAllThatIsLost) {
  absl::Status status = CheckWishes({{"SQUASHFS", "y", "my.config:9"},
                                     {"SMP", "y", "my.config:1"},
                                     {"HZ", "1000", "kernel mine"}},
                                    {{"SMP", "y"}, {"HZ", "250"}});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      std::string(status.message()),
      "option SQUASHFS (my.config:9): wanted y, got no such option in the result (unknown, or "
      "its dependencies are not met)\noption HZ (kernel mine): wanted 1000, got 250");
}

TEST(ParseConfigTest, ReadsWhatKconfigWrites) {
  absl::StatusOr<Config> config = ParseConfig(
      "#\n# Linux/x86 6.12\n#\nCONFIG_CC_VERSION_TEXT=\"gcc (Debian 12.2.0) 12\"\nCONFIG_A=m\n"
      "# CONFIG_B is not set\n",
      ".config");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->at("B"), "n");
  EXPECT_TRUE(HasModules(*config));
  EXPECT_FALSE(HasModules({{"A", "y"}}));
}

}  // namespace
}  // namespace shakedown::kernels
