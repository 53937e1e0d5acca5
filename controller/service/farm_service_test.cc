// People against a controller: submit, look, refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "controller/service/add_kernel.h"
#include "controller/service/test_farm.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Stub = v1::FarmService::Stub;

v1::GetJobRequest JobRequest(int64_t job) {
  v1::GetJobRequest request;
  request.set_job(job);
  return request;
}

TEST(FarmServiceTest, EveryCallWantsAUsersToken) {
  TestFarm farm;
  const std::string agent = farm.Token(store::Role::kAgent, "host1");
  struct Case {
    std::string token;
    absl::StatusCode want;
  };
  for (const Case& c : {Case{"", absl::StatusCode::kUnauthenticated},
                        Case{"sd_user_0123456789012345678901234567890123456789",
                             absl::StatusCode::kUnauthenticated},
                        Case{agent, absl::StatusCode::kPermissionDenied}}) {
    EXPECT_EQ(farm.CallAs(c.token, &Stub::SubmitJob, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::PlanJob, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::GetJob, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::ListJobs, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::CancelJob, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::ListAgents, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::ListMachines, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::ListKernels, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::AddKernel, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::ListBuilds, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::GetReport, {}).status().code(), c.want);
    EXPECT_EQ(farm.CallAs(c.token, &Stub::Reproduce, {}).status().code(), c.want);
    grpc::ClientContext watch, log;
    TestFarm::Prepare(watch, c.token);
    TestFarm::Prepare(log, c.token);
    EXPECT_EQ(TestFarm::FromGrpc(farm.stub().WatchJob(&watch, {})->Finish()).code(), c.want);
    EXPECT_EQ(TestFarm::FromGrpc(farm.stub().ReadLog(&log, {})->Finish()).code(), c.want);
  }
}

TEST(FarmServiceTest, ARequestSentAgainIsTheSameJob) {
  TestFarm farm;
  v1::SubmitJobRequest request;
  request.set_request_id(NewUuid());
  *request.mutable_spec() = SmallJob(2);
  const auto first = farm.Call(&Stub::SubmitJob, request);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto again = farm.Call(&Stub::SubmitJob, request);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->job(), first->job());
  EXPECT_EQ(farm.Call(&Stub::ListJobs, {})->jobs_size(), 1);
  request.set_request_id(NewUuid());
  EXPECT_NE(farm.Call(&Stub::SubmitJob, request)->job(), first->job());
  request.set_request_id("my request");
  EXPECT_EQ(farm.Call(&Stub::SubmitJob, request).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(FarmServiceTest, AJobIsStoredWithItsPlanAndDefaults) {
  TestFarm farm;
  v1::JobSpec spec = SmallJob(3);
  spec.set_order_seed(42);
  const v1::JobView job = farm.Job(farm.Submit(spec).value());
  EXPECT_EQ(job.state(), v1::JOB_STATE_ACTIVE);
  EXPECT_EQ(job.submitter(), "ada");
  EXPECT_EQ(job.spec().title(), "alpha against beta");
  EXPECT_EQ(job.spec().max_attempts(), 3u);
  EXPECT_EQ(job.plan().order_seed(), 42u);
  EXPECT_EQ(job.plan().blocks_size(), 3);
  EXPECT_EQ(job.boots_size(), 6);
  EXPECT_EQ(job.builds_size(), 2);
  EXPECT_EQ(job.boots(0).state(), v1::WORK_STATE_WAITING);
  spec.set_order_seed(0);
  EXPECT_NE(farm.Job(farm.Submit(spec).value()).plan().order_seed(), 0u);
}

TEST(FarmServiceTest, BadJobsAreRefusedAndLeaveNothing) {
  TestFarm farm;
  ASSERT_TRUE(farm.Agent("host1", {"vm1"}).Sync(0).ok());
  struct Case {
    std::function<void(v1::JobSpec&)> spoil;
    std::string want;
  };
  for (const Case& c : {
           Case{[](auto& s) { s.set_blocks(0); }, "blocks 0: want 1 to 1000"},
           Case{[](auto& s) { s.set_blocks(1000000); }, "blocks 1000000"},
           Case{[](auto& s) { s.mutable_variants(1)->set_kernel("nosuch"); },
                "kernel \"nosuch\": not in"},
           Case{[](auto& s) { s.mutable_variants(1)->set_kernel("ancient"); }, "needs gcc 3.4"},
           Case{[](auto& s) { s.mutable_machines()->add_names("nowhere"); },
                "machine \"nowhere\": no such machine; there are vm1 (vm tcg)"},
           Case{[](auto& s) { s.mutable_machines()->add_tags("laptop"); }, "tags laptop: none"},
           Case{[](auto& s) { s.clear_loads(); }, "number of loads 0"},
       }) {
    v1::JobSpec spec = SmallJob(1);
    c.spoil(spec);
    const absl::Status status = farm.Submit(spec).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.want;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.want));
    EXPECT_EQ(status.message().find('\n'), absl::string_view::npos);
  }
  EXPECT_EQ(farm.Call(&Stub::ListJobs, {})->jobs_size(), 0);
  v1::JobSpec spec = SmallJob(1);
  spec.mutable_machines()->add_names("vm1");
  spec.mutable_machines()->add_tags("tcg");
  EXPECT_TRUE(farm.Submit(spec).ok());
}

