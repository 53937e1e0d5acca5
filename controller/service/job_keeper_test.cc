// Jobs to their end: looks, more blocks, repetitions, the budget, two controllers, a restart.
#include "controller/service/job_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/service/test_farm.h"
#include "db/store/looks.h"
#include "proto/wire/clock.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using Stub = v1::FarmService::Stub;

v1::JobSpec LooksJob() {
  v1::JobSpec spec = SmallJob(0);
  spec.set_stopping(v1::STOPPING_RULE_LOOKS);
  return spec;
}

// What a boot measures, in seconds of make.real.
using Seconds = std::function<double(const BootName& boot)>;

// The baseline takes 20 s, always.
Seconds Challenger(std::function<double(uint32_t block)> seconds) {
  return [seconds = std::move(seconds)](const BootName& boot) {
    return boot.variant == 0 ? 20.0 : seconds(boot.block);
  };
}

double Slower(uint32_t block) { return 23 + 0.01 * block; }
double UpAndDown(uint32_t block) { return block % 2 == 0 ? 18.4 : 21.6; }
// Nobody can tell after eight blocks, and after sixteen it is the same.
double SettlesDown(uint32_t block) { return block <= 8 ? UpAndDown(block) : 20; }

BootName NameOf(const v1::BootOrder& order) { return ParseBootName(order.name()).value(); }

ScriptedAgent::BootScript Measuring(Seconds seconds) {
  return [seconds = std::move(seconds)](const v1::BootOrder& order) {
    return ScriptedAgent::Measured(order, seconds(NameOf(order)));
  };
}

std::string Looks(const v1::JobView& job) {
  std::string text;
  for (const v1::LookView& look : job.looks()) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", look.look(), " after ", look.after_blocks(),
                    ": ", look.text(), ": ", look.decision());
  }
  return text;
}

size_t Repetitions(const v1::JobView& job) {
  size_t n = 0;
  for (const v1::PlannedBlock& block : job.plan().blocks()) n += block.replaces() != 0 ? 1 : 0;
  return n;
}

std::string ReportOf(TestFarm& farm, int64_t job) {
  v1::GetReportRequest request;
  request.set_job(job);
  const auto report = farm.Call(&Stub::GetReport, request);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? absl::StrCat(report->text(), "conclusion ", report->conclusion()) : "";
}

