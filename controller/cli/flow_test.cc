// Whole commands against a farm that speaks gRPC over a Unix socket in this process.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/job_views.h"
#include "controller/cli/run.h"
#include "proto/wire/files.h"
#include "shakedown/v1/farm.grpc.pb.h"

namespace shakedown::cli {
namespace {

using grpc::ServerContext;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Answers by the functions that a test puts in; the others stay unimplemented.
class FakeService : public v1::FarmService::Service {
 public:
  std::function<grpc::Status(const v1::SubmitJobRequest&, v1::SubmitJobResponse*)> submit;
  std::function<grpc::Status(const v1::PlanJobRequest&, v1::PlanJobResponse*)> plan;
  std::function<grpc::Status(ServerContext*, grpc::ServerWriter<v1::JobView>*)> watch;
  std::function<grpc::Status(const v1::ReadLogRequest&, grpc::ServerWriter<v1::LogChunk>*)> log;
  std::function<grpc::Status(const v1::AddKernelRequest&, v1::AddKernelResponse*)> add_kernel;
  std::function<grpc::Status(const v1::GetReportRequest&, v1::GetReportResponse*)> report;
  v1::ListJobsResponse jobs;
  v1::ListBuildsResponse builds;
  v1::ListKernelsResponse kernels;
  std::string token;  // As the last call had it.

 private:
  void Look(ServerContext* context) {
    const auto it = context->client_metadata().find("authorization");
    if (it != context->client_metadata().end()) token = {it->second.data(), it->second.size()};
  }
  template <typename Function, typename... Args>
  static grpc::Status Answer(const Function& function, Args&&... args) {
    if (!function) return {grpc::StatusCode::UNIMPLEMENTED, "not in this test"};
    return function(std::forward<Args>(args)...);
  }
  grpc::Status SubmitJob(ServerContext* context, const v1::SubmitJobRequest* request,
                         v1::SubmitJobResponse* response) override {
    Look(context);
    return Answer(submit, *request, response);
  }
  grpc::Status PlanJob(ServerContext*, const v1::PlanJobRequest* request,
                       v1::PlanJobResponse* response) override {
    return Answer(plan, *request, response);
  }
  grpc::Status WatchJob(ServerContext* context, const v1::GetJobRequest*,
                        grpc::ServerWriter<v1::JobView>* writer) override {
    Look(context);
    return Answer(watch, context, writer);
  }
  grpc::Status ReadLog(ServerContext*, const v1::ReadLogRequest* request,
                       grpc::ServerWriter<v1::LogChunk>* writer) override {
    return Answer(log, *request, writer);
  }
  grpc::Status AddKernel(ServerContext*, const v1::AddKernelRequest* request,
                         v1::AddKernelResponse* response) override {
    return Answer(add_kernel, *request, response);
  }
  grpc::Status GetReport(ServerContext*, const v1::GetReportRequest* request,
                         v1::GetReportResponse* response) override {
    return Answer(report, *request, response);
  }
  grpc::Status ListJobs(ServerContext* context, const v1::ListJobsRequest*,
                        v1::ListJobsResponse* response) override {
    Look(context);
    *response = jobs;
    return grpc::Status::OK;
  }
  grpc::Status ListBuilds(ServerContext*, const v1::ListBuildsRequest*,
                          v1::ListBuildsResponse* response) override {
    *response = builds;
    return grpc::Status::OK;
  }
  grpc::Status ListKernels(ServerContext*, const v1::ListKernelsRequest*,
                           v1::ListKernelsResponse* response) override {
    *response = kernels;
    return grpc::Status::OK;
  }
};

// Its hands move by Sleep() only, which also does what the test wants done meanwhile.
class HookedClock : public FakeClock {
 public:
  void Sleep(absl::Duration duration) override {
    Advance(duration);
    if (hook) hook();
  }
  std::function<void()> hook;
};

struct Result {
  int code;
  std::string out;
  std::string err;
};

class FlowTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/shakedown_flow_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/token", "sd_secret\n", 0600).ok());
    Start();
  }
  void TearDown() override {
    Stop();
    std::filesystem::remove_all(folder_);
  }

  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Address(), grpc::InsecureServerCredentials());
    builder.RegisterService(&service_);
    builder.SetMaxReceiveMessageSize(64 << 20);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void Stop() {
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  std::string Address() const { return absl::StrCat("unix:", folder_, "/farm.sock"); }

  Result RunCommand(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"--server", Address(), "--token-file", folder_ + "/token"});
    std::ostringstream out;
    std::ostringstream err;
    Screen screen(out, err, {});
    const int code = cli::Run(
        arguments, screen, [](const std::string&) { return std::nullopt; }, clock_, interrupt_);
    return {code, out.str(), err.str()};
  }
  Result SubmitSmall(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"submit",      "--baseline", "debian-6.1", "--challenger",
                                          "debian-6.12", "--load",     "latt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCommand(arguments);
  }

  std::string folder_;
  FakeService service_;
  std::unique_ptr<grpc::Server> server_;
  HookedClock clock_;
  Interrupt interrupt_;
};

