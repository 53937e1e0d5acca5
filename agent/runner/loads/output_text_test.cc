#include "agent/runner/loads/output_text.h"

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(Utf8TailTest, Table) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain\n", "plain\n"},
      {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x92\xa9", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x92\xa9"},
      {"a\xff\xfe", "a??"},
      {"cut \xe2\x82", "cut ??"},
      {"\xc0\x80", "??"},            // Overlong.
      {"\xed\xa0\x80", "???"},       // Surrogate.
      {"\xf4\x90\x80\x80", "????"},  // Beyond U+10FFFF.
      {"\x80", "?"},
      {std::string("\0", 1), std::string("\0", 1)},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Utf8Tail(text, 100), want);
}

TEST(Utf8TailTest, KeepsTheEndAndMendsTheCut) {
  EXPECT_EQ(Utf8Tail("abc\xc3\xa4z", 2), "?z");
  EXPECT_EQ(Utf8Tail("abcdef", 3), "def");
}

TEST(OneLineTest, NoControlCharacters) {
  EXPECT_EQ(OneLine("a\nb\tc\x1b[31m\x7f"), "a b c [31m ");
  EXPECT_EQ(OneLine(std::string(5000, 'x')).size(), 2000u);
}

}  // namespace
}  // namespace shakedown::runner