struct EndCase {
  const char* name;
  double (*challenger)(uint32_t block);
  int blocks;
  const char* looks;
  const char* reason;
  const char* conclusion;
};
class LooksEndTest : public testing::TestWithParam<EndCase> {};
TEST_P(LooksEndTest, WhenItIsDecided) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(LooksJob()).value();
  agent.on_boot = Measuring(Challenger(GetParam().challenger));
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  EXPECT_EQ(view.plan().blocks_size(), GetParam().blocks);
  EXPECT_EQ(view.boots_size(), 2 * GetParam().blocks);
  EXPECT_EQ(Looks(view), GetParam().looks);
  EXPECT_EQ(view.end_reason(), GetParam().reason);
  EXPECT_THAT(ReportOf(farm, job), HasSubstr(GetParam().conclusion));
}
INSTANTIATE_TEST_SUITE_P(
    , LooksEndTest,
    testing::ValuesIn<EndCase>({
        {"AtTheFirst", Slower, 8, "1 after 8: make.real B worse: decided",
         "all primary metrics decided after 8 blocks", "conclusion worse"},
        {"AtTheSecond", SettlesDown, 16,
         "1 after 8: make.real B inconclusive: goes on; 2 after 16: make.real B same: decided",
         "all primary metrics decided after 16 blocks", "conclusion decided"},
        {"AtTheLast", UpAndDown, 24,
         "1 after 8: make.real B inconclusive: goes on; 2 after 16: make.real B inconclusive: "
         "goes on; 3 after 24: make.real B inconclusive: last look",
         "last look, after 24 blocks", "conclusion inconclusive"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(JobKeeperTest, ReportsFollowTheLooks) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(LooksJob()).value();
  std::vector<std::string> reports;
  agent.on_boot = [&](const v1::BootOrder& order) {
    const BootName name = NameOf(order);
    if (name.block == 4 || name.block == 12) reports.push_back(ReportOf(farm, job));
    return Measuring(Challenger(SettlesDown))(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_THAT(reports[0], HasSubstr("first look after 8 blocks, 3 are done"));
  EXPECT_THAT(reports[0], HasSubstr("conclusion none"));
  EXPECT_THAT(reports[2], HasSubstr("1 after 8 blocks: "));
  EXPECT_THAT(reports[2], HasSubstr("conclusion inconclusive"));
}

TEST(JobKeeperTest, ADisturbedBlockIsRepeatedWhole) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(SmallJob(8)).value();
  agent.on_boot = [&](const v1::BootOrder& order) {
    const BootName name = NameOf(order);
    if (name.block == 3 && name.variant == 1) {
      return ScriptedAgent::Ended(order, v1::OUTCOME_DISTURBED, "steal 3.4 %, at most 1 %");
    }
    return Measuring(Challenger(Slower))(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  ASSERT_EQ(view.plan().blocks_size(), 9);
  EXPECT_EQ(view.plan().blocks(8).replaces(), 3u);
  EXPECT_EQ(view.plan().blocks(8).variants(0), view.plan().blocks(2).variants(0)) << "same order";
  EXPECT_EQ(view.boots_size(), 18) << "one attempt each";
  EXPECT_EQ(view.end_reason(), "all its 8 blocks are done");
  EXPECT_EQ(Looks(view), "1 after 8: make.real B worse: decided");
  const std::string report = ReportOf(farm, job);
  EXPECT_THAT(report,
              HasSubstr(absl::StrCat("Repeated   block 3 (", job,
                                     ".3B disturbed: steal 3.4 %, at most 1 %) as block 9")));
}

TEST(JobKeeperTest, WhatTheFarmLostIsRepeatedWholeUpToALimit) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::JobSpec spec = SmallJob(3);
  spec.set_max_attempts(2);
  const int64_t job = farm.Submit(spec).value();
  agent.on_boot = [&](const v1::BootOrder& order) {
    if (NameOf(order).variant == 0) return ScriptedAgent::Measured(order, 20);
    return ScriptedAgent::Ended(order, v1::OUTCOME_FARM_FAILED, "QEMU ended by signal 9");
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  EXPECT_EQ(view.plan().blocks_size(), 5);
  EXPECT_EQ(Repetitions(view), 2u);
  EXPECT_EQ(view.boots_size(), 5 * 3) << "of B two attempts each";
  EXPECT_EQ(view.end_reason(),
            "all its 3 blocks are done; not repeated: blocks 3, 4, 5 (2 repetitions are the most)");
}

TEST(JobKeeperTest, AKernelsOwnFailureIsAResult) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(LooksJob()).value();
  agent.on_boot = [&](const v1::BootOrder& order) {
    if (NameOf(order).variant == 0) return ScriptedAgent::Measured(order, 20);
    return ScriptedAgent::Ended(order, v1::OUTCOME_PANICKED, "Kernel panic - not syncing");
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  EXPECT_EQ(view.plan().blocks_size(), 8);
  EXPECT_EQ(view.end_reason(), "nothing to compare after 8 blocks");
  EXPECT_EQ(view.looks(0).text(), "no challenger was ever measured");
}

TEST(JobKeeperTest, AKernelThatIsNeverBuiltKeepsNobodyWaiting) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::JobSpec spec = LooksJob();
  *spec.add_variants() = spec.variants(0);  // A again: the same.
  const int64_t job = farm.Submit(spec).value();
  agent.on_build = [&](const v1::BuildOrder& order) {
    v1::BuildResult result = agent.Built(order);
    if (order.kernel().kernel().name() == "alpha") return result;
    result.set_status(v1::BuildResult::STATUS_FAILED);
    result.set_error("fair.c:7: error");
    return result;
  };
  agent.on_boot = Measuring([](const BootName& boot) { return 20 + 0.001 * boot.block; });
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  EXPECT_EQ(view.plan().blocks_size(), 8);
  EXPECT_EQ(Looks(view), "1 after 8: make.real C same: decided");
}

TEST(JobKeeperTest, WithoutPrimariesAJobGoesByItsBlocks) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::JobSpec spec = LooksJob();
  spec.add_primary_metrics("make.cold.real");  // Of a warm make: never measured.
  const int64_t job = farm.Submit(spec).value();
  agent.on_boot = Measuring(Challenger(Slower));
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_EQ(farm.Job(job).plan().blocks_size(), 24);
  EXPECT_EQ(farm.Job(job).end_reason(), "last look, after 24 blocks");
}

TEST(JobKeeperTest, TheControlIsBootedAndDecidesNothing) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::JobSpec spec = LooksJob();
  spec.set_control(true);
  const int64_t job = farm.Submit(spec).value();
  agent.on_boot = Measuring([](const BootName& boot) {
    return boot.variant == 0 ? 20 : boot.variant == 1 ? Slower(boot.block) : UpAndDown(boot.block);
  });
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  ASSERT_EQ(view.spec().variants_size(), 3);
  EXPECT_TRUE(view.spec().variants(2).control());
  EXPECT_EQ(view.builds_size(), 2) << "A's is shared";
  EXPECT_EQ(view.plan().blocks_size(), 8);
  EXPECT_EQ(Looks(view), "1 after 8: make.real B worse: decided");
}

TEST(JobKeeperTest, TheBudgetEndsAJob) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::JobSpec spec = SmallJob(4);
  spec.set_budget_s(1);
  const int64_t job = farm.Submit(spec).value();
  // The first boot takes longer than the whole budget.
  const auto spent = [&] { return store::GetJobClock(farm.database(), job)->spent_s.value_or(0); };
  Clock& clock = SystemClock();
  agent.on_boot = [&](const v1::BootOrder& order) {
    const absl::Duration start = clock.Elapsed();
    while (spent() < 1.01 && clock.Elapsed() - start < absl::Seconds(30)) {
      clock.Sleep(absl::Milliseconds(10));
    }
    EXPECT_GE(spent(), 1);
    return Measuring(Challenger(Slower))(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  const v1::JobView view = farm.Job(job);
  EXPECT_EQ(view.state(), v1::JOB_STATE_DONE);
  EXPECT_EQ(view.end_reason(), "time budget of 1 s spent");
  ASSERT_EQ(view.boots_size(), 8);
  for (const v1::BootView& boot : view.boots()) {
    const bool begun = boot.block() == 1;
    EXPECT_EQ(boot.outcome(), begun ? v1::OUTCOME_MEASURED : v1::OUTCOME_CANCELLED) << boot.name();
    EXPECT_EQ(boot.reason(), begun ? "" : "time budget of 1 s spent") << boot.name();
  }
  EXPECT_EQ(Looks(view), "1 after 1: n < 6 blocks: insufficient, no verdict: time budget");
}

// Many controllers on one database, none of which knows of the others.
TEST(JobKeeperTest, TwoControllersMakeNoDoubleBlocks) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(LooksJob()).value();
  agent.on_boot = [&](const v1::BootOrder& order) {
    const BootName name = NameOf(order);
    if (name.block == 2 && name.variant == 0) {
      return ScriptedAgent::Ended(order, v1::OUTCOME_DISTURBED, "throttled");
    }
    return Measuring(Challenger(UpAndDown))(order);
  };
  std::atomic<bool> stop = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      while (!stop) EXPECT_TRUE(KeepJobs(farm.database()).ok());
    });
  }
  const absl::Status ran = agent.Run([&] { return farm.Ended(job); });
  stop = true;
  for (std::thread& other : others) other.join();
  ASSERT_TRUE(ran.ok()) << ran;
  const v1::JobView view = farm.Job(job);
  EXPECT_EQ(view.plan().blocks_size(), 25);
  EXPECT_EQ(Repetitions(view), 1u);
  EXPECT_EQ(view.boots_size(), 50);
  EXPECT_EQ(view.looks_size(), 3);
}

