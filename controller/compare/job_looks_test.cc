#include "controller/compare/job_looks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/make_report.h"
#include "controller/compare/print_report.h"
#include "proto/wire/ids.h"

namespace shakedown::compare {
namespace {

using Kind = LookAnswer::Kind;

// A make load; variant v measures `seconds[v]` in each of `blocks` blocks, a little more in each.
// 0: it panics.
v1::ReportData Data(v1::StoppingRule rule, uint32_t blocks, const std::vector<double>& seconds) {
  v1::ReportData data;
  v1::JobView& job = *data.mutable_job();
  job.set_job(17);
  job.set_state(v1::JOB_STATE_ACTIVE);
  job.mutable_spec()->set_stopping(rule);
  job.mutable_spec()->set_blocks(rule == v1::STOPPING_RULE_FIXED ? blocks : 0);
  job.mutable_spec()->add_loads()->mutable_make();
  for (size_t v = 0; v < seconds.size(); ++v) {
    job.mutable_spec()->add_variants()->set_kernel("k");
    data.add_variants()->mutable_variant()->set_kernel("k");
  }
  for (uint32_t b = 1; b <= blocks; ++b) {
    v1::PlannedBlock* block = job.mutable_plan()->add_blocks();
    block->set_block(b);
    for (uint32_t v = 0; v < seconds.size(); ++v) {
      block->add_variants(v);
      v1::ReportData::BootData* boot = data.add_boots();
      boot->mutable_view()->set_name(FormatBootName({.job = 17, .block = b, .variant = v}));
      boot->mutable_view()->set_block(b);
      boot->mutable_view()->set_variant(v);
      boot->mutable_view()->set_state(v1::WORK_STATE_ENDED);
      boot->mutable_view()->set_outcome(v1::OUTCOME_PANICKED);
      if (seconds[v] == 0) continue;
      boot->mutable_view()->set_outcome(v1::OUTCOME_MEASURED);
      v1::Measurement* m = boot->mutable_result()->add_load_runs()->add_measurements();
      m->set_metric("make.real");
      m->set_value(seconds[v] * (1 + 0.0001 * b));
      m->set_unit("s");
    }
  }
  return data;
}

// B is now faster, now slower.
v1::ReportData Open(uint32_t blocks) {
  v1::ReportData data = Data(v1::STOPPING_RULE_LOOKS, blocks, {20, 20});
  for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
    if (boot.view().variant() == 0) continue;
    boot.mutable_result()->mutable_load_runs(0)->mutable_measurements(0)->set_value(
        boot.view().block() % 2 == 0 ? 15 : 25);
  }
  return data;
}

void AddLook(v1::ReportData& data, uint32_t after, const char* decision) {
  v1::LookView* look = data.mutable_job()->add_looks();
  look->set_look(static_cast<uint32_t>(data.job().looks_size()));
  look->set_after_blocks(after);
  look->set_decision(decision);
}

TEST(LookTest, WhatItSays) {
  const auto rule = v1::STOPPING_RULE_LOOKS;
  struct Case {
    v1::ReportData data;
    Kind kind;
    std::string text;
  };
  v1::ReportData renamed = Data(rule, 8, {20, 18});
  renamed.mutable_job()->mutable_spec()->add_primary_metrics("latt.wakeup.avg");
  for (const Case& c :
       {Case{Data(rule, 8, {20, 18}), Kind::kDecided, "make.real B better"},
        Case{Data(rule, 8, {20, 20}), Kind::kDecided, "make.real B same"},
        Case{Open(8), Kind::kOpen, "make.real B inconclusive"},
        Case{Data(rule, 8, {20, 0, 18}), Kind::kDecided, "make.real C better"},
        Case{Data(rule, 8, {20, 0}), Kind::kNoComparison, "no challenger was ever measured"},
        Case{Data(rule, 8, {0, 20}), Kind::kNoComparison, "the baseline was never measured"},
        Case{renamed, Kind::kNoPrimaries, "no primary metric was measured"},
        Case{Data(v1::STOPPING_RULE_FIXED, 3, {20, 18}), Kind::kOpen,
             "n < 6 blocks: insufficient, no verdict"},
        Case{Data(v1::STOPPING_RULE_FIXED, 8, {20, 18}), Kind::kDecided, "make.real B better"}}) {
    const LookAnswer answer = Look(c.data, 8);
    EXPECT_EQ(answer.kind, c.kind) << answer.text;
    EXPECT_EQ(answer.text, c.text);
  }
}

TEST(LookTest, TheControlDecidesNothing) {
  v1::ReportData data = Open(8);
  const LookAnswer with = Look(data, 8);
  EXPECT_EQ(with.kind, Kind::kOpen);
  data.mutable_job()->mutable_spec()->mutable_variants(1)->set_control(true);
  EXPECT_EQ(Look(data, 8).kind, Kind::kNoComparison);
}

TEST(JobLooksTest, BeforeTheFirstLookThereIsNoVerdict) {
  v1::ReportData data = Data(v1::STOPPING_RULE_LOOKS, 8, {20, 18});
  data.mutable_boots()->DeleteSubrange(6, 10);
  const v1::Report report = MakeReport(data);
  EXPECT_EQ(report.no_verdict(), "first look after 8 blocks, 3 are done");
  EXPECT_EQ(report.conclusion(), "none");
  EXPECT_EQ(report.loads(0).metrics(0).comparisons_size(), 0);
}

TEST(JobLooksTest, AnActiveJobIsJudgedAsOfItsLastLook) {
  v1::ReportData data = Open(12);
  AddLook(data, 8, "goes on");
  const v1::Report report = MakeReport(data);
  EXPECT_EQ(report.no_verdict(), "");
  EXPECT_EQ(report.judged_blocks(), 8u);
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.n(), 8u) << "blocks after the look are not in it";
  EXPECT_EQ(comparison.level(), 0.9779);
  const std::string text = PrintReport(report);
  EXPECT_NE(text.find("Looks      1 after 8 blocks: goes on\n"), std::string::npos) << text;
  EXPECT_NE(text.find("97.79% intervals of primary metrics"), std::string::npos) << text;
  EXPECT_NE(text.find("97.79% CI"), std::string::npos) << text;
}

