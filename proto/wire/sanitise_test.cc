#include "proto/wire/sanitise.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown {
namespace {

using std::string_literals::operator""s;

struct TextCase {
  std::string name, in, want;
};
std::string NameOf(const testing::TestParamInfo<TextCase>& test) { return test.param.name; }

class ToUtf8Test : public testing::TestWithParam<TextCase> {};
TEST_P(ToUtf8Test, Replaces) { EXPECT_EQ(ToUtf8(GetParam().in), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(, ToUtf8Test,
                         testing::ValuesIn<TextCase>({
                             {"Plain", "a\tb\n\x1b[0m", "a\tb\n\x1b[0m"},
                             {"Characters", "grün €😀", "grün €😀"},
                             {"Nul", "a\0b"s, "a\uFFFDb"},
                             {"LoneByte", "a\xFF", "a\uFFFD"},
                             {"CutCharacter", "a\xE2\x82", "a\uFFFD\uFFFD"},
                             {"OverlongSlash", "\xC0\xAF", "\uFFFD\uFFFD"},
                             {"Surrogate", "\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
                             {"PastUnicode", "\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
                         }),
                         NameOf);

class PrintableTest : public testing::TestWithParam<TextCase> {};
TEST_P(PrintableTest, SameInAnyPieces) {
  const auto& [name, in, want] = GetParam();
  EXPECT_EQ(Printable(in), want);
  for (size_t cut = 0; cut <= in.size(); ++cut) {
    TerminalFilter filter;
    std::string out = filter.Add(absl::string_view(in).substr(0, cut));
    out += filter.Add(absl::string_view(in).substr(cut));
    out += filter.Finish();
    EXPECT_EQ(out, want) << "cut at " << cut;
  }
}
INSTANTIATE_TEST_SUITE_P(, PrintableTest,
                         testing::ValuesIn<TextCase>({
                             {"Plain", "a\tb\nc", "a\tb\nc"},
                             {"Characters", "grün €😀", "grün €😀"},
                             {"Colour", "\x1b[1;31mred\x1b[0m", "red"},
                             {"SeaBios",
                              "\x1b"
                              "c\x1b[?7l\x1b[2J\x1b[0mSeaBIOS",
                              "SeaBIOS"},
                             {"Title", "\x1b]0;owned\x07text", "text"},
                             {"TitleEndedByString", "\x1b]0;owned\x1b\\text", "text"},
                             {"DeviceControl", "\x1bP1$r0m\x1b\\text", "text"},
                             {"CharacterSet", "\x1b(Btext", "text"},
                             {"EscapeEndsAtLine", "\x1b]0;endless\nnext", "\nnext"},
                             {"EightBitSequence",
                              "a\xC2\x9B"
                              "31mb",
                              "a31mb"},
                             {"Controls", "a\x07\x08\x7F\x0B\0b"s, "ab"},
                             {"ReturnLineFeed", "a\r\nb\r\r\nc", "a\nb\nc"},
                             {"ReturnAlone", "good\rbad", "good\nbad"},
                             {"ReturnAtEnd", "a\r", "a\n"},
                             {"BidiOverride", "a\u202Eb\u2066c\u200Fd\u061Ce", "abcde"},
                             {"ZeroWidth", "a\u200Bb\uFEFFc", "abc"},
                             {"Separators", "a\u2028b", "ab"},
                             {"Tags", "a\U000E0041b", "ab"},
                             {"ForeignByte", "a\xFFz", "a\uFFFDz"},
                             {"ForeignInEscape", "\x1b\xFFz", "\uFFFDz"},
                             {"EscapeInEscape", "\x1b[1\x1b[2Kz", "z"},
                             {"EscapeAtEnd", "a\x1b", "a"},
                             {"CutCharacterAtEnd", "a\xE2\x82", "a\uFFFD"},
                             {"CutByAnother", "\xE2\x82z", "\uFFFD\uFFFDz"},
                         }),
                         NameOf);

TEST(TerminalFilterTest, AnEndlessEscapeCanNotHideALog) {
  const std::string text = Printable("\x1b]0;" + std::string(1000, 'x') + "seen");
  EXPECT_NE(text.find("xseen"), std::string::npos);
}

TEST(TerminalFilterTest, NothingForbiddenLeavesForAnyTwoBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string in = {static_cast<char>(first), static_cast<char>(second), 'z'};
      for (const char c : Printable(in)) {
        const auto byte = static_cast<unsigned char>(c);
        ASSERT_TRUE(byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7F))
            << first << " " << second;
      }
      ASSERT_EQ(ToUtf8(Printable(in)), Printable(in)) << first << " " << second;
    }
  }
}

TEST(PrintableLineTest, OneLineWithinTheLimit) {
  EXPECT_EQ(PrintableLine("  a\n\n b\tc \r\n"), "a b c");
  EXPECT_EQ(PrintableLine(std::string(300, 'a'), 10), "aaaaaaa…");
  EXPECT_EQ(PrintableLine("€€€€", 10), "€€…");
  EXPECT_EQ(PrintableLine("€€€", 9), "€€€");
  EXPECT_EQ(PrintableLine(""), "");
}

}  // namespace
}  // namespace shakedown
