#include "controller/compare/judge_report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/print_report.h"

namespace shakedown::compare {
namespace {

struct Series {
  const char* metric;
  std::vector<double> base;
  std::vector<double> challenger;
};

// One load, one challenger, a value a block.
v1::Report ReportOf(const std::vector<Series>& all) {
  v1::Report report;
  report.set_state("done");
  report.set_blocks(static_cast<uint32_t>(all.front().base.size()));
  for (const char* letter : {"A", "B"}) {
    v1::ReportVariant* variant = report.add_variants();
    variant->set_letter(letter);
    variant->set_survival_boots(report.blocks());
  }
  v1::ReportLoad* load = report.add_loads();
  for (const Series& series : all) {
    v1::ReportMetric* metric = load->add_metrics();
    metric->set_name(series.metric);
    for (const bool challenger : {false, true}) {
      v1::ReportRow* row = metric->add_rows();
      row->set_letter(challenger ? "B" : "A");
      for (const double value : challenger ? series.challenger : series.base) {
        row->add_boots()->set_value(value);
      }
    }
  }
  return report;
}

std::vector<double> Around(double center, size_t n) {
  std::vector<double> values;
  for (size_t i = 0; i < n; ++i) values.push_back(center * (1 + 0.0001 * static_cast<double>(i)));
  return values;
}

struct MarkCase {
  const char* name;
  Series series;
  const char* mark;
  const char* verdict;
  const char* conclusion;
};
class MarkTest : public testing::TestWithParam<MarkCase> {};
TEST_P(MarkTest, Table) {
  v1::Report report = ReportOf({GetParam().series});
  AddVerdicts(&report);
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.mark(), GetParam().mark);
  EXPECT_EQ(comparison.verdict(), GetParam().verdict);
  EXPECT_EQ(report.conclusion(), GetParam().conclusion);
  EXPECT_EQ(report.no_verdict(), "");
}
INSTANTIATE_TEST_SUITE_P(
    , MarkTest,
    testing::ValuesIn<MarkCase>({
        {"Better", {"make.real", Around(20, 8), Around(18, 8)}, "*", "better", "decided"},
        {"Worse", {"make.real", Around(20, 8), Around(22, 8)}, "!", "worse", "worse"},
        {"Same", {"make.real", Around(20, 8), Around(20.2, 8)}, "=", "same", "decided"},
        {"Small",
         {"make.real", Around(20, 8), {19.1, 19.2, 19.3, 18.8, 19.2, 19.4, 19.1, 18.7}},
         "+",
         "small",
         "decided"},
        {"Open",
         {"make.real", Around(20, 8), {15, 25, 15, 25, 15, 25, 15, 25}},
         "?",
         "inconclusive",
         "inconclusive"},
        {"SevenBlocksAreNotMarked",
         {"make.real", Around(20, 7), Around(10, 7)},
         "",
         "inconclusive",
         "inconclusive"},
        {"ASecondaryIsNoConclusion",
         {"make.user", Around(20, 8), Around(22, 8)},
         "!",
         "worse",
         "decided"},
        {"NobodyKnowsWhichSideIsBetter",
         {"my.own", Around(20, 8), Around(22, 8)},
         "",
         "inconclusive",
         "decided"},
        {"NoRatioOfZero",
         {"make.real", Around(20, 8), std::vector<double>(8, 0)},
         "x",
         "not_comparable",
         "inconclusive"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(AddVerdictsTest, FewBlocksGiveNone) {
  v1::Report report = ReportOf({{"make.real", Around(20, 5), Around(10, 5)}});
  AddVerdicts(&report);
  EXPECT_EQ(report.no_verdict(), "n < 6 blocks: insufficient, no verdict");
  EXPECT_EQ(report.conclusion(), "none");
  EXPECT_EQ(report.loads(0).metrics(0).comparisons_size(), 0);
}

TEST(AddVerdictsTest, MachinesThatAreNotAlikeAreNeverPooled) {
  // Ten times as fast on one machine, half as fast on the other: together they would be "better".
  std::vector<double> base = Around(20, 8), challenger = Around(2, 8);
  for (const double value : Around(100, 8)) base.push_back(value);
  for (const double value : Around(200, 8)) challenger.push_back(value);
  v1::Report report = ReportOf({{"make.real", base, challenger}});
  for (int i = 0; i < 16; ++i) report.add_block_machines(i < 8 ? "vm1" : "x1");
  AddVerdicts(&report, "x1 is bare metal, vm1 is a VM");
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.verdict(), "not_comparable");
  EXPECT_NE(comparison.note().find("x1 is bare metal, vm1 is a VM"), std::string::npos)
      << comparison.note();
  ASSERT_EQ(comparison.machines_size(), 2);
  EXPECT_EQ(comparison.machines(0).machine(), "vm1");
  EXPECT_EQ(comparison.machines(0).verdict(), "better");
  EXPECT_EQ(comparison.machines(1).verdict(), "worse");
  EXPECT_EQ(comparison.machines(0).n(), 8u);
  EXPECT_EQ(report.conclusion(), "inconclusive");
}

TEST(AddVerdictsTest, NoLookBeforeTheEnd) {
  v1::Report report = ReportOf({{"make.real", Around(20, 8), Around(10, 8)}});
  report.set_state("active");
  AddVerdicts(&report);
  EXPECT_EQ(report.conclusion(), "none");
  EXPECT_NE(report.no_verdict().find("has not ended"), std::string::npos);
}

TEST(AddVerdictsTest, WhatFailsMoreIsNotBetter) {
  v1::Report report = ReportOf({{"make.real", Around(20, 8), Around(10, 8)}});
  report.mutable_variants(1)->set_survival_boots(9);
  report.mutable_variants(1)->set_failures(1);
  AddVerdicts(&report);
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.mark(), "?");
  EXPECT_NE(comparison.note().find("fails more often"), std::string::npos);
  EXPECT_EQ(report.conclusion(), "inconclusive");
}

TEST(AddVerdictsTest, ALargePartOfNearlyNothingIsTheSameAndSaysWhy) {
  v1::Report report = ReportOf({{"latt.wakeup.avg", Around(480, 8), Around(540, 8)},
                                {"make.real", Around(20, 8), Around(20.01, 8)}});
  AddVerdicts(&report);
  const v1::ReportComparison& tiny = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(tiny.verdict(), "same");
  EXPECT_EQ(tiny.note(), "a change of less than 100 us does not count");
  EXPECT_EQ(report.loads(0).metrics(1).comparisons(0).note(), "");
}

TEST(AddVerdictsTest, BlocksWithOneValueAreLeftOut) {
  v1::Report report = ReportOf({{"make.real", Around(20, 8), Around(18, 8)}});
  report.mutable_loads(0)->mutable_metrics(0)->mutable_rows(1)->mutable_boots(3)->clear_value();
  AddVerdicts(&report);
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).n(), 7u);
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).differences_size(), 7);
}