TEST(JobLooksTest, SecondariesAreTestedAtTheEnd) {
  v1::ReportData data = Data(v1::STOPPING_RULE_LOOKS, 8, {20, 18});
  data.mutable_job()->mutable_spec()->add_primary_metrics("make.user");
  AddLook(data, 8, "goes on");
  v1::Report report = MakeReport(data);
  EXPECT_EQ(report.loads(0).metrics(0).role(), "secondary") << "the job names another";
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).mark(), "");
  EXPECT_FALSE(report.method().secondaries_tested());
  data.mutable_job()->set_state(v1::JOB_STATE_DONE);
  report = MakeReport(data);
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).mark(), "*");
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).level(), 0.95);
}

TEST(JobLooksTest, TheFirstOfThreeLooksIsStricterThanOne) {
  // Seven blocks of eight agree: p 0.0391, below 0.05 and not below 0.0221.
  for (const auto& [rule, mark] :
       {std::pair(v1::STOPPING_RULE_QUICK, "*"), {v1::STOPPING_RULE_LOOKS, "?"}}) {
    v1::ReportData data = Data(rule, 8, {20, 18});
    int turned = 0;
    for (v1::ReportData::BootData& boot : *data.mutable_boots()) {
      if (boot.view().variant() == 0 || boot.view().block() > 2) continue;
      v1::Measurement* m = boot.mutable_result()->mutable_load_runs(0)->mutable_measurements(0);
      m->set_value(++turned == 1 ? 20.3 : 20.1);
    }
    data.mutable_job()->set_state(v1::JOB_STATE_DONE);
    AddLook(data, 8, "last look");
    const v1::Report report = MakeReport(data);
    EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).mark(), mark)
        << report.loads(0).metrics(0).comparisons(0).p();
  }
}

TEST(JobLooksTest, ARepeatedBlockGivesItsPlaceToTheRepetition) {
  v1::ReportData data = Data(v1::STOPPING_RULE_LOOKS, 9, {20, 18});
  data.mutable_job()->mutable_plan()->mutable_blocks(8)->set_replaces(3);
  v1::BootView* view = data.mutable_boots(5)->mutable_view();  // 17.3B
  view->set_outcome(v1::OUTCOME_DISTURBED);
  view->set_reason("steal 3.4 %, at most 1 % is allowed");
  data.mutable_job()->set_state(v1::JOB_STATE_DONE);
  AddLook(data, 8, "decided");
  data.mutable_job()->set_end_reason("all primary metrics decided after 8 blocks");
  const v1::Report report = MakeReport(data);
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).n(), 8u);
  EXPECT_EQ(report.loads(0).metrics(0).rows(0).n(), 8u) << "17.3A is left out with its block";
  const std::string text = PrintReport(report);
  EXPECT_NE(text.find("Repeated   block 3 (17.3B disturbed: steal 3.4 %, at most 1 % is\n"
                      "           allowed) as block 9\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("State      done: all primary metrics decided after 8 blocks\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Left out: block 3 (17.3B disturbed)"), std::string::npos) << text;
}

TEST(JobLooksTest, ALookSawItsBlocksAndTheirRepetitions) {
  v1::ReportData data = Data(v1::STOPPING_RULE_LOOKS, 12, {20, 18});
  data.mutable_job()->mutable_plan()->mutable_blocks(8)->set_replaces(3);
  AddLook(data, 8, "goes on");
  EXPECT_EQ(MakeReport(data).judged_blocks(), 9u);
  AddLook(data, 11, "time budget");
  EXPECT_EQ(MakeReport(data).judged_blocks(), 12u);
}

TEST(JobLooksTest, APrimaryThatIsNotMeasuredDecidesNothing) {
  v1::ReportData data = Data(v1::STOPPING_RULE_FIXED, 8, {20, 18});
  data.mutable_job()->set_state(v1::JOB_STATE_DONE);
  data.mutable_job()->mutable_spec()->add_primary_metrics("make.real");
  EXPECT_EQ(MakeReport(data).conclusion(), "decided");
  data.mutable_job()->mutable_spec()->add_primary_metrics("mine.fps");
  const v1::Report report = MakeReport(data);
  EXPECT_EQ(report.conclusion(), "inconclusive");
  EXPECT_NE(PrintReport(report).find("Primary    make.real, mine.fps; not judged: mine.fps\n"),
            std::string::npos);
}

TEST(JobLooksTest, TheBudgetIsTold) {
  v1::ReportData data = Data(v1::STOPPING_RULE_LOOKS, 8, {20, 18});
  data.mutable_job()->mutable_spec()->set_budget_s(4 * 3600);
  EXPECT_NE(PrintReport(MakeReport(data))
                .find("Stopping   looks after 8, 16 and 24 blocks; time budget 4 h\n"),
            std::string::npos);
}

}  // namespace
}  // namespace shakedown::compare
