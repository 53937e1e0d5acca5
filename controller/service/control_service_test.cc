// A/A controls and what later jobs learn of them, over gRPC and a real database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/service/store_controls.h"
#include "controller/service/test_farm.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using ::testing::Not;
using Stub = v1::FarmService::Stub;

v1::JobSpec WithControl() {
  v1::JobSpec spec = SmallJob(8);
  spec.set_control(true);
  return spec;
}

// beta is 15 % slower than alpha; the control is `control` times alpha.
void RunAll(TestFarm& farm, int64_t job, double control) {
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  int boots = 0;
  agent.on_boot = [&](const v1::BootOrder& order) {
    const bool is_control = absl::StrContains(order.name(), "C");
    const double noise = 1 + 0.001 * (++boots * 7 % 5);
    return ScriptedAgent::Measured(order, noise * 20 *
                                              (is_control                 ? control
                                               : order.kernel() == "beta" ? 1.15
                                                                          : 1));
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
}

v1::GetReportResponse ReportOf(TestFarm& farm, int64_t job, const std::string& format = "text") {
  v1::GetReportRequest request;
  request.set_job(job);
  request.set_format(format);
  return farm.Call(&Stub::GetReport, request).value();
}

TEST(ControlServiceTest, AFailedControlWithholdsVerdictsAndMarksTheMachine) {
  TestFarm farm;
  const int64_t job = farm.Submit(WithControl()).value();
  EXPECT_THAT(ReportOf(farm, job).text(), Not(HasSubstr("C  ")));
  RunAll(farm, job, 1.3);
  const v1::GetReportResponse report = ReportOf(farm, job);
  EXPECT_EQ(report.conclusion(), "inconclusive");
  EXPECT_THAT(report.text(), HasSubstr("A/A control failed on vm1: make.real +"));
  ASSERT_TRUE(StoreOpenControls(farm.database()).ok());
  EXPECT_EQ(StoreOpenControls(farm.database()).value(), 0) << "once";
  const auto machines = farm.Call(&Stub::ListMachines, v1::ListMachinesRequest());
  EXPECT_THAT(machines->machines(0).detail(),
              HasSubstr(absl::StrCat("A/A control failed in job ", job, ": make.real +")));
}

TEST(ControlServiceTest, LaterJobsKnowTheNoise) {
  TestFarm farm;
  v1::PlanJobRequest ask;
  *ask.mutable_spec() = SmallJob(8);
  ask.set_detect(0.03);
  const auto before = farm.Call(&Stub::PlanJob, ask);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->detect_size(), 0);
  EXPECT_THAT(before->detect_note(), HasSubstr("no past of make.real"));

  const int64_t job = farm.Submit(WithControl()).value();
  RunAll(farm, job, 1);
  EXPECT_EQ(ReportOf(farm, job).conclusion(), "worse");
  ASSERT_TRUE(StoreOpenControls(farm.database()).ok());
  const auto after = farm.Call(&Stub::PlanJob, ask);
  ASSERT_TRUE(after.ok()) << after.status();
  ASSERT_EQ(after->detect_size(), 1);
  EXPECT_EQ(after->detect(0).metric(), "make.real");
  EXPECT_EQ(after->detect(0).basis(),
            absl::StrCat("8 blocks of A/A controls, job ", job, " on vm1"));
  EXPECT_GT(after->detect(0).blocks(), 0u);
  EXPECT_EQ(after->detect(0).boots(), 2 * after->detect(0).blocks());
  EXPECT_GT(after->detect(0).detectable(), 0);
  EXPECT_EQ(after->detect_note(), "");

  const int64_t later = farm.Submit(SmallJob(8)).value();
  RunAll(farm, later, 1);
  EXPECT_THAT(ReportOf(farm, later, "json").text(), HasSubstr("\"tests\": 1"));

  ask.mutable_spec()->mutable_machines()->add_tags("laptop");
  EXPECT_EQ(farm.Call(&Stub::PlanJob, ask).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ControlServiceTest, DetectIsAPart) {
  TestFarm farm;
  v1::PlanJobRequest ask;
  *ask.mutable_spec() = SmallJob(8);
  for (const double wrong : {-0.1, 1.0, 3.0}) {
    ask.set_detect(wrong);
    const auto answer = farm.Call(&Stub::PlanJob, ask);
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(answer.status().message(), HasSubstr("above 0 and below 1"));
  }
}

}  // namespace
}  // namespace shakedown::service