TEST(AddVerdictsTest, AHardDifferenceShowsValuesAndNoChange) {
  v1::Report report = ReportOf({{"make.real", Around(20, 8), Around(10, 8)}});
  v1::ReportHardDifference* hard = report.add_hard_differences();
  hard->set_letter("B");
  hard->set_name("cpu.governor");
  AddVerdicts(&report);
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.mark(), "x");
  EXPECT_TRUE(comparison.has_median());
  EXPECT_FALSE(comparison.has_estimate());
  EXPECT_EQ(report.conclusion(), "inconclusive");
}

TEST(AddVerdictsTest, CalibrationsApartAreNotComparable) {
  for (const auto& [loops, mark] :
       {std::pair(2000000.0, "!"), {2010000.0, "!"}, {2030000.0, "x"}}) {
    v1::Report report = ReportOf(
        {{"interbench.loops_per_ms", std::vector<double>(8, 2e6), std::vector<double>(8, loops)},
         {"interbench.x.burn.latency.avg", Around(30, 8), Around(40, 8)}});
    AddVerdicts(&report);
    EXPECT_EQ(report.loads(0).metrics(1).comparisons(0).mark(), mark) << loops;
  }
}

TEST(AddVerdictsTest, MaximaOfUnlikeCountsAreNotComparable) {
  for (const auto& [n, mark] : {std::pair(205.0, "!"), {160.0, "x"}}) {
    v1::Report report =
        ReportOf({{"latt.wakeup.n", std::vector<double>(8, 192), std::vector<double>(8, n)},
                  {"latt.wakeup.max", Around(30000, 8), Around(40000, 8)},
                  {"latt.wakeup.avg", Around(300, 8), Around(400, 8)}});
    AddVerdicts(&report);
    EXPECT_EQ(report.loads(0).metrics(1).comparisons(0).mark(), mark) << n;
    EXPECT_EQ(report.loads(0).metrics(2).comparisons(0).mark(), "!") << "of this metric only";
  }
}