TEST(JobKeeperTest, ARestartLosesNothing) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(LooksJob()).value();
  farm.StopBackground();
  agent.on_boot = Measuring(Challenger(SettlesDown));
  const auto all_ended = [&] {
    const v1::JobView view = farm.Job(job);
    for (const v1::BootView& boot : view.boots()) {
      if (boot.state() != v1::WORK_STATE_ENDED) return false;
    }
    return true;
  };
  ASSERT_TRUE(agent.Run(all_ended).ok());
  EXPECT_FALSE(farm.Ended(job));
  EXPECT_EQ(farm.Job(job).boots_size(), 16);
  farm.StartBackground();
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_EQ(farm.Job(job).plan().blocks_size(), 16);
}

TEST(JobKeeperTest, ACancelledJobEndsAtOnce) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const int64_t job = farm.Submit(LooksJob()).value();
  v1::CancelJobRequest cancel;
  cancel.set_job(job);
  agent.on_boot = [&](const v1::BootOrder& order) {
    if (NameOf(order).block == 2) {
      EXPECT_TRUE(farm.Call(&Stub::CancelJob, cancel).ok());
    }
    return ScriptedAgent::Measured(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_EQ(farm.Job(job).state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(farm.Job(job).looks_size(), 0);
}

}  // namespace
}  // namespace shakedown::service
