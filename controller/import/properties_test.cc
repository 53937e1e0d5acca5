// What must hold of any text, over the golden texts and seeded mutations of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "controller/import/clean.h"
#include "controller/import/golden_texts.h"
#include "controller/import/parse.h"

namespace shakedown::importer {
namespace {

std::string Json(absl::string_view text) { return PrintJson({{"f", ParseText(text)}}); }

void ExpectSound(absl::string_view text, const std::string& what) {
  const Parsed parsed = ParseText(text);
  const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const Result& result : parsed.results) {
    ASSERT_NE(result.source, nullptr) << what;
    ASSERT_TRUE(std::isfinite(result.value)) << what;
    ASSERT_FALSE(result.metric.empty()) << what;
    ASSERT_TRUE(result.line >= 1 && result.line <= lines) << what << " line " << result.line;
  }
  for (const Note& note : parsed.notes) ASSERT_TRUE(note.line >= 1 && note.line <= lines) << what;
  for (const Refusal& refusal : parsed.refused)
    ASSERT_TRUE(refusal.line >= 1 && refusal.line <= lines) << what;
  ASSERT_TRUE(!parsed.results.empty() || !parsed.refused.empty()) << what;
  ASSERT_TRUE(nlohmann::json::accept(PrintJson({{"f", parsed}}))) << what;
}

void ExpectCleanIsIdempotent(absl::string_view text, const std::string& what) {
  CleanText once;
  Clean(text, once);
  std::string joined;
  for (const Line& line : once.lines) absl::StrAppend(&joined, line.text, "\n");
  CleanText twice;
  Clean(joined, twice);
  ASSERT_EQ(once.lines.size(), twice.lines.size()) << what;
  for (size_t i = 0; i < once.lines.size(); ++i)
    ASSERT_EQ(once.lines[i].text, twice.lines[i].text) << what;
}

// Small changes as they happen to mail: cut, doubled, swapped, overwritten, joined with another.
class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  std::string Mutate(std::string text, const std::string& other) {
    for (size_t times = 1 + Below(4); times > 0; --times) Change(text, other);
    return text;
  }

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }

  void Change(std::string& text, const std::string& other) {
    static const std::vector<std::string> kPieces = {
        "\n",   "\r", "\t", " ",   "> ", "*",    "=3D", "=\n", "\x1b[", std::string("\0", 1),
        "\xff", ",",  ".",  "-",   "9",  "1e99", "nan", "%",   "(",     ")",
        "{",    "\"", "<",  "+/-", ":"};
    const size_t at = Below(text.size() + 1);
    const size_t length = Below(std::min<size_t>(text.size() - at, 40) + 1);
    switch (Below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text.insert(at, kPieces[Below(kPieces.size())]);
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(Below(256));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        text.insert(at, other.substr(Below(other.size()), Below(300)));
    }
  }

  std::mt19937_64 random_;
};

TEST(PropertiesTest, MutationsAreReadSoundly) {
  const std::vector<GoldenText> texts = GoldenTexts();
  ASSERT_FALSE(texts.empty());
  // 300 of each take about a second; libFuzzer does the rest (fuzz.cc).
  for (size_t i = 0; i < texts.size(); ++i) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
      Mutator mutator(1000 * i + seed);
      const std::string text = mutator.Mutate(texts[i].text, texts[(i + seed) % texts.size()].text);
      const std::string what = absl::StrCat(texts[i].name, " seed ", seed);
      ExpectSound(text, what);
      ExpectCleanIsIdempotent(text, what);
      if (HasFatalFailure()) return;
    }
  }
}

class DisguiseTest : public testing::TestWithParam<GoldenText> {
 protected:
  // Every line between `before` and `after`.
  std::string Disguised(const std::string& before, const std::string& after) const {
    std::vector<std::string> lines = absl::StrSplit(GetParam().text, '\n');
    const bool ended = lines.back().empty();
    if (ended) lines.pop_back();
    std::string text;
    for (const std::string& line : lines) absl::StrAppend(&text, before, line, after, "\n");
    if (!ended && !text.empty()) text.pop_back();
    return text;
  }
};

TEST_P(DisguiseTest, MailAndTerminalChangeNothing) {
  const std::string want = Json(GetParam().text);
  EXPECT_EQ(Json(Disguised("", "\r")), want);
  EXPECT_EQ(Json(Disguised("> ", "")), want);
  EXPECT_EQ(Json(Disguised("> >> ", "  ")), want);
  EXPECT_EQ(Json(Disguised("\x1b[0m\x1b[32m", "\x1b[K")), want);
}

TEST_P(DisguiseTest, QuotedPrintableChangesNothing) {
  if (absl::StrContains(GetParam().name, "printable")) return;
  std::string encoded = "Content-Transfer-Encoding: quoted-printable\n\n";
  for (const char c : GetParam().text) {
    if (c == '\n' || (c > ' ' && c < 0x7F && c != '=')) {
      encoded += c;
    } else {
      absl::StrAppendFormat(&encoded, "=%02X", static_cast<unsigned char>(c));
    }
  }
  const Parsed got = ParseText(encoded);
  const Parsed want = ParseText(GetParam().text);
  ASSERT_EQ(got.results.size(), want.results.size());
  for (size_t i = 0; i < want.results.size(); ++i) {
    EXPECT_EQ(got.results[i].metric, want.results[i].metric);
    EXPECT_EQ(got.results[i].value, want.results[i].value);
    EXPECT_EQ(got.results[i].line, want.results[i].line + 2);
  }
  EXPECT_EQ(got.refused.size(), want.refused.size());
}

INSTANTIATE_TEST_SUITE_P(, DisguiseTest, testing::ValuesIn(GoldenTexts()), GoldenName);

// Wherever a text is broken off, nothing is read that the whole does not say, but for what is
// marked as perhaps cut off.
class BrokenOffTest : public testing::TestWithParam<GoldenText> {};

TEST_P(BrokenOffTest, NoValueIsMadeUp) {
  const Parsed whole = ParseText(GetParam().text);
  std::vector<std::string> known;
  const auto key = [](const Result& result) {
    return absl::StrCat(result.line, " ", result.metric, " ", result.value, " ", result.unit);
  };
  for (const Result& result : whole.results) known.push_back(key(result));
  std::sort(known.begin(), known.end());
  for (size_t end = 0; end < GetParam().text.size(); ++end) {
    for (const Result& result : ParseText(GetParam().text.substr(0, end)).results) {
      const bool marked = !result.marks.empty() && absl::EndsWith(result.marks.back(), "cut off");
      ASSERT_TRUE(marked || std::binary_search(known.begin(), known.end(), key(result)))
          << "cut at byte " << end << ": " << key(result);
    }
  }
}

// Of formats whose beginning does not depend on their end.
std::vector<GoldenText> Plain() {
  std::vector<GoldenText> texts;
  for (GoldenText& golden : GoldenTexts()) {
    for (const char* name :
         {"latt-0.1", "latt-2009", "interbench-0.31", "interbench-stars", "interbench-two",
          "time-shells", "kernbench", "vmstat", "hackbench", "perf-bench", "cyclictest.",
          "cyclictest-histogram", "side-by-side", "top-3.2", "perf-stat."})
      if (absl::StartsWith(golden.name + ".", name)) texts.push_back(golden);
  }
  return texts;
}

INSTANTIATE_TEST_SUITE_P(, BrokenOffTest, testing::ValuesIn(Plain()), GoldenName);

}  // namespace
}  // namespace shakedown::importer
