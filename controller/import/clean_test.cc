#include "controller/import/clean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/import/golden_texts.h"

namespace shakedown::importer {
namespace {

using testing::ElementsAre;

std::vector<std::string> Cleaned(absl::string_view raw) {
  CleanText clean;
  Clean(raw, clean);
  std::vector<std::string> lines;
  for (const Line& line : clean.lines) lines.push_back(absl::StrCat(line.number, ":", line.text));
  return lines;
}

TEST(CleanTest, LineEnds) {
  EXPECT_THAT(Cleaned("a\r\nb  \n\nc"), ElementsAre("1:a", "2:b", "3:", "4:c"));
  EXPECT_THAT(Cleaned("10%\r20%\rend\r\nnext\n"), ElementsAre("1:10%", "1:20%", "1:end", "2:next"));
  EXPECT_THAT(Cleaned("\ra\r \r\n\r\n"), ElementsAre("1:a", "2:"));
  EXPECT_THAT(Cleaned(""), ElementsAre());
}

TEST(CleanTest, QuotingAtAnyDepth) {
  EXPECT_THAT(Cleaned("> a\n>> b\n> >  c\n>\n  > d\na > b\n"),
              ElementsAre("1:a", "2:b", "3:c", "4:", "5:d", "6:a > b"));
}

TEST(CleanTest, EscapeSequencesVanish) {
  EXPECT_THAT(Cleaned("\x1b[1;32mreal\x1b[0m 1\x1b]0;title\x07s\x1b(B\x1b[K\n\x1b[2J\x1b"),
              ElementsAre("1:real 1s", "2:"));
}

// Else "1" and "2" would join into a number that nobody wrote.
TEST(CleanTest, ForeignBytesKeepNumbersApart) {
  EXPECT_THAT(Cleaned(absl::string_view("1\0002 1\xff"
                                        "2 1\b2 1\xc2\x85"
                                        "2\n",
                                        17)),
              ElementsAre("1:1\xEF\xBF\xBD"
                          "2 1\xEF\xBF\xBD"
                          "2 1\xEF\xBF\xBD"
                          "2 1\xEF\xBF\xBD"
                          "2"));
  EXPECT_THAT(Cleaned("\xEF\xBB\xBFr\xC2\xA0"
                      "b\xE2\x80\x89s\n"),
              ElementsAre("1:r b s"));
}

TEST(CleanTest, QuotedPrintableByProof) {
  EXPECT_THAT(Cleaned("clients=3D8\nlong=\n er\nlast=20\n"),
              ElementsAre("1:clients=8", "2:long er", "4:last"));
  // Every "=" fits the encoding, but nothing proves it.
  EXPECT_THAT(Cleaned("max_wait=50ms, clients=20\n"), ElementsAre("1:max_wait=50ms, clients=20"));
  // Proof, but one "=" does not fit.
  EXPECT_THAT(Cleaned("a=3D b=zz\n"), ElementsAre("1:a=3D b=zz"));
  // A blank after the break keeps numbers apart.
  EXPECT_THAT(Cleaned("5317=\n 69 x=3D1\n"), ElementsAre("1:5317 69 x=1"));
  // Encoded twice: what is still encoded is no text to take a number from.
  EXPECT_THAT(Cleaned("a=3D3D8\n"), ElementsAre("1:a\xEF\xBF\xBD"
                                                "3D8"));
}

TEST(CleanTest, QuotedPrintableByHeaderInItsPartOnly) {
  EXPECT_THAT(
      Cleaned("boundary=\"b1\"\nContent-Transfer-Encoding: quoted-printable\n\na=3D1 b=zz\n--b1--\n"
              "a=3D1\n"),
      ElementsAre("1:boundary=\"b1\"", "2:Content-Transfer-Encoding: 8bit", "3:", "4:a=1 b=zz",
                  "5:--b1--", "6:a=3D1"));
}

TEST(CleanTest, Bounds) {
  const std::string most(kLongestLine, 'x');
  CleanText clean;
  Clean(absl::StrCat(most, "\n", most, "x\nend\n"), clean);
  ASSERT_EQ(clean.lines.size(), 2u);
  EXPECT_EQ(clean.lines[1].number, 3);
  EXPECT_THAT(clean.too_long, ElementsAre(2));

  CleanText many;
  Clean(std::string(kMostLines + 10, '\n'), many);
  EXPECT_TRUE(many.too_many);
  EXPECT_EQ(many.lines.size(), kMostLines);
}

class CleanPropertyTest : public testing::TestWithParam<GoldenText> {};

TEST_P(CleanPropertyTest, CleaningAgainChangesNothing) {
  CleanText once;
  Clean(GetParam().text, once);
  std::string joined;
  for (const Line& line : once.lines) absl::StrAppend(&joined, line.text, "\n");
  CleanText twice;
  Clean(joined, twice);
  ASSERT_EQ(once.lines.size(), twice.lines.size());
  for (size_t i = 0; i < once.lines.size(); ++i)
    EXPECT_EQ(once.lines[i].text, twice.lines[i].text) << "line " << once.lines[i].number;
}

INSTANTIATE_TEST_SUITE_P(, CleanPropertyTest, testing::ValuesIn(GoldenTexts()), GoldenName);

}  // namespace
}  // namespace shakedown::importer
