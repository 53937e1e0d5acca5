#include "controller/notify/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::notify {
namespace {

using ::testing::HasSubstr;

const Facts kEvent = {{"machine", {"x1", "x2"}},
                      {"kernel", {"debian-6.1", "debian-6.12"}},
                      {"verdict", {"worse", "same"}},
                      {"by", {"ada"}}};

struct Case {
  const char* name;
  const char* filter;
  const char* subscriber;
  bool want;
};
class FilterTest : public testing::TestWithParam<Case> {};
TEST_P(FilterTest, Matches) {
  const auto filter = Filter::Parse(GetParam().filter);
  ASSERT_TRUE(filter.ok()) << filter.status();
  EXPECT_EQ(filter->Matches(kEvent, GetParam().subscriber), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(, FilterTest,
                         testing::ValuesIn<Case>({
                             {"OwnByDefault", "", "ada", true},
                             {"NotOthers", "", "bob", false},
                             {"OthersWhenAsked", "by=*", "bob", true},
                             {"OfOne", "by=ada", "bob", true},
                             {"NotOfAnother", "by=eve", "ada", false},
                             {"OneOfMany", "machine=x2", "ada", true},
                             {"AllTerms", "machine=x2 verdict=better", "ada", false},
                             {"Alternatives", "verdict=better,worse", "ada", true},
                             {"Glob", "kernel=debian-6.1?", "ada", true},
                             {"GlobElse", "kernel=mine-*", "ada", false},
                             {"FactMissing", "metric=make.*", "ada", false},
                             {"Blanks", "  machine=x1   kernel=*  ", "ada", true},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(FilterOfTest, NobodysEventsAreEverybodys) {
  EXPECT_TRUE(Filter::Parse("machine=x*")->Matches({{"machine", {"x1"}}}, "bob"));
}

TEST(FilterOfTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(Filter::Parse("colour=red").status().message(), HasSubstr("one of by, kernel"));
  EXPECT_THAT(Filter::Parse("machine").status().message(), HasSubstr("a pattern behind"));
  EXPECT_THAT(Filter::Parse("machine=a,,b").status().message(), HasSubstr("a pattern behind"));
  EXPECT_THAT(Filter::Parse(std::string(1001, ' ')).status().message(), HasSubstr("1000 bytes"));
}

TEST(MatchesPatternTest, Stars) {
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("a*b*c", "aXXbYYc"));
  EXPECT_FALSE(MatchesPattern("a*b*c", "aXXbYY"));
  EXPECT_FALSE(MatchesPattern("", "a"));
  // Backtracking that grows with the square, not worse.
  EXPECT_FALSE(MatchesPattern("*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace shakedown::notify
