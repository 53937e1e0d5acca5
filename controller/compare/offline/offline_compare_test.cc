#include "controller/compare/offline/offline_compare.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "controller/plan/split_mix.h"

namespace shakedown::offline {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;
using testing::ElementsAre;
using testing::HasSubstr;

struct Answer {
  Struct all;
  const Value& Metric(int i, const std::string& key) const {
    return all.fields().at("metrics").list_value().values(i).struct_value().fields().at(key);
  }
  double Number(int i, const std::string& key) const { return Metric(i, key).number_value(); }
  std::string Text(int i, const std::string& key) const { return Metric(i, key).string_value(); }
  double Ci(int i, int end) const {
    return Metric(i, "ci").list_value().values(end).number_value();
  }
};

Answer Ask(absl::string_view base, absl::string_view challenger, OfflineOptions options = {}) {
  options.json = true;
  const auto text = RunOfflineCompare(base, challenger, options);
  EXPECT_TRUE(text.ok()) << text.status();
  Answer answer;
  if (!text.ok()) return answer;
  const auto status = google::protobuf::util::JsonStringToMessage(*text, &answer.all);
  EXPECT_TRUE(status.ok()) << *text;
  return answer;
}

std::string WhyNot(absl::string_view base, absl::string_view challenger,
                   const OfflineOptions& options = {}) {
  const auto text = RunOfflineCompare(base, challenger, options);
  EXPECT_FALSE(text.ok()) << *text;
  return text.ok() ? "" : std::string(text.status().message());
}

std::string Csv(absl::string_view header, const std::vector<std::vector<double>>& rows) {
  std::string csv = absl::StrCat(header, "\n");
  for (const std::vector<double>& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      absl::StrAppendFormat(&csv, "%s%.17g", i > 0 ? "," : "", row[i]);
    absl::StrAppend(&csv, "\n");
  }
  return csv;
}

// Blocks 1..n of a make time, the challenger at `factor` with half a percent to either side.
std::string Blocks(int n, double factor, absl::string_view header = "block,make.real") {
  std::vector<std::vector<double>> rows;
  for (int i = 1; i <= n; ++i)
    rows.push_back({double(i), (100 + i) * factor * (1 + 0.005 * std::sin(7 * i))});
  return Csv(header, rows);
}

TEST(OfflineCompareTest, PairedRatio) {
  const Answer answer = Ask(Blocks(8, 1), Blocks(8, 0.9));
  EXPECT_EQ(answer.Text(0, "metric"), "make.real");
  EXPECT_EQ(answer.Number(0, "n_base"), 8);
  EXPECT_EQ(answer.Number(0, "n_challenger"), 8);
  EXPECT_TRUE(answer.Metric(0, "paired").bool_value());
  EXPECT_NEAR(answer.Number(0, "estimate"), -0.1, 1e-12);
  EXPECT_NEAR(answer.Ci(0, 0), -0.1, 1e-9);
  EXPECT_DOUBLE_EQ(answer.Number(0, "level"), 0.95);
  EXPECT_NEAR(answer.Number(0, "attained_level"), 1 - 10.0 / 256, 1e-12);
  EXPECT_NEAR(answer.Number(0, "p"), 2.0 / 256, 1e-15);
  EXPECT_NEAR(answer.Number(0, "p_adjusted"), 2.0 / 256, 1e-15);
  EXPECT_EQ(answer.Text(0, "verdict"), "better");
  EXPECT_EQ(answer.Text(0, "mark"), "*");
}

TEST(OfflineCompareTest, HigherIsBetterTurnsTheVerdictNotTheNumbers) {
  const Answer answer = Ask(Blocks(8, 1, "block,fps"), Blocks(8, 0.9, "block,fps"),
                            {.metrics = {"fps:higher:ratio:1/s"}});
  EXPECT_NEAR(answer.Number(0, "estimate"), -0.1, 1e-12);
  EXPECT_EQ(answer.Text(0, "verdict"), "worse");
  EXPECT_EQ(answer.Text(0, "mark"), "!");
}

TEST(OfflineCompareTest, UnpairedDifference) {
  const OfflineOptions options{.metrics = {"lat:lower:difference:ms"}};
  const Answer answer = Ask("lat\n2\n1\n3\n5\n", "lat\n12\n11\n13\n15\n", options);
  EXPECT_FALSE(answer.Metric(0, "paired").bool_value());
  EXPECT_EQ(answer.Number(0, "estimate"), 10);
  EXPECT_EQ(answer.Ci(0, 0), 6);
  EXPECT_EQ(answer.Ci(0, 1), 14);
  EXPECT_NEAR(answer.Number(0, "p"), 2.0 / 70, 1e-15);
  EXPECT_EQ(answer.Text(0, "verdict"), "worse");
}

TEST(OfflineCompareTest, TooFewHaveNoVerdict) {
  const Answer pairs = Ask(Blocks(5, 1), Blocks(5, 0.5));
  EXPECT_EQ(pairs.Text(0, "verdict"), "insufficient");
  EXPECT_EQ(pairs.Text(0, "mark"), ".");
  EXPECT_TRUE(pairs.Metric(0, "ci").list_value().values(0).has_null_value());
  EXPECT_EQ(pairs.Text(0, "challenger_star"), "(*)");
  const Answer one = Ask("make.real\n100\n", "make.real\n101\n");
  EXPECT_EQ(one.Text(0, "verdict"), "insufficient");
  EXPECT_EQ(one.Number(0, "p"), 1);
  EXPECT_EQ(one.Text(0, "challenger_star"), "");
  const Answer six = Ask(Blocks(6, 1), Blocks(6, 0.5));
  EXPECT_TRUE(six.Metric(0, "preliminary").bool_value());
  EXPECT_EQ(six.Text(0, "mark"), "");
}

// Frames dropped: none, but for one boot of eight.
TEST(OfflineCompareTest, OnePairOfEightDiffers) {
  const std::string none = "block,drops\n1,0\n2,0\n3,0\n4,0\n5,0\n6,0\n7,0\n8,0\n";
  const std::string one = "block,drops\n1,0\n2,0\n3,0\n4,1\n5,0\n6,0\n7,0\n8,0\n";
  const Answer answer = Ask(none, one, {.metrics = {"drops:lower:difference:1"}});
  EXPECT_EQ(answer.Number(0, "estimate"), 0);
  EXPECT_EQ(answer.Number(0, "p"), 1);
}

TEST(OfflineCompareTest, BlocksOnOneSideAreCountedAndLeftOut) {
  const std::string base = "block,make.real\n9,1000\na,100\nb,100\nc,101\nd,100\ne,102\nf,100\n";
  const std::string challenger =
      "block,make.real\nf,100\ne,102\nd,100\nc,101\nb,100\na,100\nz,1\ny,1\n";
  const auto result = CompareOffline(base, challenger, {});
  ASSERT_TRUE(result.ok()) << result.status();
  const statistics::Effect& effect = *result->rows[0].candidate.effect;
  EXPECT_EQ(effect.n_base, 6);
  EXPECT_EQ(effect.estimate, 0);
  EXPECT_EQ(effect.p, 1);
  EXPECT_EQ(effect.base_median, 100);
  EXPECT_THAT(result->notes, ElementsAre("1 block only in BASE: left out.",
                                         "2 blocks only in CHALLENGER: left out."));
}

TEST(OfflineCompareTest, CommentsDeclareAndOptionsWin) {
  const std::string base = "# metric fps:higher:ratio:1/s\nfps\n1\n2\n3\n4\n";
  const std::string challenger = "fps\n11\n12\n13\n14\n";
  EXPECT_EQ(Ask(base, challenger).Text(0, "verdict"), "better");
  EXPECT_EQ(Ask(base, challenger, {.metrics = {"fps:lower:ratio:1/s"}}).Text(0, "verdict"),
            "worse");
  EXPECT_THAT(
      WhyNot(base, "# fps:lower:ratio:1/s\nfps\n1\n"),
      HasSubstr("CHALLENGER: line 1, column 1: metric \"fps\" is declared twice, not alike"));
  EXPECT_THAT(WhyNot("# metric fps:sideways:ratio:s\nfps\n1\n", "fps\n1\n"),
              HasSubstr("BASE: line 1, column 1: metric \"fps:sideways:ratio:s\": direction is"));
}

TEST(OfflineCompareTest, UndeclaredMetricsAreGuessedAloud) {
  const auto result = CompareOffline("x,y\n1,0\n2,1\n", "x,y\n1,0\n2,1\n", {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->rows[0].candidate.metric.scale, statistics::Scale::kRatio);
  EXPECT_EQ(result->rows[1].candidate.metric.scale, statistics::Scale::kDifference);
  EXPECT_THAT(
      result->notes,
      ElementsAre("x is not declared: taken as lower is better, ratio scale, no unit.",
                  "y is not declared: taken as lower is better, difference scale, no unit."));
}

TEST(OfflineCompareTest, RatioOfZeroIsRefusedWithItsPlace) {
  EXPECT_EQ(WhyNot("block,make.real\n1,5\n2,0\n", "block,make.real\n1,5\n2,5\n"),
            "BASE: line 3, column 2: make.real is 0, and a ratio wants values above 0; declare the "
            "scale as difference if it can be 0");
  EXPECT_EQ(
      Ask("make.real\n1\n0\n", "make.real\n1\n2\n", {.metrics = {"make.real:lower:difference:s"}})
          .Number(0, "n_base"),
      2);
}

TEST(OfflineCompareTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(WhyNot("block,a\n1,1\n", "a\n1\n"), HasSubstr("only BASE has a column \"block\""));
  EXPECT_THAT(WhyNot("block,a\n1,1\n", "block,a\n2,1\n"), HasSubstr("no block is in both"));
  EXPECT_THAT(WhyNot("a\n1\n", "b\n1\n"), HasSubstr("no metric is in both"));
  EXPECT_THAT(WhyNot("a\n1\n", "a\n1\n", {.metrics = {"b:lower:ratio:s"}}),
              HasSubstr("metric \"b\" is declared but is a column of neither file"));
  EXPECT_THAT(WhyNot("a\n1\n", "a\n1\n", {.level = 1}), HasSubstr("level 1"));
  EXPECT_THAT(WhyNot("a,b,c,d\n1,1,1,1\n", "a,b,c,d\n1,1,1,1\n",
                     {.metrics = {"a:lower:ratio:s:role=primary", "b:lower:ratio:s:role=primary",
                                  "c:lower:ratio:s:role=primary", "d:lower:ratio:s:role=primary"}}),
              HasSubstr("4 metrics have role=primary, want at most 3"));
}

TEST(OfflineCompareTest, MoreThanThreeMetricsAreSecondary) {
  const Answer answer = Ask("a,b,c,d\n1,1,1,1\n2,2,2,2\n3,3,3,3\n4,4,4,4\n",
                            "a,b,c,d\n11,1,1,1\n12,2,2,2\n13,3,3,3\n14,4,4,4\n");
  EXPECT_EQ(answer.Text(0, "role"), "secondary");
  EXPECT_NEAR(answer.Number(0, "p_adjusted"), 4 * 2.0 / 70, 1e-12);
  EXPECT_TRUE(answer.Metric(0, "cannot_reach").bool_value());
  EXPECT_EQ(answer.Text(0, "verdict"), "inconclusive");
}

TEST(OfflineCompareTest, InputOrderChangesNothing) {
  const std::string base =
      "block,make.real\n1,100\n2,105\n3,99\n4,101\n5,103\n6,100\n7,104\n8,98\n";
  const std::string turned =
      "make.real,block\n98,8\n104,7\n100,6\n103,5\n101,4\n99,3\n105,2\n100,1\n";
  const std::string challenger = Blocks(8, 0.97);
  EXPECT_EQ(*RunOfflineCompare(base, challenger, {.json = true}),
            *RunOfflineCompare(turned, challenger, {.json = true}));
}

TEST(OfflineCompareTest, ClassicStarsOfSingleRuns) {
  const std::string header =
      "interbench.video.write.latency.avg,interbench.video.write.latency.max,"
      "interbench.video.write.desired_cpu,interbench.video.write.deadlines_met,"
      "interbench.x.video.latency.avg\n";
  const std::string base = header + "1.4,40.3,99.9,92.1,13.4\n";
  const std::string challenger = header + "0.1,22.7,100,99.3,17.3\n";
  const Answer classic = Ask(base, challenger, {.classic = true});
  EXPECT_EQ(classic.Text(0, "mark"), "*");  // 93 %.
  EXPECT_EQ(classic.Text(1, "mark"), "*");
  EXPECT_EQ(classic.Text(2, "mark"), "");
  EXPECT_EQ(classic.Text(3, "mark"), "*");
  EXPECT_EQ(classic.Text(4, "mark"), "");
  EXPECT_EQ(classic.Text(4, "base_mark"), "*");
  const Answer plain = Ask(base, challenger);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(plain.Text(i, "verdict"), "insufficient");
  EXPECT_THAT(*RunOfflineCompare(base, challenger, {.classic = true}),
              HasSubstr("classic rule, no uncertainty"));
}

// tests/golden/statistics/2010-*: the table of the 2010 interbench post, and which side the rule as
// it is worded stars, worked out in decimals.
TEST(OfflineCompareTest, TheTableOf2010) {
  const auto golden = [](const std::string& name) {
    const char* root = std::getenv("SHAKEDOWN_SOURCE_DIR");
    std::stringstream text;
    text << std::ifstream(
                absl::StrCat(root == nullptr ? "." : root, "/tests/golden/statistics/", name))
                .rdbuf();
    return text.str();
  };
  const Answer classic =
      Ask(golden("2010-mainline.csv"), golden("2010-ck1.csv"), {.classic = true});
  const Answer plain = Ask(golden("2010-mainline.csv"), golden("2010-ck1.csv"));
  std::istringstream stars(golden("2010-classic-stars.txt"));
  std::string metric;
  std::string side;
  int i = 0;
  for (; stars >> metric >> side; ++i) {
    SCOPED_TRACE(metric);
    EXPECT_EQ(classic.Text(i, "metric"), metric);
    EXPECT_EQ(classic.Text(i, "mark"), side == "challenger" ? "*" : "");
    EXPECT_EQ(classic.Text(i, "base_mark"), side == "base" ? "*" : "");
    EXPECT_EQ(plain.Text(i, "verdict"), "insufficient");
    EXPECT_EQ(plain.Text(i, "challenger_star"), side == "challenger" ? "(*)" : "");
  }
  EXPECT_EQ(i, 112);
}

TEST(PrintTextTest, FitsAMail) {
  std::string header =
      "block,make.real,interbench.video.burn.latency.max,a_metric_of_a_rather_long_name";
  std::vector<std::vector<double>> base;
  std::vector<std::vector<double>> challenger;
  for (double i = 1; i <= 8; ++i) {
    base.push_back({i, 136.196 + i, 1e-9 * i, 1.23456789e70 * i});
    challenger.push_back({i, 120.5 + i, 123456.789 * i, 9.87e-60 * i});
  }
  const auto text = RunOfflineCompare(
      Csv(header, base), Csv(header, challenger),
      {.base_name = "2.6.35.csv", .challenger_name = std::string(200, 'c') + ".csv"});
  ASSERT_TRUE(text.ok()) << text.status();
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    EXPECT_LE(line.size(), 78u) << line;
    EXPECT_EQ(line.find_last_not_of(' ') + 1, line.size()) << "blanks at the end: " << line;
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << line;
  }
  EXPECT_EQ(text->back(), '\n');
}

TEST(PrintTextTest, Table) {
  const auto text = RunOfflineCompare(Blocks(8, 1), Blocks(8, 0.9), {});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("8 blocks, paired\n"));
  EXPECT_THAT(*text, HasSubstr("make.real s"));
  EXPECT_THAT(*text, HasSubstr("-10.00%   [-10.00%, -10.00%] 0.0078 *\n"));
}

