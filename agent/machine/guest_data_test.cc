#include "agent/machine/guest_data.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/sanitise.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

v1::LoadRun ARun() {
  v1::LoadRun run;
  run.set_load(1);
  v1::Measurement* measurement = run.add_measurements();
  measurement->set_metric("make.real");
  measurement->set_value(12.5);
  measurement->set_unit("s");
  v1::Series* series = run.add_series();
  series->set_name("vmstat.cs");
  series->add_values(3);
  v1::LatencyHistogram* histogram = run.add_histograms();
  histogram->set_metric("latt.wakeup");
  for (const uint64_t smallest : {3, 70}) {
    histogram->add_smallest(smallest);
    histogram->add_count(2);
  }
  run.set_output("done\n");
  return run;
}

struct RunCase {
  std::string name;
  std::function<void(v1::LoadRun&)> change;
  std::string error;  // Part of the message; empty: accepted.
};
class CheckLoadRunTest : public testing::TestWithParam<RunCase> {};

TEST_P(CheckLoadRunTest, AcceptsOrNames) {
  v1::LoadRun run = ARun();
  GetParam().change(run);
  const absl::StatusOr<v1::LoadRun> checked = CheckLoadRun(1, run);
  EXPECT_EQ(checked.ok(), GetParam().error.empty()) << checked.status();
  EXPECT_THAT(std::string(checked.status().message()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    , CheckLoadRunTest,
    testing::ValuesIn<RunCase>({
        {"Good", [](v1::LoadRun&) {}, ""},
        {"OtherLoad", [](v1::LoadRun& r) { r.set_load(7); }, "load run of load 7"},
        {"NoMeasurements", [](v1::LoadRun& r) { r.clear_measurements(); }, "no measurements"},
        {"NotANumber", [](v1::LoadRun& r) { r.mutable_measurements(0)->set_value(std::nan("")); },
         "metric make.real: value nan: want a finite number"},
        {"Infinite",
         [](v1::LoadRun& r) {
           r.mutable_measurements(0)->set_value(std::numeric_limits<double>::infinity());
         },
         "finite"},
        {"UpperCase", [](v1::LoadRun& r) { r.mutable_measurements(0)->set_metric("Make"); },
         "metric \"Make\""},
        {"NoName", [](v1::LoadRun& r) { r.mutable_measurements(0)->clear_metric(); },
         "metric \"\""},
        {"LongName",
         [](v1::LoadRun& r) { r.mutable_measurements(0)->set_metric(std::string(97, 'a')); },
         "1 to 96"},
        {"LongestName",
         [](v1::LoadRun& r) { r.mutable_measurements(0)->set_metric(std::string(96, 'a')); }, ""},
        {"SeriesName", [](v1::LoadRun& r) { r.mutable_series(0)->set_name("../x"); },
         "series \"../x\""},
        {"TooMany",
         [](v1::LoadRun& r) {
           while (r.measurements_size() <= kMaxMeasurements) r.add_measurements()->set_metric("a");
         },
         "65537 measurements: want at most 65536"},
        {"TooManySeries",
         [](v1::LoadRun& r) {
           while (r.series_size() <= kMaxSeries) r.add_series()->set_name("a");
         },
         "257 series"},
        {"TooManyWarnings",
         [](v1::LoadRun& r) {
           while (r.warnings_size() <= kMaxWarnings) r.add_warnings("a");
         },
         "65 warnings"},
        {"HistogramName", [](v1::LoadRun& r) { r.mutable_histograms(0)->set_metric("a b"); },
         "histogram \"a b\""},
        {"HistogramHalves", [](v1::LoadRun& r) { r.mutable_histograms(0)->add_count(1); },
         "histogram latt.wakeup: 3 counts: want one for each of 2 buckets"},
        {"HistogramOrder", [](v1::LoadRun& r) { r.mutable_histograms(0)->set_smallest(1, 3); },
         "bucket 3 after 3: want them ascending"},
        {"TooManyHistograms",
         [](v1::LoadRun& r) {
           while (r.histograms_size() <= kMaxHistograms) r.add_histograms()->set_metric("a");
         },
         "16385 histograms"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(LoadRunTextTest, TextIsMadeHarmless) {
  v1::LoadRun run = ARun();
  run.set_output("a\xFF\0z");
  run.add_warnings("one\n\x1b[31mtwo");
  run.mutable_measurements(0)->set_unit("\x1b[31ms");
  const absl::StatusOr<v1::LoadRun> checked = CheckLoadRun(1, run);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->output(), "a\uFFFD");
  EXPECT_EQ(checked->warnings(0), "one two");
  EXPECT_EQ(checked->measurements(0).unit(), "s");
}

TEST(LoadRunTextTest, OutputIsBounded) {
  for (const char byte : {'a', '\xFF'}) {
    v1::LoadRun run = ARun();
    run.set_output(std::string(1 << 20, byte) + "end");
    const absl::StatusOr<v1::LoadRun> checked = CheckLoadRun(1, run);
    ASSERT_TRUE(checked.ok());
    EXPECT_LE(checked->output().size(), kMaxOutput);
    EXPECT_THAT(checked->output(), HasSubstr("bytes left out"));
    EXPECT_THAT(checked->output(), testing::EndsWith("end"));
    EXPECT_EQ(ToUtf8(checked->output()), checked->output());
  }
}

TEST(CleanFingerprintTest, KeepsGoodFactsOnly) {
  v1::Fingerprint fingerprint;
  (*fingerprint.mutable_facts())["cpu.model"] = "QEMU\n\x1b[0mCPU";
  (*fingerprint.mutable_facts())["Bad Name"] = "x";
  for (int i = 0; i < 500; ++i) (*fingerprint.mutable_facts())[absl::StrCat("f", i)] = "y";
  const v1::Fingerprint clean = CleanFingerprint(fingerprint);
  EXPECT_EQ(clean.facts_size(), kMaxFacts);
  EXPECT_EQ(clean.facts().at("cpu.model"), "QEMU CPU");
  EXPECT_EQ(clean.facts().count("Bad Name"), 0u);
}

TEST(CleanIdentityTest, TextIsBounded) {
  v1::Identity identity;
  identity.set_release(std::string(1 << 20, 'r'));
  identity.set_version("a\xFF");
  for (int i = 0; i < 1000; ++i) identity.add_tunables()->set_name("x");
  const v1::Identity clean = CleanIdentity(identity);
  EXPECT_EQ(clean.release().size(), kMaxText);
  EXPECT_EQ(clean.version(), "a\uFFFD");
  EXPECT_EQ(clean.tunables_size(), 256);
}

}  // namespace
}  // namespace shakedown::agent
