#include "controller/compare/latencies.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "controller/compare/make_report.h"

namespace shakedown::compare {
namespace {

v1::LatencyHistogram Histogram(const std::string& metric, uint64_t n, uint64_t value,
                               uint32_t iteration = 1) {
  v1::LatencyHistogram histogram;
  histogram.set_metric(metric);
  histogram.set_unit("us");
  histogram.set_iteration(iteration);
  histogram.add_smallest(value);
  histogram.add_count(n);
  histogram.set_max(value);
  histogram.set_duration_ms(30000);
  return histogram;
}

void AddMeasurement(v1::LoadRun* run, const std::string& metric, double value,
                    const std::string& unit) {
  v1::Measurement* m = run->add_measurements();
  m->set_metric(metric);
  m->set_value(value);
  m->set_unit(unit);
  m->set_iteration(1);
}

// `blocks` blocks; every boot has one histogram of `n` values of 100 (A) or 200 (B) us.
v1::ReportData Job(int blocks, uint64_t n, const std::string& metric = "latt.wakeup") {
  v1::ReportData data;
  data.mutable_job()->set_state(v1::JOB_STATE_DONE);
  data.mutable_job()->mutable_spec()->add_loads()->mutable_latt();
  for (const char* kernel : {"a", "b"}) {
    data.mutable_job()->mutable_spec()->add_variants()->set_kernel(kernel);
    data.add_variants()->mutable_variant()->set_kernel(kernel);
  }
  for (int b = 1; b <= blocks; ++b) {
    v1::PlannedBlock* block = data.mutable_job()->mutable_plan()->add_blocks();
    block->set_block(static_cast<uint32_t>(b));
    for (uint32_t v = 0; v < 2; ++v) {
      block->add_variants(v);
      v1::ReportData::BootData* boot = data.add_boots();
      boot->mutable_view()->set_name(absl::StrCat("1.", b, v == 0 ? "A" : "B"));
      boot->mutable_view()->set_block(static_cast<uint32_t>(b));
      boot->mutable_view()->set_variant(v);
      boot->mutable_view()->set_machine("vm1");
      boot->mutable_view()->set_outcome(v1::OUTCOME_MEASURED);
      v1::LoadRun* run = boot->mutable_result()->add_load_runs();
      *run->add_histograms() = Histogram(metric, n, v == 0 ? 100 : 200);
      AddMeasurement(run, absl::StrCat(metric, ".avg"), v == 0 ? 100 : 200, "us");
    }
  }
  return data;
}

const v1::ReportMetric* Find(const v1::Report& report, const std::string& name) {
  for (const v1::ReportMetric& metric : report.loads(0).metrics()) {
    if (metric.name() == name) return &metric;
  }
  return nullptr;
}

TEST(LatenciesTest, AQuantileNeedsTenValuesAboveIt) {
  for (const auto& [n, p50, p95, p99, p999] : {std::tuple(19, false, false, false, false),
                                               {20, true, false, false, false},
                                               {200, true, true, false, false},
                                               {999, true, true, false, false},
                                               {1000, true, true, true, false},
                                               {10000, true, true, true, true}}) {
    const v1::Report report = MakeReport(Job(2, static_cast<uint64_t>(n)));
    for (const auto& [kind, want] : {std::pair("p50", p50),
                                     {"p95", p95},
                                     {"p99", p99},
                                     {"p99.9", p999},
                                     {"worst1pct", p99},
                                     {"max", true}}) {
      const v1::ReportMetric* metric = Find(report, absl::StrCat("latt.wakeup.", kind));
      ASSERT_NE(metric, nullptr) << kind;
      EXPECT_EQ(metric->rows(0).boots(0).has_value(), want) << n << " " << kind;
      if (!want) continue;
      EXPECT_EQ(metric->rows(1).boots(0).value(), 200) << n << " " << kind;
    }
  }
}

TEST(LatenciesTest, IterationsAreMergedAndWarmUpsLeftOut) {
  v1::ReportData data = Job(1, 100);
  v1::LoadRun* run = data.mutable_boots(0)->mutable_result()->mutable_load_runs(0);
  *run->add_histograms() = Histogram("latt.wakeup", 100, 300, 2);
  *run->add_histograms() = Histogram("latt.wakeup", 5000, 9000, 3);
  run->mutable_histograms(2)->set_warmup(true);
  const v1::Report report = MakeReport(data);
  EXPECT_EQ(Find(report, "latt.wakeup.p50")->rows(0).boots(0).value(), 100);
  EXPECT_EQ(Find(report, "latt.wakeup.p95")->rows(0).boots(0).value(), 300);
  EXPECT_EQ(Find(report, "latt.wakeup.max")->rows(0).boots(0).value(), 300);
  const v1::ReportLatencyRow& row = report.loads(0).latencies(0).rows(0);
  EXPECT_EQ(row.boots(0).n(), 200u);
  EXPECT_EQ(row.boots(0).duration_ms(), 60000u);
}

TEST(LatenciesTest, TheHistogramWinsOverWhatTheRunnerComputed) {
  v1::ReportData data = Job(1, 15);
  for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
    AddMeasurement(boot.mutable_result()->mutable_load_runs(0), "latt.wakeup.p50", 77, "us");
  }
  EXPECT_FALSE(Find(MakeReport(data), "latt.wakeup.p50")->rows(0).boots(0).has_value())
      << "15 values are too few for a median";
  data.mutable_boots(0)->mutable_result()->mutable_load_runs(0)->clear_histograms();
  EXPECT_EQ(Find(MakeReport(data), "latt.wakeup.p50")->rows(0).boots(0).value(), 77)
      << "without a histogram";
}

TEST(LatenciesTest, ValuesAreInTheUnitOfTheMetric) {
  v1::ReportData data = Job(1, 50, "interbench.x.burn.latency");
  for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
    AddMeasurement(boot.mutable_result()->mutable_load_runs(0), "interbench.x.burn.latency.max",
                   0.1, "ms");
  }
  const v1::Report report = MakeReport(data);
  const v1::ReportMetric* p50 = Find(report, "interbench.x.burn.latency.p50");
  EXPECT_EQ(p50->unit(), "ms");
  EXPECT_EQ(p50->rows(1).boots(0).value(), 0.2);
  const v1::ReportLatency& latency = report.loads(0).latencies(0);
  EXPECT_EQ(latency.unit(), "ms");
  EXPECT_EQ(latency.rows(1).merged().max(), 0.2);
}

