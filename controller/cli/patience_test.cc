// What commands do without a farm, or without a disk, or without a user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/job_views.h"
#include "controller/cli/run.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;

// A farm from which nothing is heard; counts how it was asked.
class SilentFarm : public Farm {
 public:
  int asked = 0;
  int awaited = 0;
  std::function<absl::Status(const std::function<Next(const v1::JobView*)>&)> watch;

  absl::Status Silence() {
    ++asked;
    return absl::UnavailableError("no answer from the farm at nowhere");
  }
  absl::StatusOr<v1::SubmitJobResponse> SubmitJob(const v1::SubmitJobRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::PlanJobResponse> PlanJob(const v1::PlanJobRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::JobView> GetJob(const v1::GetJobRequest&) override { return Silence(); }
  absl::StatusOr<v1::ListJobsResponse> ListJobs(const v1::ListJobsRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::CancelJobResponse> CancelJob(const v1::CancelJobRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::ListAgentsResponse> ListAgents() override { return Silence(); }
  absl::StatusOr<v1::ListMachinesResponse> ListMachines() override { return Silence(); }
  absl::StatusOr<v1::ListKernelsResponse> ListKernels() override { return Silence(); }
  absl::StatusOr<v1::AddKernelResponse> AddKernel(const v1::AddKernelRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::RemoveKernelResponse> RemoveKernel(const v1::RemoveKernelRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::ListInputsResponse> ListInputs() override { return Silence(); }
  absl::StatusOr<v1::AddInputResponse> AddInput(
      const std::string&, const std::function<absl::StatusOr<std::string>()>&) override {
    return Silence();
  }
  absl::StatusOr<v1::ListBuildsResponse> ListBuilds(const v1::ListBuildsRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::ReproduceResponse> Reproduce(const v1::ReproduceRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::SetMachineResponse> SetMachine(const v1::SetMachineRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::SignBuildResponse> SignBuild(const v1::SignBuildRequest&) override {
    return Silence();
  }
  absl::StatusOr<v1::GetReportResponse> GetReport(const v1::GetReportRequest&) override {
    return Silence();
  }
  void AwaitConnection(absl::Duration) override { ++awaited; }
  absl::Status WatchJob(const v1::GetJobRequest&,
                        const std::function<Next(const v1::JobView*)>& on) override {
    return watch ? watch(on) : Silence();
  }
  absl::Status ReadLog(const v1::ReadLogRequest&,
                       const std::function<Next(const v1::LogChunk*)>&) override {
    return Silence();
  }
};

class PatienceTest : public testing::Test {
 protected:
  std::ostringstream out_;
  std::ostringstream err_;
  Screen screen_{out_, err_, {}};
  SilentFarm farm_;
  FakeClock clock_;
  Interrupt interrupt_;
  Desk desk_{screen_, farm_, clock_, interrupt_};
};

TEST_F(PatienceTest, WatchGivesUpOnAFarmThatNeverAnswered) {
  EXPECT_EQ(Watch(desk_, {.job = 17}), kFarmFailed);
  EXPECT_GE(clock_.Elapsed(), absl::Seconds(20));
  EXPECT_LT(clock_.Elapsed(), absl::Seconds(25));
  EXPECT_GT(farm_.asked, 5);
  EXPECT_THAT(err_.str(), HasSubstr("given up: no answer from the farm at nowhere"));
}

TEST_F(PatienceTest, WatchWaitsLongerForAFarmThatWasThere) {
  farm_.watch = [&](const std::function<Next(const v1::JobView*)>& on) {
    if (farm_.asked == 0) {
      const v1::JobView job = MakeJob(1);
      EXPECT_EQ(on(&job), Next::kGoOn);
    }
    return farm_.Silence();
  };
  EXPECT_EQ(Watch(desk_, {.job = 17}), kFarmFailed);
  EXPECT_GE(clock_.Elapsed(), absl::Minutes(2));
  EXPECT_LT(clock_.Elapsed(), absl::Minutes(3));
  EXPECT_THAT(err_.str(), HasSubstr("job 17 goes on"));
}

TEST_F(PatienceTest, AStreamThatEndsTooEarlyIsAskedForAgain) {
  int streams = 0;
  farm_.watch = [&](const std::function<Next(const v1::JobView*)>& on) {
    v1::JobView job = MakeJob(1);
    if (++streams > 1) {
      End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
      End(*job.mutable_boots(1), v1::OUTCOME_MEASURED);
      EndJob(job);
    }
    on(&job);
    return absl::OkStatus();
  };
  EXPECT_EQ(Watch(desk_, {.job = 17}), kOk);
  EXPECT_EQ(streams, 2);
}

TEST_F(PatienceTest, SubmitSaysThatTheJobMayBeThere) {
  SubmitArgs args;
  args.baseline = "a";
  args.challengers = {"b"};
  args.loads = {"latt"};
  EXPECT_EQ(Submit(desk_, args), kFarmFailed);
  EXPECT_GT(farm_.asked, 5);
  EXPECT_THAT(err_.str(), HasSubstr("the job may or may not have been taken: see shakedown jobs"));
}

TEST_F(PatienceTest, CtrlCEndsTheWaitingForAFarm) {
  farm_.watch = [&](const std::function<Next(const v1::JobView*)>&) {
    interrupt_.came = true;
    return farm_.Silence();
  };
  EXPECT_EQ(Watch(desk_, {.job = 17}), kInterrupted);
  EXPECT_EQ(farm_.asked, 1);
  EXPECT_TRUE(interrupt_.listening);
}

TEST_F(PatienceTest, AFullDiskIsNotSuccess) {
  out_.setstate(std::ios::badbit);
  EXPECT_EQ(
      cli::Run(
          {"--help"}, screen_, [](const std::string&) { return std::nullopt; }, clock_, interrupt_),
      kCannotWrite);
  EXPECT_THAT(err_.str(), HasSubstr("not everything could be written"));
}

TEST(ScreenTest, RedrawsOverWhatItDrew) {
  std::ostringstream out;
  std::ostringstream err;
  Screen screen(out, err,
                {.terminal = true, .size = [] { return ScreenSize{.columns = 6, .rows = 24}; }});
  screen.Redraw({{{"one"}}, {{"longer than it"}}});
  screen.Redraw({{{"two"}}});
  screen.KeepDrawn();
  screen.Redraw({{{"three"}}});
  EXPECT_EQ(out.str(), "one\nlonge…\n\x1b[2A\r\x1b[Jtwo\nthree\n");
}

TEST(ScreenTest, ColoursOnlyWhenAsked) {
  for (const bool colour : {false, true}) {
    std::ostringstream out;
    std::ostringstream err;
    Screen screen(out, err, {.terminal = true, .colour = colour});
    screen.Print(Line{{"17.1A: "}, {"measured\x1b[5m", Tone::kGood}});
    EXPECT_EQ(out.str(), colour ? "17.1A: \x1b[32mmeasured\x1b[0m\n" : "17.1A: measured\n");
  }
}

TEST(ScreenTest, ComplainsInOneVoice) {
  std::ostringstream out;
  std::ostringstream err;
  Screen screen(out, err, {});
  screen.Complain("first \x1b[2Jline\nsecond\n");
  EXPECT_EQ(err.str(), "shakedown: first line\n  second\n");
}

}  // namespace
}  // namespace shakedown::cli
