// Agents against a controller: leases, results, artefacts, refusals, lost databases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "controller/service/test_farm.h"
#include "proto/wire/digest.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;

int FilesIn(const std::string& folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  return files;
}

TEST(AgentServiceTest, AWholeJobWithALostBootAndAnOldEpoch) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const absl::StatusOr<int64_t> job = farm.Submit(SmallJob(2));
  ASSERT_TRUE(job.ok()) << job.status();

  std::vector<std::string> order;
  std::vector<v1::BootResult> results;
  bool lost = false;
  agent.on_boot = [&](const v1::BootOrder& boot) {
    order.push_back(boot.name());
    EXPECT_EQ(boot.image().sha256(), Sha256Hex(absl::StrCat("bzImage of ", boot.kernel())));
    const absl::StatusOr<std::string> image = agent.Get(boot.image().sha256());
    EXPECT_TRUE(image.ok()) << image.status();
    EXPECT_EQ(image.value_or(""), absl::StrCat("bzImage of ", boot.kernel()));

    v1::BootResult old = ScriptedAgent::Measured(boot);
    old.set_epoch(boot.epoch() - 1);
    EXPECT_EQ(agent.ReportBoot(old).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(agent.AppendLog(boot.attempt_id(), boot.epoch() - 1, 0, "x").status().code(),
              absl::StatusCode::kFailedPrecondition);
    if (!lost) {
      lost = true;
      return ScriptedAgent::Ended(boot, v1::OUTCOME_FARM_FAILED, "QEMU ended by signal 9");
    }
    results.push_back(ScriptedAgent::Measured(boot, boot.kernel() == "alpha" ? 20 : 19));
    return results.back();
  };
  const absl::Status run = agent.Run([&] { return farm.Ended(*job); });
  ASSERT_TRUE(run.ok()) << run;

  const v1::JobView view = farm.Job(*job);
  EXPECT_EQ(view.state(), v1::JOB_STATE_DONE);
  std::multiset<std::string> measured;
  int farm_failed = 0;
  for (const v1::BootView& boot : view.boots()) {
    if (boot.outcome() == v1::OUTCOME_MEASURED) {
      measured.insert(absl::StrCat(boot.block(), "/", boot.variant()));
    }
    farm_failed += boot.outcome() == v1::OUTCOME_FARM_FAILED ? 1 : 0;
  }
  EXPECT_EQ(measured, (std::multiset<std::string>{"1/0", "1/1", "2/0", "2/1"}));
  EXPECT_EQ(farm_failed, 1);
  EXPECT_EQ(order.size(), 5u) << "four boots and one tried again";

  // The same result again is fine, another one is not.
  EXPECT_EQ(agent.ReportBoot(results[0]), absl::OkStatus());
  results[0].set_boot_ms(1);
  EXPECT_EQ(agent.ReportBoot(results[0]).code(), absl::StatusCode::kAlreadyExists);

  v1::GetReportRequest request;
  request.set_job(*job);
  const auto report = farm.Call(&v1::FarmService::Stub::GetReport, request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->text(), HasSubstr("EMULATED"));
  EXPECT_THAT(report->text(), HasSubstr("-5.0%"));
  EXPECT_THAT(report->text(), HasSubstr("farm_failed: QEMU ended by signal 9"));
}

TEST(AgentServiceTest, TwoJobsShareOneBuild) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t first = farm.Submit(SmallJob(1)).value();
  const int64_t second = farm.Submit(SmallJob(1)).value();
  int builds = 0;
  agent.on_build = [&](const v1::BuildOrder& order) {
    ++builds;
    return agent.Built(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(first) && farm.Ended(second); }).ok());
  EXPECT_EQ(builds, 2) << "alpha and beta, each once";
}

TEST(AgentServiceTest, AFailedBuildEndsItsBootsAndTheOthersGoOn) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  agent.on_build = [&](const v1::BuildOrder& order) {
    v1::BuildResult result = agent.Built(order);
    if (order.kernel().kernel().name() == "alpha") return result;
    result.Clear();
    result.set_build_id(order.build_id());
    result.set_epoch(order.epoch());
    result.set_status(v1::BuildResult::STATUS_FAILED);
    result.set_error("fair.c:1:1: error: expected ';'");
    return result;
  };
  const int64_t job = farm.Submit(SmallJob(1)).value();
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  for (const v1::BootView& boot : view.boots()) {
    EXPECT_EQ(boot.outcome(),
              boot.variant() == 0 ? v1::OUTCOME_MEASURED : v1::OUTCOME_BUILD_FAILED);
  }
  v1::GetReportRequest request;
  request.set_job(job);
  EXPECT_THAT(farm.Call(&v1::FarmService::Stub::GetReport, request)->text(),
              HasSubstr("| fair.c:1:1: error: expected ';'"));
}