TEST(FarmServiceTest, ADryRunSaysWhatWouldBeAndStoresNothing) {
  TestFarm farm;
  v1::PlanJobRequest request;
  *request.mutable_spec() = SmallJob(2);
  request.mutable_spec()->set_order_seed(7);
  const auto before = farm.Call(&Stub::PlanJob, request);
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_THAT(before->builds(), ElementsAre("alpha", "beta"));
  EXPECT_EQ(before->boots(), 4u);
  EXPECT_EQ(before->remarks_size(), 0);
  EXPECT_EQ(before->plan().blocks_size(), 2);
  EXPECT_GT(before->estimate_s(), 0u);
  EXPECT_THAT(before->estimate_basis(), HasSubstr("no history"));
  EXPECT_EQ(farm.Call(&Stub::ListJobs, {})->jobs_size(), 0);

  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(2)).value();
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const auto after = farm.Call(&Stub::PlanJob, request);
  EXPECT_THAT(after->have(), ElementsAre("alpha", "beta"));
  EXPECT_EQ(after->builds_size(), 0);
  EXPECT_THAT(after->estimate_basis(), HasSubstr("median of 4 with these loads"));

  *request.mutable_spec()->add_loads() = request.spec().loads(0);
  const auto twice = farm.Call(&Stub::PlanJob, request);
  ASSERT_EQ(twice->remarks_size(), 1);
  EXPECT_THAT(twice->remarks(0), HasSubstr("loads 1 and 2 are the same"));
}

TEST(FarmServiceTest, NumbersThatAreNoJobs) {
  TestFarm farm;
  EXPECT_EQ(farm.Call(&Stub::GetJob, JobRequest(999999)).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(farm.Call(&Stub::GetJob, JobRequest(999999)).status().message()),
              HasSubstr("999999"));
  EXPECT_EQ(farm.Call(&Stub::GetJob, JobRequest(-1)).status().code(),
            absl::StatusCode::kInvalidArgument);
  v1::CancelJobRequest cancel;
  cancel.set_job(999999);
  EXPECT_EQ(farm.Call(&Stub::CancelJob, cancel).status().code(), absl::StatusCode::kNotFound);
  v1::GetReportRequest report;
  report.set_job(999999);
  EXPECT_EQ(farm.Call(&Stub::GetReport, report).status().code(), absl::StatusCode::kNotFound);
  v1::ListJobsRequest list;
  list.set_limit(1001);
  EXPECT_EQ(farm.Call(&Stub::ListJobs, list).status().code(), absl::StatusCode::kInvalidArgument);
}

v1::AddKernelRequest AddRequest(const std::string& name) {
  v1::AddKernelRequest request;
  request.mutable_kernel()->set_name(name);
  request.set_from("alpha");
  v1::AddKernelRequest::PatchFile* patch = request.add_patches();
  patch->set_name("0001-mine.patch");
  patch->set_content("--- a/kernel/sched/fair.c\n+++ b/kernel/sched/fair.c\n@@ -1 +1 @@\n-a\n+b\n");
  patch->set_strip(1);
  request.add_config_options("SCHED_MINE=y");
  return request;
}

