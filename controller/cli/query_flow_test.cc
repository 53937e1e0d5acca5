// Lists, logs, reports and kernels from end to end.
#include <gmock/gmock.h>

#include "absl/synchronization/notification.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "controller/cli/job_views.h"

namespace shakedown::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(FlowTest, LastIsTheNewestJob) {
  EXPECT_THAT(RunCommand({"report", "@last"}).err, HasSubstr("there is no job yet"));
  service_.jobs.add_jobs()->set_job(23);
  int64_t asked = 0;
  service_.report = [&](const v1::GetReportRequest& request, v1::GetReportResponse* response) {
    asked = request.job();
    response->set_text("numbers\n");
    return grpc::Status::OK;
  };
  EXPECT_EQ(RunCommand({"report", "@last"}).out, "numbers\n");
  EXPECT_EQ(asked, 23);
  std::string log;
  service_.log = [&](const v1::ReadLogRequest& request, grpc::ServerWriter<v1::LogChunk>*) {
    log = request.name();
    return grpc::Status::OK;
  };
  RunCommand({"logs", "@last.1B"});
  EXPECT_EQ(log, "23.1B");
  EXPECT_EQ(RunCommand({"report", "@first"}).code, kUsage);
}

TEST_F(FlowTest, AShellIsOfferedWhatTheFarmHas) {
  service_.kernels.add_kernels()->set_name("debian-6.12");
  service_.kernels.add_kernels()->set_name("mine");
  EXPECT_EQ(RunCommand({"complete", "--", "submit", "--baseline", "deb"}).out, "debian-6.12\t\n");
  v1::MachineView& machine = *service_.machines.add_machines();
  machine.set_name("vm1");
  machine.set_state("idle");
  machine.add_tags("kvm");
  EXPECT_EQ(RunCommand({"complete", "--", "note", "m"}).out, "machine:vm1\tidle\n");
  EXPECT_EQ(RunCommand({"complete", "--", "note", "kernel:m"}).out, "kernel:mine\t\n");
  EXPECT_EQ(RunCommand({"complete", "--", "submit", "--tag", ""}).out, "kvm\tvm1\n");
  Stop();
  const Result away = RunCommand({"complete", "--", "submit", "--baseline", ""});
  EXPECT_EQ(away.code, kOk);
  EXPECT_EQ(away.out + away.err, "");
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

// Job 17: A is measured, B waits for its build.
v1::JobView HalfAJob() {
  v1::JobView job;
  job.set_job(17);
  job.set_state(v1::JOB_STATE_ACTIVE);
  for (const char* kernel : {"debian-6.1", "debian-6.12"}) {
    job.mutable_spec()->add_variants()->set_kernel(kernel);
  }
  v1::BuildView* build = job.add_builds();
  build->set_kernel("debian-6.12");
  build->set_state(v1::WORK_STATE_RUNNING);
  build->set_phase("compile");
  build->set_progress(0.43f);
  for (uint32_t variant = 0; variant < 2; ++variant) {
    v1::BootView* boot = job.add_boots();
    boot->set_name(variant == 0 ? "17.1A" : "17.1B");
    boot->set_block(1);
    boot->set_variant(variant);
    boot->set_attempt(1);
    boot->set_state(variant == 0 ? v1::WORK_STATE_ENDED : v1::WORK_STATE_WAITING);
  }
  job.mutable_boots(0)->set_outcome(v1::OUTCOME_BUILD_FAILED);
  job.mutable_boots(0)->set_reason("no compiler");
  return job;
}

TEST_F(FlowTest, LogsOfABootThatHasNotStartedSayWhy) {
  service_.job = HalfAJob();
  service_.log = [](const v1::ReadLogRequest&, grpc::ServerWriter<v1::LogChunk>*) {
    return grpc::Status::OK;
  };
  const Result waits = RunCommand({"logs", "17.1B"});
  EXPECT_EQ(waits.code, kOk);
  EXPECT_EQ(waits.out, "");
  EXPECT_EQ(waits.err, "boot 17.1B has not started: build of debian-6.12: compile 43%\n");
  EXPECT_THAT(RunCommand({"logs", "17.1A"}).err,
              HasSubstr("boot 17.1A has no log: it ended build_failed: no compiler"));
}

TEST_F(FlowTest, LogsFollowABootThatHasNotStartedOnceItStarts) {
  service_.job = HalfAJob();
  absl::Notification asked;
  service_.on_get_job = [&] {
    if (!asked.HasBeenNotified()) asked.Notify();
  };
  service_.log = [&](const v1::ReadLogRequest& request, grpc::ServerWriter<v1::LogChunk>* writer) {
    EXPECT_TRUE(request.follow());
    // Until the command has looked why nothing comes.
    EXPECT_TRUE(asked.WaitForNotificationWithTimeout(absl::Seconds(30)));
    v1::LogChunk chunk;
    chunk.set_data("Linux\n");
    writer->Write(chunk);
    return grpc::Status::OK;
  };
  const Result result = RunCommand({"logs", "17.1B", "--follow"});
  EXPECT_EQ(result.code, kOk);
  EXPECT_EQ(result.out, "Linux\n");
  EXPECT_EQ(Times("has not started", result.err), 1u);
  EXPECT_THAT(result.err, HasSubstr("compile 43%; waiting for its log"));
}

TEST_F(FlowTest, InputsAddSendsTheWholeArchive) {
  const std::string archive(700'000, 'a');
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/tree.tar", archive).ok());
  service_.add_input = [&](const std::string& name, const std::string& bytes, bool whole,
                           v1::AddInputResponse* response) {
    EXPECT_EQ(name, "linux-6.12");
    EXPECT_EQ(bytes, archive);
    EXPECT_TRUE(whole);
    response->mutable_input()->set_name(name);
    response->mutable_input()->set_size(bytes.size());
    response->mutable_input()->set_sha256("0123abcd");
    return grpc::Status::OK;
  };
  const Result result = RunCommand({"inputs", "add", "linux-6.12", folder_ + "/tree.tar"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(result.out,
            "Input linux-6.12 is in the farm: 684 KiB, SHA-256 0123abcd. A job builds it with "
            "make { tree: \"linux-6.12\" }.\n");
}

TEST_F(FlowTest, InputsAddSaysWhatIsWrong) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/empty", "").ok());
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/tree.tar", "x").ok());
  EXPECT_THAT(RunCommand({"inputs", "add", "a", folder_ + "/empty"}).err, HasSubstr("not empty"));
  EXPECT_THAT(RunCommand({"inputs", "add", "a", folder_ + "/none"}).err, HasSubstr("No such file"));
  EXPECT_THAT(RunCommand({"inputs", "add", "a", folder_}).err, HasSubstr("want a regular file"));
  EXPECT_THAT(RunCommand({"inputs", "add", "A/b", folder_ + "/tree.tar"}).err,
              HasSubstr("input \"A/b\""));
  service_.add_input = [](const auto&...) {
    return grpc::Status(grpc::StatusCode::ALREADY_EXISTS, "input a: the name is taken");
  };
  const Result taken = RunCommand({"inputs", "add", "a", folder_ + "/tree.tar"});
  EXPECT_NE(taken.code, kOk);
  EXPECT_THAT(taken.err, HasSubstr("input a: the name is taken"));
}

TEST_F(FlowTest, InputsAreListed) {
  EXPECT_THAT(RunCommand({"inputs"}).err, HasSubstr("no inputs yet"));
  v1::InputView* input = service_.inputs.add_inputs();
  input->set_name("linux-6.12");
  input->set_size(147 << 20);
  input->set_sha256(std::string(64, 'a'));
  input->set_submitter("ada");
  for (const auto& words : {std::vector<std::string>{"inputs"}, {"inputs", "list"}}) {
    EXPECT_THAT(RunCommand(words).out, AllOf(HasSubstr("linux-6.12"), HasSubstr("147 MiB"),
                                             HasSubstr("aaaaaaaaaaaa "), HasSubstr("ada")));
  }
  EXPECT_THAT(RunCommand({"inputs", "--json"}).out, HasSubstr("\"name\""));
}

TEST_F(FlowTest, KernelsRemoveNamesTheKernel) {
  std::string name;
  service_.remove_kernel = [&](const v1::RemoveKernelRequest& request) {
    name = request.name();
    return grpc::Status::OK;
  };
  EXPECT_THAT(RunCommand({"kernels", "remove", "mine"}).out, HasSubstr("Kernel mine is removed"));
  EXPECT_EQ(name, "mine");
  service_.remove_kernel = [](const v1::RemoveKernelRequest&) {
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "kernel mine: job 3 uses it");
  };
  const Result refused = RunCommand({"kernels", "remove", "mine"});
  EXPECT_NE(refused.code, kOk);
  EXPECT_THAT(refused.err, HasSubstr("job 3 uses it"));
}

TEST_F(FlowTest, DryRunTellsParametersFromTunables) {
  service_.plan = [](const v1::PlanJobRequest&, v1::PlanJobResponse*) { return grpc::Status::OK; };
  const Result result = RunCommand({"submit", "--baseline", "debian-6.12", "--challenger",
                                    "debian-6.12 nohz=off kernel.sched_x=1 sched/y=2", "--load",
                                    "latt", "--dry-run"});
  EXPECT_THAT(result.out, HasSubstr("       boot parameters: nohz=off\n"
                                    "       tunables: kernel.sched_x=1 sched/y=2\n"));
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
  const auto add = [&](std::vector<std::string> more, int code = kUsage) {
    more.insert(more.begin(), {"kernels", "add"});
    more.insert(more.end(), {"--from", "debian-6.12"});
    const Result result = RunCommand(more);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(Times("\n", result.err), 1) << result.err;
    return result.err;
  };
  EXPECT_THAT(add({"x", "--patch", patch}), HasSubstr("8 MiB"));
  EXPECT_THAT(add({"x", "--patch", folder_ + "/empty.patch"}), HasSubstr("is empty"));
  EXPECT_THAT(add({"x", "--patch", folder_ + "/none\x1b[2J"}, kNoInput), Not(HasSubstr("\x1b")));
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
  job = MakeJob(1);
  EndJob(job);
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

TEST_F(FlowTest, AJobAtRestSaysWhyItWaits) {
  service_.job = MakeJob(8);
  service_.job.mutable_spec()->set_blocks(0);
  service_.job.mutable_spec()->set_stopping(v1::STOPPING_RULE_LOOKS);
  service_.job.set_next_look(8);
  v1::MachineView& machine = *service_.machines.add_machines();
  machine.set_name("vm1");
  machine.set_state("running");
  machine.set_detail("boots 16.2B: latt 2/3");
  const Result job = RunCommand({"job", "17"});
  EXPECT_EQ(job.code, kOk) << job.err;
  EXPECT_THAT(job.out, AllOf(HasSubstr("state: active\nJob 17: CFS against EEVDF\n"),
                             HasSubstr("looks after 8, 16 and 24 blocks, the next after 8\n"),
                             HasSubstr("\n17.1A waits: vm1 is busy: boots 16.2B: latt 2/3\n")));
  EXPECT_EQ(Times("waits", job.out), 1);
  const Result boots = RunCommand({"boots", "17"});
  EXPECT_THAT(boots.out, AllOf(HasSubstr("vm1 is busy: boots 16.2B: latt 2/3\n"),
                               HasSubstr("after 17.1A\n"), HasSubstr("after block 1\n")));
  EXPECT_EQ(RunCommand({"job", "17", "--json"}).out.front(), '{');
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

TEST_F(FlowTest, AsksForTheReportAsItIsWanted) {
  v1::GetReportRequest asked;
  service_.report = [&](const v1::GetReportRequest& request, v1::GetReportResponse* response) {
    asked = request;
    response->set_text("<!DOCTYPE html>\n");
    return grpc::Status::OK;
  };
  EXPECT_EQ(RunCommand({"report", "17", "--format", "html", "--asterisk", "classic", "--layout",
                        "2010", "--baseline-first", "--all"})
                .out,
            "<!DOCTYPE html>\n");
  EXPECT_EQ(asked.format(), "html");
  EXPECT_EQ(asked.asterisk(), "classic");
  EXPECT_EQ(asked.layout(), "2010");
  EXPECT_TRUE(asked.all());
  EXPECT_TRUE(asked.baseline_first());
  EXPECT_EQ(RunCommand({"report", "17", "--format", "pdf"}).code, kUsage);
}

TEST_F(FlowTest, PrintsABootsScriptWithEveryByte) {
  EXPECT_EQ(RunCommand({"reproduce", "17.3B"}).out, "#!/bin/sh\n# \t17.3B\n");
  EXPECT_EQ(RunCommand({"reproduce", "17.9B"}).code, kUsage);
  EXPECT_EQ(RunCommand({"reproduce"}).code, kUsage);
}

}  // namespace
}  // namespace shakedown::cli