TEST(AgentServiceTest, AnAgentThatDiedLosesItsBootAndTheJobGoesOn) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(1)).value();
  const absl::Time until = absl::Now() + absl::Seconds(30);
  while (agent.boots().empty() && absl::Now() < until) {
    ASSERT_TRUE(agent.Sync(500).ok());
    ASSERT_EQ(agent.DoBuilds(), absl::OkStatus());
  }
  ASSERT_EQ(agent.boots().size(), 1u);
  const v1::BootOrder stale = agent.boots().begin()->second;
  agent.Restart();
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_EQ(agent.ReportBoot(ScriptedAgent::Measured(stale)).code(),
            absl::StatusCode::kFailedPrecondition);
  int measured = 0;
  const v1::JobView view = farm.Job(job);
  for (const v1::BootView& boot : view.boots()) {
    measured += boot.outcome() == v1::OUTCOME_MEASURED ? 1 : 0;
  }
  EXPECT_EQ(measured, 2);
}

TEST(AgentServiceTest, CancelReachesARunningBoot) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(1)).value();
  std::string cancelled_attempt;
  agent.on_boot = [&](const v1::BootOrder& order) {
    v1::CancelJobRequest request;
    request.set_job(job);
    EXPECT_TRUE(farm.Call(&v1::FarmService::Stub::CancelJob, request).ok());
    const absl::StatusOr<v1::SyncResponse> told = agent.RawSync(agent.Request(10000));
    EXPECT_TRUE(told.ok()) << told.status();
    if (told.ok() && told->cancel_size() == 1) cancelled_attempt = told->cancel(0);
    EXPECT_EQ(cancelled_attempt, order.attempt_id());
    return ScriptedAgent::Ended(order, v1::OUTCOME_CANCELLED, "cancelled");
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_EQ(farm.Job(job).state(), v1::JOB_STATE_CANCELLED);
  const v1::JobView view = farm.Job(job);
  for (const v1::BootView& boot : view.boots()) {
    EXPECT_EQ(boot.outcome(), v1::OUTCOME_CANCELLED);
  }
  // Again: nothing changes, no error.
  v1::CancelJobRequest request;
  request.set_job(job);
  EXPECT_TRUE(farm.Call(&v1::FarmService::Stub::CancelJob, request).ok());
}

TEST(AgentServiceTest, ALongPollIsWokenBySubmit) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  ASSERT_TRUE(agent.Sync(0).ok());
  absl::StatusOr<v1::SyncResponse> answer;
  const absl::Time start = absl::Now();
  std::thread poll([&] { answer = agent.Sync(30000); });
  ASSERT_TRUE(farm.Submit(SmallJob(1)).ok());
  poll.join();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->builds_size(), 1) << "one slot, one order";
  EXPECT_LT(absl::Now() - start, absl::Seconds(15));
}

TEST(AgentServiceTest, TwoHundredWaitingAgentsLeaveRoomForOthers) {
  TestFarm farm;
  constexpr int kAgents = 200;
  std::atomic<int> answered = 0, failed = 0;
  std::vector<std::string> tokens;
  for (int i = 0; i < kAgents; ++i) {
    tokens.push_back(farm.Token(store::Role::kAgent, absl::StrCat("host", i)));
  }
  std::vector<std::thread> polls;
  for (int i = 0; i < kAgents; ++i) {
    polls.emplace_back([&, i] {
      ScriptedAgent agent({.server = farm.address(),
                           .token = tokens[i],
                           .name = absl::StrCat("host", i),
                           .machines = {absl::StrCat("vm", i)},
                           .build_slots = 0});
      const absl::StatusOr<v1::SyncResponse> response = agent.Sync(8000);
      if (!response.ok()) {
        ++failed;
        ADD_FAILURE() << response.status();
      }
      ++answered;
    });
  }
  // All are known to the farm while none has been answered: they wait, and these calls are served.
  int online = 0;
  const absl::Time until = absl::Now() + absl::Seconds(30);
  while (online < kAgents && absl::Now() < until) {
    const auto agents = farm.Call(&v1::FarmService::Stub::ListAgents, v1::ListAgentsRequest());
    ASSERT_TRUE(agents.ok()) << agents.status();
    online = agents->agents_size();
  }
  EXPECT_EQ(online, kAgents);
  EXPECT_LT(answered, kAgents);
  for (std::thread& poll : polls) poll.join();
  EXPECT_EQ(failed, 0);
}