TEST(FarmServiceTest, ADevelopersPatchIsAKernel) {
  TestFarm farm;
  const v1::AddKernelRequest request = AddRequest("mine");
  const auto added = farm.Call(&Stub::AddKernel, request);
  ASSERT_TRUE(added.ok()) << added.status();
  ASSERT_EQ(added->kernel().patches_size(), 1);
  const std::string sha256 = added->kernel().patches(0).sha256();
  EXPECT_EQ(sha256, Sha256Hex(request.patches(0).content()));
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  EXPECT_EQ(agent.Get(sha256).value_or("?"), request.patches(0).content());
  EXPECT_TRUE(farm.Call(&Stub::AddKernel, request).ok()) << "the same again";

  v1::AddKernelRequest other = request;
  other.add_config_options("SCHED_OTHER=y");
  EXPECT_EQ(farm.Call(&Stub::AddKernel, other).status().code(), absl::StatusCode::kAlreadyExists);

  v1::JobSpec spec = SmallJob(1);
  spec.mutable_variants(1)->set_kernel("mine");
  const int64_t job = farm.Submit(spec).value();
  std::vector<std::string> patches;
  agent.on_build = [&](const v1::BuildOrder& order) {
    for (const std::string& patch : order.kernel().patch_sha256()) patches.push_back(patch);
    return agent.Built(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_THAT(patches, ElementsAre(sha256));
}

TEST(FarmServiceTest, BadKernelsAreRefused) {
  TestFarm farm;
  for (const std::string name :
       {"a b", "a/b", "../x", "a\"b", "a'b", "\xf0\x9f\x90\xa7", "", "ALPHA"}) {
    const absl::Status status = farm.Call(&Stub::AddKernel, AddRequest(name)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("kernel"));
  }
  EXPECT_EQ(farm.Call(&Stub::AddKernel, AddRequest(std::string(300, 'k'))).status().code(),
            absl::StatusCode::kInvalidArgument);
  struct Case {
    std::function<void(v1::AddKernelRequest&)> spoil;
    absl::StatusCode code;
    std::string want;
  };
  const auto bad = absl::StatusCode::kInvalidArgument;
  for (const Case& c : {
           Case{[](auto& r) { r.set_from("nosuch"); }, absl::StatusCode::kNotFound, "nosuch"},
           Case{[](auto& r) { r.set_from("../etc"); }, bad, "../etc"},
           Case{[](auto& r) { r.mutable_patches(0)->set_name("../../etc/cron.d/x"); }, bad,
                "want a file name"},
           Case{[](auto& r) { r.mutable_patches(0)->clear_content(); }, bad, "0 bytes, want 1 to"},
           Case{[](auto& r) { r.mutable_patches(0)->set_content(std::string(kMaxPatch + 1, 'x')); },
                bad, "want 1 to 8388608"},
           Case{[](auto& r) { r.mutable_patches(0)->set_content("root:x:0:0:\n"); }, bad,
                "patch 0001-mine.patch: has no line that begins with"},
           Case{[](auto& r) { r.add_config_options("not an option"); }, bad, "not an option"},
           Case{[](auto& r) { r.mutable_kernel()->set_name("alpha"); },
                absl::StatusCode::kAlreadyExists, "alpha"},
       }) {
    v1::AddKernelRequest request = AddRequest("mine");
    c.spoil(request);
    const absl::Status status = farm.Call(&Stub::AddKernel, request).status();
    EXPECT_EQ(status.code(), c.code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.want));
  }
  EXPECT_EQ(farm.Call(&Stub::ListKernels, {})->kernels_size(), 3);
}

TEST(FarmServiceTest, WatchShowsTheJobUntilItHasEnded) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(1)).value();
  grpc::ClientContext context;
  TestFarm::Prepare(context, farm.user_token());
  const auto stream = farm.stub().WatchJob(&context, JobRequest(job));
  v1::JobView view;
  ASSERT_TRUE(stream->Read(&view));
  EXPECT_EQ(view.state(), v1::JOB_STATE_ACTIVE);
  EXPECT_EQ(view.boots_size(), 2);
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  int updates = 0;
  while (stream->Read(&view)) ++updates;
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_GE(updates, 1);
  EXPECT_EQ(view.state(), v1::JOB_STATE_DONE);
  EXPECT_EQ(view.boots(0).outcome(), v1::OUTCOME_MEASURED);

  grpc::ClientContext unknown;
  TestFarm::Prepare(unknown, farm.user_token());
  EXPECT_EQ(farm.stub().WatchJob(&unknown, JobRequest(999))->Finish().error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(FarmServiceTest, ALogIsFollowedToItsEnd) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(1)).value();
  const std::string console = "Linux version 6.1\r\n\x1b[2J\xff raw bytes\n";
  agent.on_boot = [&](const v1::BootOrder& order) {
    EXPECT_TRUE(agent.AppendLog(order.attempt_id(), order.epoch(), 0, console).ok());
    return ScriptedAgent::Measured(order);
  };
  grpc::ClientContext context;
  TestFarm::Prepare(context, farm.user_token());
  v1::ReadLogRequest request;
  request.set_name(absl::StrCat(job, ".1A"));
  request.set_follow(true);
  const auto stream = farm.stub().ReadLog(&context, request);
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  std::string read;
  for (v1::LogChunk chunk; stream->Read(&chunk);) {
    EXPECT_EQ(chunk.offset(), read.size());
    read += chunk.data();
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(read, console);

  const auto error = [&](const std::string& name) {
    grpc::ClientContext again;
    TestFarm::Prepare(again, farm.user_token());
    request.set_name(name);
    return farm.stub().ReadLog(&again, request)->Finish().error_code();
  };
  EXPECT_EQ(error("nonsense"), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(error("99.1A"), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(error(NewUuid()), grpc::StatusCode::NOT_FOUND);
}

TEST(FarmServiceTest, ABootBecomesAScript) {
  TestFarm farm;
  v1::JobSpec job = SmallJob(1);
  job.add_setup()->set_governor("performance");
  ASSERT_TRUE(farm.Submit(job).ok());
  v1::ReproduceRequest request;
  request.set_boot("1.1B");
  const auto script = farm.Call(&Stub::Reproduce, request);
  ASSERT_TRUE(script.ok()) << script.status();
  EXPECT_THAT(script->script(), HasSubstr("# Repeats boot 1.1B by hand: it has not ended\n"));
  EXPECT_THAT(script->script(), HasSubstr("# catalog entry: beta\n"));
  EXPECT_THAT(script->script(), HasSubstr("\nset_governor performance\n"));
  for (const auto& [boot, code] : {std::pair("1.9B", absl::StatusCode::kNotFound),
                                   {"1.1Z", absl::StatusCode::kNotFound},
                                   {"1.1B.7", absl::StatusCode::kNotFound},
                                   {"99.1B", absl::StatusCode::kNotFound},
                                   {"../x", absl::StatusCode::kInvalidArgument}}) {
    request.set_boot(boot);
    EXPECT_EQ(farm.Call(&Stub::Reproduce, request).status().code(), code) << boot;
  }
}

TEST(FarmServiceTest, ListingsShowWhatIsThere) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1", "vm2"});
  ASSERT_TRUE(agent.Sync(0).ok());
  const auto agents = farm.Call(&Stub::ListAgents, {});
  ASSERT_EQ(agents->agents_size(), 1);
  EXPECT_TRUE(agents->agents(0).online());
  EXPECT_EQ(farm.Call(&Stub::ListMachines, {})->machines_size(), 2);
  ASSERT_TRUE(farm.Submit(SmallJob(1)).ok());
  EXPECT_EQ(farm.Call(&Stub::ListBuilds, {})->builds_size(), 2);
  EXPECT_EQ(farm.Call(&Stub::ListKernels, {})->kernels_size(), 3);
  v1::GetReportRequest report;
  report.set_job(1);
  report.set_json(true);
  EXPECT_THAT(farm.Call(&Stub::GetReport, report)->text(),
              HasSubstr("\"title\": \"alpha against beta\""));
  report.set_json(false);
  report.set_format("html");
  const auto html = farm.Call(&Stub::GetReport, report);
  EXPECT_THAT(html->text(), HasSubstr("<h1>Shakedown job 1: alpha against beta</h1>"));
  EXPECT_EQ(html->conclusion(), "none");
  report.set_format("pdf");
  EXPECT_EQ(farm.Call(&Stub::GetReport, report).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(FarmServiceTest, EightBlocksGiveAVerdict) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(8)).value();
  double drift = 0;
  agent.on_boot = [&](const v1::BootOrder& order) {
    drift += 0.01;
    return ScriptedAgent::Measured(order, (order.kernel() == "alpha" ? 20 : 23) + drift);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  v1::GetReportRequest request;
  request.set_job(job);
  const auto report = farm.Call(&Stub::GetReport, request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->conclusion(), "worse");
  EXPECT_THAT(report->text(), HasSubstr("   8 0.0078 !\n"));
  EXPECT_THAT(report->text(), HasSubstr("failed 0 of 8"));
}

TEST(FarmServiceTest, TheLargestJob) {
  TestFarm farm;
  v1::JobSpec spec = SmallJob(1000);
  while (spec.variants_size() < 26) *spec.add_variants() = spec.variants(0);
  const absl::StatusOr<int64_t> job = farm.Submit(spec);
  ASSERT_TRUE(job.ok()) << job.status();
  v1::GetReportRequest request;
  request.set_job(*job);
  const auto report = farm.Call(&Stub::GetReport, request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->text(), HasSubstr("Z  1000 pending"));
  v1::CancelJobRequest cancel;
  cancel.set_job(*job);
  EXPECT_TRUE(farm.Call(&Stub::CancelJob, cancel).ok());
  v1::ListJobsRequest list;
  EXPECT_EQ(farm.Call(&Stub::ListJobs, list)->jobs(0).state(), v1::JOB_STATE_CANCELLED);
}

}  // namespace
}  // namespace shakedown::service
