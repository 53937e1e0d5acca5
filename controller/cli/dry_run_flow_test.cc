// What `submit --dry-run` tells before anything is done.
#include <gmock/gmock.h>

#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "controller/cli/job_views.h"

namespace shakedown::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(FlowTest, DryRunPrintsThePlanAndSubmitsNothing) {
  service_.plan = [&](const v1::PlanJobRequest&, v1::PlanJobResponse* response) {
    response->add_builds("debian-6.12");
    response->add_have("debian-6.1");
    response->set_boots(4);
    response->set_estimate_s(1500);
    response->set_estimate_basis("no history");
    response->mutable_plan()->set_order_seed(99);
    for (uint32_t block = 1; block <= 2; ++block) {
      v1::PlannedBlock& planned = *response->mutable_plan()->add_blocks();
      planned.set_block(block);
      planned.add_variants(block - 1);
      planned.add_variants(2 - block);
    }
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall({"--dry-run"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(result.out,
            "2 variants, 1 load, 2 blocks, 4 boots\n"
            "variants\n  A  debian-6.1\n  B  debian-6.12\n"
            "loads of each boot\n  latt\n"
            "builds\n  debian-6.12  to be built\n  debian-6.1  there or under way\n"
            "boot order, seed 99\n  block 1:  A B\n  block 2:  B A\n"
            "estimate: 25 min (no history)\n");
}

TEST_F(FlowTest, ADryRunShowsTheSetupAsItWillBeDone) {
  v1::JobSpec asked;
  service_.plan = [&](const v1::PlanJobRequest& request, v1::PlanJobResponse*) {
    asked = request.spec();
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall(
      {"--setup", "governor performance", "--setup", "settle:load=0.5,limit=60", "--dry-run"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("setup of each boot, undone at its end\n  governor performance\n"
                        "  settle:load=0.5,limit=60\n"));
  ASSERT_EQ(asked.setup_size(), 2);
  EXPECT_EQ(asked.setup(1).settle().limit_s(), 60u);
  const Result wrong = SubmitSmall({"--setup", "turbo maybe"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("--setup: setup step \"turbo maybe\": want on or off"));
}

TEST_F(FlowTest, DryRunSaysWhatFindsAChange) {
  v1::PlanJobRequest seen;
  service_.plan = [&](const v1::PlanJobRequest& request, v1::PlanJobResponse* response) {
    seen = request;
    v1::DetectEstimate* estimate = response->add_detect();
    estimate->set_metric("make.real");
    estimate->set_sd(0.021);
    estimate->set_basis("16 blocks of A/A controls, jobs 3, 7 on vm1");
    estimate->set_blocks(12);
    estimate->set_boots(24);
    estimate->set_seconds(4200);
    estimate->set_detectable(0.039);
    *response->add_detect() = *estimate;
    response->mutable_detect(1)->set_metric("interbench.x.burn.latency.avg");
    response->mutable_detect(1)->set_blocks(0);
    response->mutable_detect(1)->set_detectable(0);
    response->set_detect_note("no past of latt.wakeup.avg");
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall({"--dry-run", "--detect", "3%"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_NEAR(seen.detect(), 0.03, 1e-12);
  EXPECT_THAT(result.out,
              HasSubstr("to find a change of 3% with a chance of 80%\n"
                        "  make.real  12 blocks, 24 boots, 1 h 10 min; this plan finds 3.9% or "
                        "more\n    noise: sd 2.1% a block, from 16 blocks of A/A controls, jobs "
                        "3, 7 on vm1\n"
                        "  interbench.x.burn.latency.avg  more than 1000 blocks; this plan is too "
                        "short to find anything\n    noise: sd 0.021 ms a block"));
  EXPECT_THAT(result.out, HasSubstr("  no past of latt.wakeup.avg\n"));
  const Result json = SubmitSmall({"--dry-run", "--detect", "0.03", "--json"});
  EXPECT_NEAR(seen.detect(), 0.03, 1e-12);
  EXPECT_THAT(json.out, HasSubstr("\"detectable\": 0.039"));
}

TEST_F(FlowTest, DryRunPrintsLooksBudgetAndControl) {
  service_.plan = [&](const v1::PlanJobRequest& request, v1::PlanJobResponse* response) {
    EXPECT_EQ(request.spec().variants_size(), 2) << "the farm adds the control";
    for (uint32_t block = 1; block <= 8; ++block) {
      response->mutable_plan()->add_blocks()->set_block(block);
    }
    response->set_boots(24);
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall(
      {"--dry-run", "--looks", "--budget", "4h", "--primary", "latt.wakeup.avg", "--control"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("3 variants, 1 load, 8 blocks, 24 boots\n"
                              "stopping: looks after 8, 16 and 24 blocks; time budget 4 h from the "
                              "first boot's start\nprimary metrics: latt.wakeup.avg\n"),
                    HasSubstr("  C  debian-6.1  (A again: the control)\n")));
}

}  // namespace
}  // namespace shakedown::cli