TEST(AgentServiceTest, AnAgentSpeaksForItselfAlone) {
  TestFarm farm;
  ScriptedAgent other({.server = farm.address(),
                       .token = farm.Token(store::Role::kAgent, "host1"),
                       .name = "host2",
                       .machines = {"vm1"}});
  const absl::Status status = other.Sync(0).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("agent \"host2\": the token is for agent \"host1\""));

  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::SyncRequest request = agent.Request(30001);
  EXPECT_EQ(agent.RawSync(request).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(AgentServiceTest, EveryCallWantsAnAgentsToken) {
  TestFarm farm;
  struct Case {
    std::string token;
    absl::StatusCode want;
  };
  for (const Case& c : {Case{"", absl::StatusCode::kUnauthenticated},
                        Case{"sd_agent_0123456789012345678901234567890123456789",
                             absl::StatusCode::kUnauthenticated},
                        Case{std::string(5000, 'x'), absl::StatusCode::kUnauthenticated},
                        Case{farm.user_token(), absl::StatusCode::kPermissionDenied}}) {
    ScriptedAgent agent(
        {.server = farm.address(), .token = c.token, .name = "host1", .machines = {"vm1"}});
    EXPECT_EQ(agent.Sync(0).status().code(), c.want);
    EXPECT_EQ(agent.ReportBoot({}).code(), c.want);
    EXPECT_EQ(agent.ReportBuild({}).code(), c.want);
    EXPECT_EQ(agent.AppendLog("x", 1, 0, "").status().code(), c.want);
    EXPECT_EQ(agent.Put("content").status().code(), c.want);
    EXPECT_EQ(agent.Get(Sha256Hex("content")).status().code(), c.want);
  }
  EXPECT_EQ(FilesIn(farm.artefact_folder()), 0);
}

TEST(AgentServiceTest, LogsAppendAtTheirEndAlone) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  ASSERT_TRUE(farm.Submit(SmallJob(1)).ok());
  const absl::Time until = absl::Now() + absl::Seconds(30);
  while (agent.builds().empty() && absl::Now() < until) ASSERT_TRUE(agent.Sync(500).ok());
  const v1::BuildOrder order = agent.builds().begin()->second;
  const auto append = [&](uint64_t offset, const std::string& data) {
    return agent.AppendLog(order.build_id(), order.epoch(), offset, data);
  };
  EXPECT_EQ(append(0, "CC kernel/sched/fair.o\n").value_or(0), 23u);
  EXPECT_EQ(append(0, "CC").status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(append(999, "").value_or(0), 23u);
  EXPECT_EQ(append(23, "LD vmlinux\n").value_or(0), 34u);
  EXPECT_EQ(append(34, std::string(300 << 10, 'x')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(AgentServiceTest, ADatabaseThatGoesAwayIsSaidAndComesBack) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  ASSERT_TRUE(agent.Sync(0).ok());
  ASSERT_TRUE(Postgres().StopServer(false).ok());
  const absl::Status sync = agent.Sync(1000).status();
  EXPECT_EQ(sync.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(sync.message()), testing::StartsWith("database"));
  const absl::Status submit = farm.Submit(SmallJob(1)).status();
  EXPECT_EQ(submit.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(submit.message()), testing::StartsWith("database"));
  ASSERT_TRUE(Postgres().StartServer().ok());
  const int64_t job = farm.Submit(SmallJob(1)).value();
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
}

TEST(AgentServiceTest, StopAnswersWhoWaits) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  ASSERT_TRUE(agent.Sync(0).ok());
  const auto last_seen = [&] {
    const auto agents = farm.Call(&v1::FarmService::Stub::ListAgents, v1::ListAgentsRequest());
    return agents.ok() && agents->agents_size() == 1 ? agents->agents(0).last_seen().DebugString()
                                                     : "";
  };
  const std::string before = last_seen();
  ASSERT_NE(before, "");
  absl::StatusOr<v1::SyncResponse> answer;
  std::thread poll([&] { answer = agent.Sync(30000); });
  // A call that comes when the server is already stopping is refused in other words.
  const absl::Time until = absl::Now() + absl::Seconds(10);
  while (last_seen() == before && absl::Now() < until) {
  }
  const absl::Time start = absl::Now();
  farm.server().Stop(absl::Seconds(2));
  poll.join();
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
  EXPECT_TRUE(answer.ok() || absl::IsUnavailable(answer.status())) << answer.status();
}

}  // namespace
}  // namespace shakedown::service
