#include "controller/compare/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::compare {
namespace {

using testing::ElementsAre;

constexpr char kConsole[] =
    "a\nb\n\n[1.0] BUG: at 51\n[1.1] RIP: pick+1\r\n[1.2] panic: fatal\nx\ny\nz\nu\nv\n";

TEST(TellingLinesTest, AreAboutTheLineWithTheReason) {
  EXPECT_THAT(TellingLines(kConsole, "panic: fatal", 5),
              ElementsAre("[1.0] BUG: at 51", "[1.1] RIP: pick+1", "[1.2] panic: fatal", "x", "y"));
  EXPECT_THAT(TellingLines(kConsole, "a", 3), ElementsAre("a", "b", "[1.0] BUG: at 51"));
  EXPECT_THAT(TellingLines(kConsole, "v", 3), ElementsAre("z", "u", "v")) << "never fewer";
}

TEST(TellingLinesTest, WithoutSuchALineTheLast) {
  EXPECT_THAT(TellingLines(kConsole, "no hello", 2), ElementsAre("u", "v"));
  EXPECT_THAT(TellingLines(kConsole, "", 1), ElementsAre("v"));
  EXPECT_THAT(TellingLines("a\nb\n", "a", 9), ElementsAre("a", "b"));
  EXPECT_TRUE(TellingLines("", "a", 9).empty());
}

}  // namespace
}  // namespace shakedown::compare
