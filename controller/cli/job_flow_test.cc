// submit and watch from end to end.
#include <gmock/gmock.h>

#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

#include "absl/time/clock.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "controller/cli/job_views.h"

namespace shakedown::cli {
namespace {

using grpc::ServerContext;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

v1::JobView EndedJob(v1::Outcome outcome = v1::OUTCOME_MEASURED) {
  v1::JobView job = MakeJob(1);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(1), outcome, outcome == v1::OUTCOME_MEASURED ? "" : "why it ended");
  EndJob(job);
  return job;
}

TEST_F(FlowTest, SubmitSendsTheJobAndTheToken) {
  v1::SubmitJobRequest seen;
  service_.submit = [&](const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response) {
    seen = request;
    response->set_job(17);
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall({"--blocks", "4", "--title", "one", "--machine", "vm1"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("Job 17 is submitted"), HasSubstr("shakedown watch 17")));
  EXPECT_EQ(service_.token, "Bearer sd_secret");
  EXPECT_TRUE(IsUuid(seen.request_id()));
  EXPECT_EQ(seen.spec().variants(1).kernel(), "debian-6.12");
  EXPECT_TRUE(seen.spec().loads(0).has_latt());
  EXPECT_EQ(seen.spec().blocks(), 4);
  EXPECT_EQ(seen.spec().title(), "one");
  EXPECT_EQ(seen.spec().machines().names(0), "vm1");
}

TEST_F(FlowTest, SubmitReadsListsOfJobsScriptsAndActivities) {
  v1::SubmitJobRequest seen;
  service_.submit = [&](const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response) {
    seen = request;
    response->set_job(17);
    return grpc::Status::OK;
  };
  const std::string script = testing::TempDir() + "/loads_flow_script";
  std::ofstream(script) << "#!/bin/sh\nexit 0\n";
  const std::vector<std::string> words = {"submit",
                                          "--baseline",
                                          "a",
                                          "--challenger",
                                          "b",
                                          "--load",
                                          "make jobs=1,2x",
                                          "--load",
                                          "command parallel=2 script=" + script,
                                          "--background",
                                          "audio",
                                          "--background",
                                          "command nice=5 -- sleep 'a b'"};
  EXPECT_EQ(RunCommand(words).code, kOk);
  ASSERT_EQ(seen.spec().loads_size(), 3);
  EXPECT_EQ(seen.spec().loads(0).make().jobs(), 1);
  EXPECT_EQ(seen.spec().loads(1).make().jobs_per_cpu(), 2);
  EXPECT_EQ(seen.spec().loads(2).command().script(), "#!/bin/sh\nexit 0\n");
  ASSERT_EQ(seen.spec().background_size(), 2);
  EXPECT_TRUE(seen.spec().background(0).audio());
  EXPECT_EQ(seen.spec().background(1).command().words(1), "a b");
  std::remove(script.c_str());
  const Result gone = RunCommand(
      {"submit", "--baseline", "a", "--challenger", "b", "--load", "command script=" + script});
  EXPECT_NE(gone.code, kOk);
  EXPECT_THAT(gone.err,
              AllOf(HasSubstr("--load"), HasSubstr("script="), HasSubstr("No such file")));
  const Result loud = RunCommand(
      {"submit", "--baseline", "a", "--challenger", "b", "--load", "make", "--background", "loud"});
  EXPECT_EQ(loud.code, kUsage);
  EXPECT_THAT(loud.err, AllOf(HasSubstr("--background"), HasSubstr("\"loud\"")));
}

TEST_F(FlowTest, SubmitAsksAgainWithTheSameRequestId) {
  std::vector<std::string> ids;
  service_.submit = [&](const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response) {
    ids.push_back(request.request_id());
    if (ids.size() == 1) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "database is away");
    if (ids.size() == 2) return grpc::Status(grpc::StatusCode::UNKNOWN, "commit in doubt");
    response->set_job(17);
    response->add_remarks("loads 1 and 2 are the same\x1b[2J");
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall({"--json"});
  EXPECT_EQ(result.code, kOk) << result.err;
  ASSERT_EQ(ids.size(), 3);
  EXPECT_THAT(ids, ElementsAre(ids[0], ids[0], ids[0]));
  EXPECT_EQ(Times("trying again", result.err), 1);
  EXPECT_THAT(result.out, HasSubstr("\"job\": \"17\""));
  EXPECT_THAT(result.out, HasSubstr("\"remarks\": ["));
  EXPECT_THAT(result.err, HasSubstr("note: loads 1 and 2 are the same"));
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
}

TEST_F(FlowTest, SubmitFindsAFarmThatStartsLate) {
  service_.submit = [&](const v1::SubmitJobRequest&, v1::SubmitJobResponse* response) {
    response->set_job(17);
    return grpc::Status::OK;
  };
  Stop();
  clock_.hook = [&] {
    if (server_ == nullptr) Start();
  };
  EXPECT_EQ(SubmitSmall().code, kOk);
}

TEST_F(FlowTest, SubmitSaysInOneLineWhatTheFarmRefuses) {
  for (const grpc::StatusCode code :
       {grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::NOT_FOUND}) {
    service_.submit = [&](const v1::SubmitJobRequest&, v1::SubmitJobResponse*) {
      return grpc::Status(code, "kernel \"debian-6.x\": not in the catalog");
    };
    const Result result = SubmitSmall();
    EXPECT_EQ(result.code, kUsage);
    EXPECT_EQ(result.err, "shakedown: kernel \"debian-6.x\": not in the catalog\n");
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(FlowTest, SubmitRefusesHalfAJob) {
  EXPECT_EQ(RunCommand({"submit", "--baseline", "a"}).code, kUsage);
  const Result load =
      RunCommand({"submit", "--baseline", "a", "--challenger", "b", "--load", "iotest"});
  EXPECT_EQ(load.code, kUsage);
  EXPECT_THAT(load.err, AllOf(HasSubstr("--load"), HasSubstr("iotest")));
  const Result both = RunCommand({"submit", "job.txtpb", "--load", "latt"});
  EXPECT_EQ(both.code, kUsage);
  EXPECT_THAT(both.err, HasSubstr("job.txtpb"));
}

TEST_F(FlowTest, OptionsWinOverTheJobFile) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/job.txtpb",
                                  "title: \"file\" blocks: 3 machines { names: \"vm9\" }")
                  .ok());
  v1::JobSpec seen;
  service_.submit = [&](const v1::SubmitJobRequest& request, v1::SubmitJobResponse*) {
    seen = request.spec();
    return grpc::Status::OK;
  };
  EXPECT_EQ(
      RunCommand({"submit", folder_ + "/job.txtpb", "--blocks", "5", "--machine", "vm1"}).code,
      kOk);
  EXPECT_EQ(seen.title(), "file");
  EXPECT_EQ(seen.blocks(), 5);
  EXPECT_THAT(seen.machines().names(), ElementsAre("vm1"));
}

TEST_F(FlowTest, BlocksWithoutTimeLeaveTheVerdictOfTheOthers) {
  std::string conclusion;
  service_.watch = [&](ServerContext*, grpc::ServerWriter<v1::JobView>* writer) {
    v1::JobView job = MakeJob(9);
    job.mutable_spec()->set_budget_s(3600);
    for (v1::BootView& boot : *job.mutable_boots()) {
      End(boot, boot.block() < 9 ? v1::OUTCOME_MEASURED : v1::OUTCOME_CANCELLED);
    }
    EndJob(job);
    job.set_end_reason("time budget of 1 h spent");
    writer->Write(job);
    return grpc::Status::OK;
  };
  service_.report = [&](const v1::GetReportRequest&, v1::GetReportResponse* response) {
    response->set_conclusion(conclusion);
    return grpc::Status::OK;
  };
  for (const auto& [word, want] :
       {std::pair("decided", 0), {"worse", 1}, {"inconclusive", 4}, {"none", 4}}) {
    conclusion = word;
    const Result result = RunCommand({"watch", "17"});
    EXPECT_EQ(result.code, want) << word;
    EXPECT_THAT(result.out, HasSubstr("ended: time budget of 1 h spent\n"));
  }
}

struct ExitCase {
  const char* name;
  v1::Outcome outcome;
  int want;
};
class WatchExitTest : public FlowTest, public testing::WithParamInterface<ExitCase> {};
TEST_P(WatchExitTest, OfWaitAndWatch) {
  service_.submit = [&](const v1::SubmitJobRequest&, v1::SubmitJobResponse* response) {
    response->set_job(17);
    return grpc::Status::OK;
  };
  service_.watch = [&](ServerContext*, grpc::ServerWriter<v1::JobView>* writer) {
    writer->Write(MakeJob(1));
    writer->Write(EndedJob(GetParam().outcome));
    return grpc::Status::OK;
  };
  service_.report = [&](const v1::GetReportRequest&, v1::GetReportResponse* response) {
    response->set_text("the report\n");
    return grpc::Status::OK;
  };
  const Result watch = RunCommand({"watch", "17"});
  EXPECT_EQ(watch.code, GetParam().want);
  EXPECT_THAT(watch.out, AllOf(HasSubstr("17.1A debian-6.1: measured"),
                               HasSubstr("Job 17: CFS against EEVDF: done after"),
                               HasSubstr("shakedown report 17")));
  const Result wait = SubmitSmall({"--wait"});
  EXPECT_EQ(wait.code, GetParam().want);
  EXPECT_THAT(wait.out, HasSubstr("\nthe report\n"));
}
INSTANTIATE_TEST_SUITE_P(, WatchExitTest,
                         testing::ValuesIn<ExitCase>({
                             {"Done", v1::OUTCOME_MEASURED, 0},
                             {"FarmFailed", v1::OUTCOME_FARM_FAILED, 2},
                             {"KernelFailed", v1::OUTCOME_PANICKED, 3},
                         }),
                         [](const auto& test) { return test.param.name; });

struct VerdictCase {
  const char* name;
  uint32_t blocks;
  const char* conclusion;
  int want;
};
class VerdictExitTest : public FlowTest, public testing::WithParamInterface<VerdictCase> {};
TEST_P(VerdictExitTest, OfWaitAndWatch) {
  service_.submit = [&](const v1::SubmitJobRequest&, v1::SubmitJobResponse* response) {
    response->set_job(17);
    return grpc::Status::OK;
  };
  service_.watch = [&](ServerContext*, grpc::ServerWriter<v1::JobView>* writer) {
    v1::JobView job = EndedJob(v1::OUTCOME_MEASURED);
    job.mutable_spec()->set_blocks(GetParam().blocks);
    writer->Write(job);
    return grpc::Status::OK;
  };
  service_.report = [&](const v1::GetReportRequest&, v1::GetReportResponse* response) {
    response->set_text("the report\n");
    response->set_conclusion(GetParam().conclusion);
    return grpc::Status::OK;
  };
  EXPECT_EQ(RunCommand({"watch", "17"}).code, GetParam().want);
  EXPECT_EQ(SubmitSmall({"--wait"}).code, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(, VerdictExitTest,
                         testing::ValuesIn<VerdictCase>({
                             {"NotWorse", 8, "decided", 0},
                             {"Worse", 8, "worse", 1},
                             {"Inconclusive", 8, "inconclusive", 4},
                             {"NoneWasPossible", 8, "none", 0},
                             {"TooFewBlocksAreNotAsked", 2, "worse", 0},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST_F(FlowTest, AVerdictThatCanNotBeHadIsNoSuccess) {
  service_.watch = [&](ServerContext*, grpc::ServerWriter<v1::JobView>* writer) {
    v1::JobView job = EndedJob(v1::OUTCOME_MEASURED);
    job.mutable_spec()->set_blocks(8);
    writer->Write(job);
    return grpc::Status::OK;
  };
  const Result result = RunCommand({"watch", "17"});
  EXPECT_EQ(result.code, kFarmFailed);
  EXPECT_THAT(result.err, HasSubstr("no verdict"));
}

TEST_F(FlowTest, WaitWithJsonPrintsOneDocument) {
  service_.submit = [&](const v1::SubmitJobRequest&, v1::SubmitJobResponse* response) {
    response->set_job(17);
    return grpc::Status::OK;
  };
  service_.watch = [&](ServerContext*, grpc::ServerWriter<v1::JobView>* writer) {
    writer->Write(EndedJob());
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall({"--wait", "--json"});
  EXPECT_EQ(result.code, kOk);
  EXPECT_EQ(result.out.front(), '{');
  EXPECT_THAT(result.out, HasSubstr("\"state\": \"JOB_STATE_DONE\""));
  EXPECT_EQ(Times("\n}\n", result.out), 1);
  EXPECT_THAT(result.err, HasSubstr("17.1A debian-6.1: measured"));
}

TEST_F(FlowTest, FailFastLeavesAtTheFirstKernelThatFails) {
  service_.watch = [&](ServerContext* context, grpc::ServerWriter<v1::JobView>* writer) {
    v1::JobView job = MakeJob(2);
    writer->Write(job);
    End(*job.mutable_boots(0), v1::OUTCOME_FARM_FAILED);
    writer->Write(job);
    End(*job.mutable_boots(1), v1::OUTCOME_PANICKED);
    writer->Write(job);
    while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
    return grpc::Status::OK;
  };
  const Result result = RunCommand({"watch", "17", "--fail-fast"});
  EXPECT_EQ(result.code, kKernelFailed);
  EXPECT_THAT(result.err, HasSubstr("a kernel has failed. job 17 goes on"));
  EXPECT_THAT(result.out, HasSubstr("panicked"));
}

TEST_F(FlowTest, WatchGoesOnThroughARestart) {
  std::mutex mutex;
  std::condition_variable changed;
  bool sent = false;
  bool restarted = false;
  service_.watch = [&](ServerContext* context, grpc::ServerWriter<v1::JobView>* writer) {
    std::unique_lock lock(mutex);
    if (restarted) {
      writer->Write(EndedJob());
      return grpc::Status::OK;
    }
    writer->Write(MakeJob(1));
    sent = true;
    changed.notify_all();
    while (!context->IsCancelled()) changed.wait_for(lock, std::chrono::milliseconds(5));
    return grpc::Status::CANCELLED;
  };
  std::thread killer([&] {
    {
      std::unique_lock lock(mutex);
      if (!changed.wait_for(lock, std::chrono::seconds(30), [&] { return sent; })) return;
    }
    clock_.passed_s = 3600;  // A job in the queue says nothing for long.
    Stop();
  });
  clock_.hook = [&] {
    if (killer.joinable()) killer.join();
    if (server_ != nullptr) return;
    {
      std::unique_lock lock(mutex);
      restarted = true;
    }
    Start();
  };
  const Result result = RunCommand({"watch", "17"});
  if (killer.joinable()) killer.join();
  Stop();  // The handler may still hold what is on this stack.
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(Times("trying again", result.err), 1);
  EXPECT_EQ(Times("Job 17: CFS against EEVDF: active", result.out), 1);
  EXPECT_THAT(result.out, HasSubstr("17.1A debian-6.1: measured"));
}

TEST_F(FlowTest, CtrlCLeavesTheJobRunning) {
  service_.submit = [&](const v1::SubmitJobRequest&, v1::SubmitJobResponse* response) {
    response->set_job(17);
    return grpc::Status::OK;
  };
  std::mutex mutex;
  std::condition_variable changed;
  service_.watch = [&](ServerContext* context, grpc::ServerWriter<v1::JobView>* writer) {
    writer->Write(MakeJob(1));
    interrupt_.came = true;
    std::unique_lock lock(mutex);
    while (!context->IsCancelled()) changed.wait_for(lock, std::chrono::milliseconds(5));
    return grpc::Status::CANCELLED;
  };
  const Result result = SubmitSmall({"--wait"});
  Stop();  // The handler may still hold what is on this stack.
  EXPECT_EQ(result.code, kInterrupted);
  EXPECT_THAT(result.err, AllOf(HasSubstr("job 17 goes on"), HasSubstr("shakedown watch 17"),
                                HasSubstr("shakedown cancel 17")));
}

TEST_F(FlowTest, AnUnknownJobIsWrongUsage) {
  service_.watch = [&](ServerContext*, grpc::ServerWriter<v1::JobView>*) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "job 99: there is none");
  };
  const Result result = RunCommand({"watch", "99"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_EQ(result.err, "shakedown: job 99: there is none\n");
}

}  // namespace
}  // namespace shakedown::cli
