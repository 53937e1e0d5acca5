#include "controller/compare/make_report.h"

#include <gtest/gtest.h>

#include "controller/compare/print_report.h"

namespace shakedown::compare {
namespace {

// One metric, as many variants and blocks as wanted; variant v measures v + 1 in every block.
v1::ReportData Uniform(uint32_t variants, uint32_t blocks) {
  v1::ReportData data;
  data.mutable_job()->mutable_spec()->add_loads()->mutable_make();
  for (uint32_t v = 0; v < variants; ++v) data.add_variants()->mutable_variant()->set_kernel("k");
  for (uint32_t b = 1; b <= blocks; ++b) {
    v1::PlannedBlock* block = data.mutable_job()->mutable_plan()->add_blocks();
    block->set_block(b);
    for (uint32_t v = 0; v < variants; ++v) {
      block->add_variants(v);
      v1::ReportData::BootData* boot = data.add_boots();
      boot->mutable_view()->set_block(b);
      boot->mutable_view()->set_variant(v);
      boot->mutable_view()->set_outcome(v1::OUTCOME_MEASURED);
      v1::Measurement* m = boot->mutable_result()->add_load_runs()->add_measurements();
      m->set_metric("make.real");
      m->set_value(v + 1);
      m->set_unit("s");
    }
  }
  return data;
}

TEST(MakeReportTest, ABootIsOneValueHoweverManyIterations) {
  v1::ReportData data = Uniform(2, 2);
  v1::LoadRun* run = data.mutable_boots(0)->mutable_result()->mutable_load_runs(0);
  for (const double value : {5.0, 9.0}) {
    *run->add_measurements() = run->measurements(0);
    run->mutable_measurements(run->measurements_size() - 1)->set_value(value);
  }
  const v1::Report report = MakeReport(data);
  const v1::ReportRow& a = report.loads(0).metrics(0).rows(0);
  EXPECT_EQ(a.n(), 2u);
  EXPECT_EQ(a.boots(0).value(), 5);
  EXPECT_EQ(a.median(), 3);
}

TEST(MakeReportTest, WhatIsNotMeasuredGivesNoNumber) {
  for (int outcome = v1::OUTCOME_BUILD_FAILED; outcome <= v1::OUTCOME_CANCELLED; ++outcome) {
    v1::ReportData data = Uniform(2, 2);
    data.mutable_boots(1)->mutable_view()->set_outcome(static_cast<v1::Outcome>(outcome));
    const v1::Report report = MakeReport(data);
    const v1::ReportRow& b = report.loads(0).metrics(0).rows(1);
    EXPECT_EQ(b.n(), 1u) << outcome;
    EXPECT_FALSE(b.boots(0).has_value()) << outcome;
    ASSERT_EQ(report.failures_size(), 1) << outcome;
  }
}

TEST(MakeReportTest, NoChangeAgainstZero) {
  v1::ReportData data = Uniform(2, 1);
  data.mutable_boots(0)->mutable_result()->mutable_load_runs(0)->mutable_measurements(0)->set_value(
      0);
  const v1::Report report = MakeReport(data);
  EXPECT_FALSE(report.loads(0).metrics(0).rows(1).has_change_percent());
}

TEST(MakeReportTest, TheLargestJobStaysInTheTable) {
  const v1::Report report = MakeReport(Uniform(26, 1000));
  const std::string text = PrintReport(report);
  EXPECT_EQ(report.loads(0).metrics(0).rows(25).change_percent(), 2500);
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    ASSERT_LE(end - start, 78u) << text.substr(start, end - start);
  }
}

TEST(MakeReportTest, AnEmptyJobHasAReport) {
  const std::string text = PrintReport(MakeReport(Uniform(2, 0)));
  EXPECT_NE(text.find("no boot has given numbers"), std::string::npos);
}

}  // namespace
}  // namespace shakedown::compare
