#include "controller/compare/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/compare/make_report.h"
#include "controller/compare/render_report.h"

namespace shakedown::compare {
namespace {

// A, B (10 % slower) and the control C, `blocks` blocks on each machine. C measures `control` times
// what A does, on vm1; on the others it is A.
v1::ReportData Job(int blocks, double control, std::vector<std::string> machines = {"vm1"}) {
  v1::ReportData data;
  data.mutable_job()->set_job(5);
  data.mutable_job()->set_state(v1::JOB_STATE_DONE);
  v1::JobSpec* spec = data.mutable_job()->mutable_spec();
  spec->add_loads()->mutable_make();
  spec->set_control(true);
  for (int v = 0; v < 3; ++v) {
    v1::Variant* variant = spec->add_variants();
    variant->set_kernel(v == 1 ? "k-b" : "k-a");
    variant->set_control(v == 2);
    *data.add_variants()->mutable_variant() = *variant;
  }
  uint32_t number = 0;
  for (const std::string& machine : machines) {
    for (int i = 0; i < blocks; ++i) {
      v1::PlannedBlock* block = data.mutable_job()->mutable_plan()->add_blocks();
      block->set_block(++number);
      for (uint32_t v = 0; v < 3; ++v) {
        block->add_variants((v + number) % 3);
        v1::ReportData::BootData* boot = data.add_boots();
        boot->mutable_view()->set_name(
            absl::StrCat("5.", number, std::string(1, static_cast<char>('A' + v))));
        boot->mutable_view()->set_block(number);
        boot->mutable_view()->set_variant(v);
        boot->mutable_view()->set_machine(machine);
        boot->mutable_view()->set_outcome(v1::OUTCOME_MEASURED);
        boot->mutable_result()->mutable_fingerprint()->mutable_facts()->insert({"gcc", "12"});
        const double noise = 1 + 0.002 * ((i * 7 + static_cast<int>(v) * 3) % 5 - 2);
        const double factor = v == 1 ? 1.1 : v == 2 && machine == "vm1" ? control : 1;
        v1::LoadRun* run = boot->mutable_result()->add_load_runs();
        for (const char* name : {"make.real", "make.user", "make.ctxt"}) {
          v1::Measurement* m = run->add_measurements();
          m->set_metric(name);
          m->set_value(20 * factor * noise);
          m->set_unit("s");
        }
      }
    }
  }
  return data;
}

std::string Printed(const v1::Report& report, const std::string& format) {
  v1::GetReportRequest request;
  request.set_format(format);
  request.set_all(true);
  return RenderReport(report, request).value();
}

TEST(ControlTest, NothingTellsOfItBeforeTheEnd) {
  v1::ReportData data = Job(8, 1.3);
  data.mutable_job()->set_state(v1::JOB_STATE_ACTIVE);
  v1::ReportData without = Job(8, 1.3);
  without.mutable_job()->set_state(v1::JOB_STATE_ACTIVE);
  without.mutable_variants()->RemoveLast();
  without.mutable_job()->mutable_spec()->mutable_variants()->RemoveLast();
  for (v1::PlannedBlock& block : *without.mutable_job()->mutable_plan()->mutable_blocks()) {
    auto* order = block.mutable_variants();
    order->erase(std::remove(order->begin(), order->end(), 2u), order->end());
  }
  auto* boots = without.mutable_boots();
  boots->erase(std::remove_if(boots->begin(), boots->end(),
                              [](const auto& boot) { return boot.view().variant() == 2; }),
               boots->end());
  for (const char* format : {"text", "markdown", "html", "csv", "json"}) {
    EXPECT_EQ(Printed(MakeReport(data), format), Printed(MakeReport(without), format)) << format;
  }
}

TEST(ControlTest, IsInNoOtherTableOrFamily) {
  const v1::Report report = MakeReport(Job(8, 1.0));
  EXPECT_EQ(report.variants_size(), 2);
  EXPECT_EQ(report.method().primaries(), 1u);
  EXPECT_EQ(report.method().secondaries(), 1u);
  EXPECT_EQ(report.loads(0).metrics(0).rows_size(), 2);
  EXPECT_EQ(report.order(0).size(), 2u);
  EXPECT_EQ(report.conclusion(), "worse");
  EXPECT_FALSE(absl::StrContains(Printed(report, "csv"), "5.1C"));
}

TEST(ControlTest, AQuietMachineHolds) {
  const v1::ReportControl control = JudgeControl(Job(8, 1.0));
  ASSERT_EQ(control.machines_size(), 1);
  EXPECT_EQ(control.letter(), "C");
  const v1::ReportControlMachine& machine = control.machines(0);
  EXPECT_EQ(machine.failure(), "");
  EXPECT_EQ(machine.tests(), 2u);
  EXPECT_EQ(machine.false_alarms(), 0u);
  ASSERT_EQ(machine.metrics_size(), 3);
  EXPECT_EQ(machine.metrics(0).n(), 8u);
  EXPECT_EQ(machine.metrics(0).mark(), "=");
  EXPECT_GT(machine.metrics(0).sd(), 0);
  EXPECT_LT(machine.metrics(0).sd(), 0.01);
}

TEST(ControlTest, AMachineThatFailsHasNoVerdict) {
  const v1::Report report = MakeReport(Job(8, 1.07));
  EXPECT_EQ(report.control().machines(0).failure(), "make.real +7.2%");
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.verdict(), "not_comparable");
  EXPECT_EQ(comparison.note(), "A/A control failed on vm1: make.real +7.2%");
  EXPECT_FALSE(comparison.has_estimate());
  EXPECT_EQ(report.conclusion(), "inconclusive");
  EXPECT_TRUE(absl::StrContains(Printed(report, "text"), "A/A control failed on vm1"));
}

TEST(ControlTest, ASmallFalseAlarmIsToldAndFailsNothing) {
  const v1::Report report = MakeReport(Job(8, 1.02));
  EXPECT_EQ(report.control().machines(0).failure(), "");
  EXPECT_EQ(report.control().machines(0).false_alarms(), 2u);
  EXPECT_TRUE(report.control().machines(0).metrics(0).false_alarm());
  EXPECT_EQ(report.loads(0).metrics(0).comparisons(0).verdict(), "worse");
}

TEST(ControlTest, TheOtherMachinesKeepTheirVerdicts) {
  const v1::Report report = MakeReport(Job(8, 1.07, {"vm1", "vm2"}));
  const v1::ReportComparison& comparison = report.loads(0).metrics(0).comparisons(0);
  EXPECT_EQ(comparison.verdict(), "worse");
  EXPECT_EQ(comparison.n(), 8u) << "the blocks of vm1 are left out";
  ASSERT_EQ(comparison.machines_size(), 2);
  EXPECT_EQ(comparison.machines(0).verdict(), "not_comparable");
  EXPECT_EQ(comparison.machines(1).verdict(), "worse");
}

TEST(ControlTest, FewBlocksAreNoTest) {
  const v1::ReportControl control = JudgeControl(Job(5, 1.5));
  EXPECT_EQ(control.machines(0).tests(), 0u);
  EXPECT_EQ(control.machines(0).failure(), "");
}

TEST(ControlTest, PastControlsArePooledWithTheJobsOwn) {
  v1::ReportData data = Job(8, 1.0);
  const double own = JudgeControl(data).machines(0).metrics(0).sd();
  v1::PastNoise* past = data.add_noise();
  past->set_machine("vm1");
  past->set_metric("make.real");
  past->set_tests(2);
  past->set_false_alarms(1);
  past->set_blocks(16);
  past->set_sd(own);
  v1::PastNoise* elsewhere = data.add_noise();
  *elsewhere = *past;
  elsewhere->set_machine("vm9");
  const v1::Report report = MakeReport(data);
  ASSERT_EQ(report.loads(0).metrics(0).noise_size(), 1);
  const v1::ReportNoise& noise = report.loads(0).metrics(0).noise(0);
  EXPECT_EQ(noise.tests(), 3u);
  EXPECT_EQ(noise.false_alarms(), 1u);
  EXPECT_EQ(noise.blocks(), 24u);
  EXPECT_NEAR(noise.sd(), own, 1e-12);
}

}  // namespace
}  // namespace shakedown::compare
