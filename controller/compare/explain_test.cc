#include "controller/compare/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/compare/make_report.h"
#include "proto/wire/ids.h"

namespace shakedown::compare {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two loads of two variants; B is slower by `change` in every block, with a little noise.
v1::ReportData Data(uint32_t blocks, double change) {
  v1::ReportData data;
  data.mutable_job()->set_job(17);
  data.mutable_job()->set_state(v1::JOB_STATE_DONE);
  v1::JobSpec& spec = *data.mutable_job()->mutable_spec();
  for (int l = 0; l < 2; ++l) spec.add_loads()->mutable_make()->set_jobs(l + 1);
  for (const char* kernel : {"old", "new"}) {
    spec.add_variants()->set_kernel(kernel);
    data.add_variants()->mutable_variant()->set_kernel(kernel);
  }
  spec.set_blocks(blocks);
  for (uint32_t b = 1; b <= blocks; ++b) {
    v1::PlannedBlock& block = *data.mutable_job()->mutable_plan()->add_blocks();
    block.set_block(b);
    for (uint32_t v = 0; v < 2; ++v) {
      block.add_variants(v);
      v1::ReportData::BootData& boot = *data.add_boots();
      boot.mutable_view()->set_name(FormatBootName({17, b, v, 1}));
      boot.mutable_view()->set_block(b);
      boot.mutable_view()->set_variant(v);
      boot.mutable_view()->set_attempt(1);
      boot.mutable_view()->set_state(v1::WORK_STATE_ENDED);
      boot.mutable_view()->set_outcome(v1::OUTCOME_MEASURED);
      boot.mutable_view()->set_machine("vm1");
      for (uint32_t l = 0; l < 2; ++l) {
        v1::LoadRun& run = *boot.mutable_result()->add_load_runs();
        run.set_load(l);
        for (uint32_t i = 1; i <= 3; ++i) {
          v1::Measurement& m = *run.add_measurements();
          m.set_metric("make.real");
          m.set_unit("s");
          m.set_iteration(i);
          m.set_warmup(i == 1);
          m.set_value((10 + 0.01 * b + 0.001 * i) * (v == 1 ? 1 + change : 1));
        }
      }
    }
  }
  return data;
}

std::string Explained(const v1::ReportData& data, const std::string& metric,
                      const std::string& letter = "") {
  const absl::StatusOr<std::string> text = Explain(data, MakeReport(data), metric, letter);
  return text.ok() ? *text : text.status().ToString();
}

TEST(Explain, GoesFromTheVerdictDownToEveryValue) {
  const std::string text = Explained(Data(8, 0.10), "2:make.real", "B");
  EXPECT_THAT(text, HasSubstr("make.real, B against A, job 17"));
  EXPECT_THAT(text, HasSubstr("verdict     worse"));
  EXPECT_THAT(text, HasSubstr("+10.00%"));
  EXPECT_THAT(text, HasSubstr("17.8B"));
  EXPECT_THAT(text, HasSubstr("warm-up"));
}

TEST(Explain, ABlockWithoutAPairIsNamedWithItsReason) {
  v1::ReportData data = Data(9, 0.10);
  data.mutable_boots(5)->mutable_view()->set_outcome(v1::OUTCOME_PANICKED);
  data.mutable_boots(5)->mutable_view()->set_reason("Oops");
  const std::string text = Explained(data, "1:make.real");
  EXPECT_THAT(text, HasSubstr("left out"));
  EXPECT_THAT(text, HasSubstr("block 3: 17.3B panicked"));
  EXPECT_THAT(text, HasSubstr("not used: panicked"));
}

TEST(Explain, ANameMustMeanOneThing) {
  const v1::ReportData data = Data(8, 0);
  EXPECT_THAT(Explained(data, "make.re"), HasSubstr("want one of 1:make.real, 2:make.real"));
  EXPECT_THAT(Explained(data, "1:make.re"), HasSubstr("verdict     same"));
  EXPECT_THAT(Explained(data, "latt.wakeup.avg"), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(Explained(data, "3:make.real"), HasSubstr("NOT_FOUND"));
  EXPECT_THAT(Explained(data, "1:make.real", "C"), HasSubstr("want a challenger of job 17: B"));
}

TEST(Explain, WithoutAVerdictTheValuesAreThere) {
  const std::string text = Explained(Data(2, 0.1), "1:make.real");
  EXPECT_THAT(text, HasSubstr("no verdict"));
  EXPECT_THAT(text, HasSubstr("17.2B"));
}

TEST(Explain, NothingForeignReachesATerminal) {
  v1::ReportData data = Data(2, 0.1);
  for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
    for (v1::LoadRun& run : *boot.mutable_result()->mutable_load_runs()) {
      for (v1::Measurement& m : *run.mutable_measurements()) m.set_unit("s\x1b[2J");
    }
  }
  EXPECT_THAT(Explained(data, "1:make.real"), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace shakedown::compare