TEST(LatenciesTest, CurvesAreQuantiles) {
  const v1::Report report = MakeReport(Job(3, 50));
  ASSERT_EQ(report.loads(0).latencies_size(), 1);
  const v1::ReportLatency& latency = report.loads(0).latencies(0);
  EXPECT_EQ(latency.metric(), "latt.wakeup");
  EXPECT_FALSE(latency.from_intended_start());
  ASSERT_EQ(latency.rows_size(), 2);
  EXPECT_EQ(latency.rows(0).letter(), "A");
  EXPECT_EQ(latency.rows(0).boots_size(), 3);
  EXPECT_EQ(latency.rows(0).merged().n(), 150u);
  EXPECT_EQ(latency.rows(0).merged().values_size(), latency.shares_size());
  EXPECT_EQ(latency.shares(0), 0);
  EXPECT_EQ(latency.shares(latency.shares_size() - 1), 1);
}

TEST(LatenciesTest, MaximaOfUnlikeNumbersOrDurationsAreNotCompared) {
  const auto mark = [](uint64_t n, uint64_t duration_ms) {
    v1::ReportData data = Job(8, 1000);
    for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
      if (boot.view().variant() == 0) continue;
      v1::LatencyHistogram* histogram =
          boot.mutable_result()->mutable_load_runs(0)->mutable_histograms(0);
      histogram->set_count(0, n);
      histogram->set_duration_ms(duration_ms);
    }
    return Find(MakeReport(data), "latt.wakeup.max")->comparisons(0);
  };
  EXPECT_NE(mark(1000, 30000).verdict(), "not_comparable");
  EXPECT_NE(mark(1090, 30000).verdict(), "not_comparable");
  EXPECT_EQ(mark(1200, 30000).note(), "maxima of 1000 and 1200 values: more than 10 % apart");
  EXPECT_EQ(mark(1000, 36000).note(), "maxima over 30 and 36 s: more than 10 % apart");
}

TEST(LatenciesTest, TwoModesOfTheLatencies) {
  v1::ReportData data = Job(4, 1000);
  for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
    if (boot.view().variant() == 0) continue;
    v1::LatencyHistogram* histogram =
        boot.mutable_result()->mutable_load_runs(0)->mutable_histograms(0);
    histogram->add_smallest(4096);
    histogram->add_count(1000);
    histogram->set_max(4096);
  }
  const v1::Report report = MakeReport(data);
  const v1::ReportLatency& latency = report.loads(0).latencies(0);
  EXPECT_FALSE(latency.rows(0).has_modes());
  ASSERT_TRUE(latency.rows(1).has_modes());
  EXPECT_NEAR(latency.rows(1).modes().low_center(), 200, 1e-6);
  EXPECT_NEAR(latency.rows(1).modes().high_center(), 4096, 4);
  EXPECT_EQ(latency.rows(1).modes().low_share(), 0.5);
}

}  // namespace
}  // namespace shakedown::compare