size_t Times(const std::string& word, const std::string& text) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

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

TEST_F(FlowTest, SubmitAsksAgainWithTheSameRequestId) {
  std::vector<std::string> ids;
  service_.submit = [&](const v1::SubmitJobRequest& request, v1::SubmitJobResponse* response) {
    ids.push_back(request.request_id());
    if (ids.size() == 1) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "database is away");
    if (ids.size() == 2) return grpc::Status(grpc::StatusCode::UNKNOWN, "commit in doubt");
    response->set_job(17);
    return grpc::Status::OK;
  };
  const Result result = SubmitSmall({"--json"});
  EXPECT_EQ(result.code, kOk) << result.err;
  ASSERT_EQ(ids.size(), 3);
  EXPECT_THAT(ids, ElementsAre(ids[0], ids[0], ids[0]));
  EXPECT_EQ(Times("trying again", result.err), 1);
  EXPECT_EQ(result.out, "{\n \"job\": \"17\"\n}\n");
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

TEST_F(FlowTest, ASilentFarmIsTheFarmsFailure) {
  Stop();
  const Result result = RunCommand({"jobs"});
  EXPECT_EQ(result.code, kFarmFailed);
  EXPECT_THAT(result.err, HasSubstr("shakedown: the farm at unix:"));
  EXPECT_EQ(Times("\n", result.err), 1);
}

TEST_F(FlowTest, NamesTheTokenThatIsNotTaken) {
  service_.report = [&](const v1::GetReportRequest&, v1::GetReportResponse*) {
    return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "unknown token");
  };
  const Result result = RunCommand({"report", "17"});
  EXPECT_EQ(result.code, kOther);
  EXPECT_THAT(result.err, HasSubstr(folder_ + "/token"));
  EXPECT_THAT(result.err, Not(HasSubstr("sd_secret")));
}