// Two million rows: a tenth of a second to parse each, most of the rest to find four medians among
// 10^12 differences. The bound is loose: CI machines are busy.
TEST(OfflineCompareTest, AMillionRows) {
  plan::SplitMix64 random(1);
  std::string csv[2];
  std::string paired[2];
  for (int side = 0; side < 2; ++side) {
    csv[side] = "make.real\n";
    paired[side] = "block,make.real\n";
    for (int i = 0; i < 1'000'000; ++i) {
      const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
      const int value = static_cast<int>((100 + 10 * u) * (side == 0 ? 1 : 0.9) * 1000);
      absl::StrAppend(&csv[side], value, "\n");
      absl::StrAppend(&paired[side], i, ",", value, "\n");
    }
  }
  const auto started = std::chrono::steady_clock::now();
  const Answer answer = Ask(csv[0], csv[1]);
  EXPECT_NEAR(answer.Number(0, "estimate"), -0.1, 0.001);
  EXPECT_EQ(answer.Text(0, "verdict"), "better");
  const auto unpaired = std::chrono::steady_clock::now();
  const Answer pairs = Ask(paired[0], paired[1]);
  EXPECT_NEAR(pairs.Number(0, "estimate"), -0.1, 0.001);
  const auto ended = std::chrono::steady_clock::now();
  RecordProperty("unpaired_ms",
                 static_cast<int>((unpaired - started) / std::chrono::milliseconds(1)));
  RecordProperty("paired_ms", static_cast<int>((ended - unpaired) / std::chrono::milliseconds(1)));
  EXPECT_LT(unpaired - started, std::chrono::seconds(20));
  EXPECT_LT(ended - unpaired, std::chrono::seconds(20));
}

}  // namespace
}  // namespace shakedown::offline