TEST(AddVerdictsTest, PrimariesShareTheLevel) {
  // 0.0078, the least that eight blocks can give, passes Holm for six metrics and not for seven.
  for (const auto& [metrics, mark] : {std::pair(6, "*"), {7, "?"}}) {
    v1::Report report = ReportOf(std::vector<Series>(static_cast<size_t>(metrics),
                                                     {"make.real", Around(20, 8), Around(18, 8)}));
    AddVerdicts(&report);
    EXPECT_EQ(report.method().primaries(), static_cast<uint32_t>(metrics));
    EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).mark(), mark) << metrics;
  }
}

TEST(AddVerdictsTest, EachMachineIsJudgedByItself) {
  std::vector<double> base = Around(20, 8);
  std::vector<double> challenger = Around(18, 8);
  for (const double value : Around(20, 8)) {
    base.push_back(value);
    challenger.push_back(value);
  }
  v1::Report report = ReportOf({{"make.real", base, challenger}});
  for (int block = 0; block < 16; ++block) report.add_block_machines(block < 8 ? "vm1" : "vm2");
  AddVerdicts(&report);
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  ASSERT_EQ(comparison.machines_size(), 2);
  EXPECT_EQ(comparison.machines(0).mark(), "*");
  EXPECT_EQ(comparison.machines(0).n(), 8u);
  EXPECT_EQ(comparison.machines(1).mark(), "=");
  EXPECT_NE(PrintReport(report).find("of 2 machines; vm1: * (n 8), vm2: = (n 8)"),
            std::string::npos)
      << PrintReport(report);
}

TEST(PrintVerdictsTest, TheClassicRuleSaysSo) {
  v1::Report report = ReportOf({{"make.real", Around(20, 8), Around(18, 8)}});
  AddVerdicts(&report);
  const std::string text = PrintReport(report, {.classic_asterisk = true});
  EXPECT_NE(text.find("classic rule, no uncertainty"), std::string::npos) << text;
  EXPECT_NE(text.find(")*"), std::string::npos) << text;
}

TEST(PrintVerdictsTest, QuietRowsAreListedWhenAsked) {
  v1::Report report = ReportOf(
      {{"make.real", Around(20, 8), Around(20, 8)}, {"make.user", Around(20, 8), Around(20, 8)}});
  AddVerdicts(&report);
  EXPECT_NE(PrintReport(report).find("make.real,"), std::string::npos) << "primary: always";
  EXPECT_EQ(PrintReport(report).find("make.user,"), std::string::npos);
  EXPECT_NE(PrintReport(report).find("not listed: 1 unchanged (=)"), std::string::npos);
  EXPECT_NE(PrintReport(report, {.all = true}).find("make.user,"), std::string::npos);
}

}  // namespace
}  // namespace shakedown::compare
