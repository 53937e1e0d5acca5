#include "controller/cli/exit_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "controller/cli/input_file.h"
#include "controller/cli/job_views.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

struct JobCase {
  const char* name;
  std::vector<v1::Outcome> outcomes;  // Of the boots of one block.
  int want;
};
class JobExitTest : public testing::TestWithParam<JobCase> {};
TEST_P(JobExitTest, SameInAnyOrder) {
  auto [name, outcomes, want] = GetParam();
  for (int turn = 0; turn < 2; ++turn) {
    v1::JobView job = MakeJob(1, static_cast<uint32_t>(outcomes.size()));
    for (size_t i = 0; i < outcomes.size(); ++i) {
      End(*job.mutable_boots(static_cast<int>(i)), outcomes[i]);
    }
    EndJob(job);
    EXPECT_EQ(ExitCodeOf(job), want);
    std::reverse(outcomes.begin(), outcomes.end());
  }
}
INSTANTIATE_TEST_SUITE_P(
    , JobExitTest,
    testing::ValuesIn<JobCase>({
        {"AllMeasured", {v1::OUTCOME_MEASURED, v1::OUTCOME_MEASURED}, kOk},
        {"BuildFailed", {v1::OUTCOME_MEASURED, v1::OUTCOME_BUILD_FAILED}, kKernelFailed},
        {"BootFailed", {v1::OUTCOME_MEASURED, v1::OUTCOME_BOOT_FAILED}, kKernelFailed},
        {"Panicked", {v1::OUTCOME_MEASURED, v1::OUTCOME_PANICKED}, kKernelFailed},
        {"Hung", {v1::OUTCOME_MEASURED, v1::OUTCOME_HUNG}, kKernelFailed},
        {"WrongKernel", {v1::OUTCOME_MEASURED, v1::OUTCOME_WRONG_KERNEL}, kKernelFailed},
        {"Ejected", {v1::OUTCOME_MEASURED, v1::OUTCOME_SCHEDULER_EJECTED}, kKernelFailed},
        {"LoadFailed", {v1::OUTCOME_MEASURED, v1::OUTCOME_LOAD_FAILED}, kKernelFailed},
        {"FarmFailed", {v1::OUTCOME_MEASURED, v1::OUTCOME_FARM_FAILED}, kFarmFailed},
        {"Disturbed", {v1::OUTCOME_MEASURED, v1::OUTCOME_DISTURBED}, kFarmFailed},
        {"FarmWinsOverKernel", {v1::OUTCOME_PANICKED, v1::OUTCOME_FARM_FAILED}, kFarmFailed},
        {"KernelWinsOverCancelled", {v1::OUTCOME_PANICKED, v1::OUTCOME_CANCELLED}, kKernelFailed},
        {"SomeCancelled", {v1::OUTCOME_MEASURED, v1::OUTCOME_CANCELLED}, kInconclusive},
    }),
    [](const auto& test) { return test.param.name; });

TEST(JobTest, OnlyTheLastAttemptCounts) {
  v1::JobView job = MakeJob(1);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(1), v1::OUTCOME_FARM_FAILED);
  End(Again(job, job.boots(1)), v1::OUTCOME_MEASURED);
  EndJob(job);
  EXPECT_EQ(ExitCodeOf(job), kOk);
  job.mutable_boots()->SwapElements(1, 2);
  EXPECT_EQ(ExitCodeOf(job), kOk);
}

TEST(JobTest, OfARepeatedBlockTheRepetitionCounts) {
  v1::JobView job = MakeJob(2);
  for (v1::BootView& boot : *job.mutable_boots()) End(boot, v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(1), v1::OUTCOME_DISTURBED);
  EndJob(job);
  EXPECT_EQ(ExitCodeOf(job), kFarmFailed);
  for (uint32_t block : {1u, 2u}) job.mutable_plan()->add_blocks()->set_block(block);
  job.mutable_plan()->mutable_blocks(1)->set_replaces(1);
  EXPECT_EQ(ExitCodeOf(job), kOk);
  End(*job.mutable_boots(0), v1::OUTCOME_PANICKED);
  EXPECT_EQ(ExitCodeOf(job), kKernelFailed) << "a finding stays one";
}

TEST(JobTest, CancelledAndActiveAreNotDone) {
  v1::JobView job = MakeJob(1);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(1), v1::OUTCOME_MEASURED);
  EXPECT_EQ(ExitCodeOf(job), kInconclusive);
  EndJob(job, v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(ExitCodeOf(job), kInconclusive);
}

TEST(ConclusionTest, Table) {
  EXPECT_EQ(ExitCodeOfConclusion("decided"), 0);
  EXPECT_EQ(ExitCodeOfConclusion("none"), 0);
  EXPECT_EQ(ExitCodeOfConclusion("worse"), 1);
  EXPECT_EQ(ExitCodeOfConclusion("inconclusive"), 4);
}

TEST(StatusExitTest, OneMeansWorseBesideVerdicts) {
  EXPECT_EQ(ExitCodeBesideVerdicts(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeBesideVerdicts(absl::InvalidArgumentError("")), 64);
  EXPECT_EQ(ExitCodeBesideVerdicts(absl::UnauthenticatedError("")), 2);
  EXPECT_EQ(ExitCodeBesideVerdicts(absl::InternalError("")), 2);
}

TEST(StatusExitTest, TellsWrongRequestsFromSilence) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), 64);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("")), 64);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), 2);
  EXPECT_EQ(ExitCodeOf(absl::DeadlineExceededError("")), 2);
  EXPECT_EQ(ExitCodeOf(absl::UnauthenticatedError("")), 1);
  EXPECT_EQ(ExitCodeOf(absl::InternalError("")), 1);
  const absl::Status no_file = ReadInput("/no/such/file", 1).status();
  EXPECT_EQ(ExitCodeOf(no_file), 66);
  EXPECT_EQ(ExitCodeOf(Annotate(no_file, "job file")), 66);
  EXPECT_EQ(ExitCodeBesideVerdicts(no_file), 66);
  EXPECT_EQ(ReadInput("/dev/null", 1).value(), "");
}

}  // namespace
}  // namespace shakedown::cli
