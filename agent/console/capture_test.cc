#include "agent/console/capture.h"

#include <string>

#include "gtest/gtest.h"

namespace shakedown::console {
namespace {

TEST(CaptureTest, KeepsAllThatFitsTheHead) {
  Capture capture(8, 4);
  EXPECT_EQ(capture.Add("abcd"), "abcd");
  EXPECT_EQ(capture.Add("efgh"), "efgh");
  EXPECT_EQ(capture.Last(3), "fgh");
  EXPECT_EQ(capture.Last(100), "abcdefgh");
  EXPECT_EQ(capture.Finish(), "");
}

TEST(CaptureTest, HoldsBackTheTail) {
  Capture capture(8, 4);
  EXPECT_EQ(capture.Add("abcdefghij"), "abcdefgh");
  EXPECT_EQ(capture.Add("kl"), "");
  EXPECT_EQ(capture.Last(6), "ghijkl");
  EXPECT_EQ(capture.Finish(), "ijkl");
}

TEST(CaptureTest, SaysHowMuchIsLeftOut) {
  Capture capture(8, 4);
  EXPECT_EQ(capture.Add("01234567"), "01234567");
  for (int i = 0; i < 25; ++i) capture.Add(std::string(4, static_cast<char>('a' + i)));
  EXPECT_EQ(capture.total(), 108u);
  EXPECT_EQ(capture.Last(4), "yyyy");
  EXPECT_EQ(capture.Finish(), "\n[shakedown: 96 bytes of console left out]\nyyyy");
}

TEST(CaptureTest, APieceLongerThanAll) {
  Capture capture(8, 4);
  EXPECT_EQ(capture.Add(std::string(100, 'x') + "tail"), "xxxxxxxx");
  EXPECT_EQ(capture.Finish(), "\n[shakedown: 92 bytes of console left out]\ntail");
}

}  // namespace
}  // namespace shakedown::console