TEST_F(FlowTest, LogsGoOnAtTheByteWhereTheStreamBroke) {
  std::vector<uint64_t> offsets;
  const std::string text = "one \x1b[31mred\x1b[0m\r\ntwo \xe6\xbc\xa2 three";
  service_.log = [&](const v1::ReadLogRequest& request, grpc::ServerWriter<v1::LogChunk>* writer) {
    offsets.push_back(request.offset());
    // Cut inside the escape sequence, then inside the character.
    const size_t end = offsets.size() == 1 ? 6 : offsets.size() == 2 ? 24 : text.size();
    v1::LogChunk chunk;
    chunk.set_offset(request.offset());
    chunk.set_data(text.substr(request.offset(), end - request.offset()));
    writer->Write(chunk);
    return offsets.size() < 3 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "restart")
                              : grpc::Status::OK;
  };
  const Result result = RunCommand({"logs", "17.1B"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_THAT(offsets, ElementsAre(0, 6, 24));
  EXPECT_EQ(result.out, "one red\ntwo 漢 three\n");
  offsets.clear();
  EXPECT_EQ(RunCommand({"logs", "17.1B", "--raw"}).out, text);
}

TEST_F(FlowTest, LogsFindABuildByTheBeginningOfItsId) {
  for (const char* id :
       {"3f2a91bc-0000-4000-8000-000000000000", "aaaaaaaa-0000-4000-8000-000000000000",
        "aaaaaaaa-1111-4000-8000-000000000000"}) {
    service_.builds.add_builds()->set_build_id(id);
  }
  std::string name;
  service_.log = [&](const v1::ReadLogRequest& request, grpc::ServerWriter<v1::LogChunk>*) {
    name = request.name();
    return grpc::Status::OK;
  };
  EXPECT_EQ(RunCommand({"logs", "3f2a91bc"}).code, kOk);
  EXPECT_EQ(name, "3f2a91bc-0000-4000-8000-000000000000");
  EXPECT_EQ(RunCommand({"logs", "aaaaaaaa"}).code, kUsage);
  EXPECT_EQ(RunCommand({"logs", "aaaaaaaa-1"}).code, kOk);
  EXPECT_EQ(RunCommand({"logs", "bbbbbbbb"}).code, kUsage);
  EXPECT_EQ(RunCommand({"logs", "../../etc/passwd"}).code, kUsage);
}

TEST_F(FlowTest, KernelsAddSendsThePatchesInOrder) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/0001 ü.patch", "--- a\n+++ b\n").ok());
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/2.patch", std::string(5 << 20, 'x')).ok());
  v1::AddKernelRequest seen;
  service_.add_kernel = [&](const v1::AddKernelRequest& request, v1::AddKernelResponse* response) {
    seen = request;
    response->mutable_kernel()->set_name(request.kernel().name());
    return grpc::Status::OK;
  };
  const Result result = RunCommand({"kernels", "add", "6.12-mine", "--from", "debian-6.12",
                                    "--patch", folder_ + "/0001 ü.patch", "--patch",
                                    folder_ + "/2.patch", "--config", "HZ=300"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(seen.kernel().name(), "6.12-mine");
  EXPECT_EQ(seen.from(), "debian-6.12");
  ASSERT_EQ(seen.patches_size(), 2);
  EXPECT_EQ(seen.patches(0).name(), "0001 ü.patch");
  EXPECT_EQ(seen.patches(0).content(), "--- a\n+++ b\n");
  EXPECT_EQ(seen.patches(0).strip(), 1);
  EXPECT_THAT(seen.config_options(), ElementsAre("HZ=300"));
}

TEST_F(FlowTest, KernelsAddRefusesWhatIsNoKernel) {
  const std::string patch = folder_ + "/big.patch";
  ASSERT_TRUE(WriteFileAtomically(patch, std::string((8 << 20) + 1, 'x')).ok());
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/empty.patch", "").ok());
  const auto add = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"kernels", "add"});
    more.insert(more.end(), {"--from", "debian-6.12"});
    const Result result = RunCommand(more);
    EXPECT_EQ(result.code, kUsage) << result.err;
    EXPECT_EQ(Times("\n", result.err), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(add({"x", "--patch", patch}), HasSubstr("8 MiB"));
  EXPECT_THAT(add({"x", "--patch", folder_ + "/empty.patch"}), HasSubstr("is empty"));
  EXPECT_THAT(add({"x", "--patch", folder_ + "/none\x1b[2J"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(add({"x"}), HasSubstr("nothing differs"));
  EXPECT_THAT(add({"x", "--config", "CONFIG_HZ_1000=y"}), HasSubstr("without CONFIG_"));
  EXPECT_THAT(add({"x", "--config", "HZ_1000"}), HasSubstr("OPTION=VALUE"));
  for (const char* name : {"", "a b", "a/b", "../a", "\"quoted\"", "🐧", "UPPER"}) {
    EXPECT_THAT(add({name, "--config", "HZ=1"}), HasSubstr("kernel"));
  }
  EXPECT_LT(add({std::string(300, 'n'), "--config", "HZ=1"}).size(), 300);
}

TEST_F(FlowTest, ListsAreTablesOrJson) {
  v1::JobView& job = *service_.jobs.add_jobs();
  job = EndedJob();
  job.mutable_spec()->set_title("\x1b]0;evil\x07title\nsecond");
  const Result table = RunCommand({"jobs"});
  EXPECT_EQ(table.code, kOk);
  EXPECT_EQ(
      table.out,
      "JOB  STATE  SUBMITTED         BY        TOOK  BLOCKS  VARIANTS                  TITLE\n"
      " 17  done   2027-01-15 08:00      23 min 4 s       1  debian-6.1 / debian-6.12  title "
      "second\n");
  const Result json = RunCommand({"jobs", "--json"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"job\": \"17\""), Not(HasSubstr("\x1b"))));
}

TEST_F(FlowTest, ShowsOneKernel) {
  service_.kernels.add_kernels()->set_name("debian-6.1");
  EXPECT_EQ(RunCommand({"kernels", "show", "debian-6.1"}).out, "name: \"debian-6.1\"\n");
  EXPECT_EQ(RunCommand({"kernels", "show", "debian-6.x"}).code, kUsage);
}

TEST_F(FlowTest, PrintsTheReport) {
  service_.report = [&](const v1::GetReportRequest& request, v1::GetReportResponse* response) {
    response->set_text(request.json() ? "{\"job\": 17}" : "\x1b[2Jload  A  B\n");
    return grpc::Status::OK;
  };
  EXPECT_EQ(RunCommand({"report", "17"}).out, "load  A  B\n");
  EXPECT_EQ(RunCommand({"report", "17", "--json"}).out, "{\"job\": 17}\n");
}

}  // namespace
}  // namespace shakedown::cli
