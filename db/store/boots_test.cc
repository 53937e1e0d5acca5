// Leases and results of boots: order, binding, epochs, attempts, what is stored.
#include "db/store/boots.h"

#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

#include "db/store/agents.h"
#include "db/store/leases.h"
#include "db/store/reports.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

class BootsTest : public StoreTest {
 protected:
  // The one boot that machine vm1 of host1 gets now.
  v1::BootOrder Next() {
    const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
    EXPECT_EQ(work.boots_size(), 1);
    return work.boots_size() == 1 ? work.boots(0) : v1::BootOrder();
  }
  absl::Status Record(const v1::BootResult& result) { return RecordBoot(db(), "host1", result); }
};

TEST_F(BootsTest, AJobRunsInItsOrderAndIsDone) {
  Submission s = Job({"a", "b"}, 2);
  s.plan.mutable_blocks(1)->set_variants(0, 1);
  s.plan.mutable_blocks(1)->set_variants(1, 0);
  const int64_t job = Store(s);
  BuildAll();
  std::vector<std::string> names;
  for (int i = 0; i < 4; ++i) {
    const v1::BootOrder order = Next();
    names.push_back(order.name().substr(order.name().find('.') + 1));
    EXPECT_EQ(order.epoch(), i + 1);
    ASSERT_EQ(Record(Measured(order)), absl::OkStatus());
  }
  EXPECT_THAT(names, testing::ElementsAre("1A", "1B", "2B", "2A"));
  FinishDue();
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_DONE);
  EXPECT_TRUE(GetJob(db(), job)->has_ended());
  EXPECT_TRUE(Sync(Agent("host1", {"vm1"})).boots().empty());
}

TEST_F(BootsTest, AnOrderHoldsTheWholeBoot) {
  Submission s = Job({"a", "b"});
  v1::Kernel* kernel = s.variants[0].kernel.mutable_kernel();
  kernel->add_boot_parameters("quiet");
  v1::Tunable* tunable = kernel->add_tunables();
  tunable->set_name("kernel.sched_autogroup_enabled");
  tunable->set_value("1");
  *kernel->add_tunables() = *tunable;
  kernel->mutable_tunables(1)->set_name("vm.swappiness");
  v1::Variant* variant = s.spec.mutable_variants(0);
  variant->add_boot_parameters("nosmt");
  *variant->add_tunables() = *tunable;
  variant->mutable_tunables(0)->set_value("0");
  Store(s);
  BuildAll();
  const v1::BootOrder order = Next();
  EXPECT_EQ(order.machine(), "vm1");
  EXPECT_EQ(order.kernel(), "k-a");
  EXPECT_EQ(order.image().size(), 4096u);
  EXPECT_FALSE(order.has_initramfs());
  EXPECT_EQ(order.expected().release(), "6.12-k-a");
  EXPECT_THAT(order.boot_parameters(), testing::ElementsAre("quiet", "nosmt"));
  ASSERT_EQ(order.tunables_size(), 2);
  EXPECT_EQ(order.tunables(0).value(), "0");  // The variant's wins.
  EXPECT_EQ(order.tunables(1).name(), "vm.swappiness");
  EXPECT_EQ(order.loads_size(), 1);
  EXPECT_EQ(order.boot_limit_s(), 60u);
  EXPECT_EQ(order.run_limit_s(), 240u);
  EXPECT_EQ(order.build_key().size(), 64u);
}

TEST_F(BootsTest, AResultIsAcceptedOnce) {
  const int64_t job = Submit({"a"});
  BuildAll();
  const v1::BootResult result = Measured(Next());
  ASSERT_EQ(Record(result), absl::OkStatus());
  EXPECT_EQ(Record(result), absl::OkStatus());
  v1::BootResult other = result;
  other.mutable_load_runs(0)->mutable_measurements(0)->set_value(11);
  EXPECT_THAT(Record(other), IsCode(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(Sql("SELECT count(*) FROM measurements WHERE value = 10"), "1");
  EXPECT_EQ(Sql("SELECT count(*) FROM measurements"), "1");
  EXPECT_EQ(Sql("SELECT count(*) FROM evidence"), "1");
  EXPECT_EQ(Boots(job), "1A measured");
}

TEST_F(BootsTest, TheSameResultFromManyThreadsIsStoredOnce) {
  Submit({"a"});
  BuildAll();
  const v1::BootOrder order = Next();
  std::vector<std::thread> threads;
  std::atomic<int> accepted = 0, refused = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const absl::Status status = Record(Measured(order, i % 2));
      if (status.ok()) ++accepted;
      if (absl::IsAlreadyExists(status)) ++refused;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accepted, 4);
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(Sql("SELECT count(*) FROM measurements"), "1");
}

TEST_F(BootsTest, OldEpochsAndOtherAgentsAreRefused) {
  Submit({"a"});
  BuildAll();
  v1::BootResult result = Measured(Next());
  EXPECT_THAT(RecordBoot(db(), "host2", result), IsCode(absl::StatusCode::kFailedPrecondition));
  result.set_epoch(result.epoch() - 1);
  EXPECT_THAT(Record(result),
              IsError(absl::StatusCode::kFailedPrecondition, "epoch 0 of agent host1"));
  result.set_attempt_id("00000000-0000-4000-8000-000000000000");
  EXPECT_THAT(Record(result), IsCode(absl::StatusCode::kNotFound));
  result.set_attempt_id("x'y");
  EXPECT_THAT(Record(result), IsCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(BootsTest, TheFarmsFailuresAreTriedAgainUpToTheLimitInTheirPlace) {
  Submission s = Job({"a", "b"});
  s.spec.set_max_attempts(2);
  const int64_t job = Store(s);
  BuildAll();
  ASSERT_EQ(Record(Ended(Next(), v1::OUTCOME_FARM_FAILED, "QEMU was killed")), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 queued, 1B queued");
  ASSERT_EQ(Record(Ended(Next(), v1::OUTCOME_FARM_FAILED, "again")), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 farm_failed, 1B queued");
  const v1::BootOrder last = Next();
  EXPECT_EQ(last.name(), std::to_string(job) + ".1B");
  ASSERT_EQ(Record(Ended(last, v1::OUTCOME_PANICKED, "Kernel panic - not syncing")),
            absl::OkStatus());
  FinishDue();
  auto view = GetJob(db(), job);
  EXPECT_EQ(view->state(), v1::JOB_STATE_DONE);
  EXPECT_EQ(view->boots(2).reason(), "Kernel panic - not syncing");
  EXPECT_EQ(view->boots(2).console_tail(), "last words\n");
  EXPECT_EQ(*FindAttempt(db(), {job, 1, 0, 0}), view->boots(1).attempt_id());
  EXPECT_EQ(*FindAttempt(db(), {job, 1, 0, 1}), view->boots(0).attempt_id());
  EXPECT_THAT(FindAttempt(db(), {job, 9, 0, 1}).status(), IsCode(absl::StatusCode::kNotFound));
}

TEST_F(BootsTest, ADisturbedBootIsNotTriedAgainInItsBlock) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  ASSERT_EQ(Record(Ended(Next(), v1::OUTCOME_DISTURBED, "the lid was closed")), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A disturbed, 1B queued");
}

TEST_F(BootsTest, FindingsAreFinal) {
  const int64_t job = Submit({"a", "b"}, 4);
  BuildAll();
  for (v1::Outcome outcome :
       {v1::OUTCOME_BOOT_FAILED, v1::OUTCOME_PANICKED, v1::OUTCOME_HUNG, v1::OUTCOME_WRONG_KERNEL,
        v1::OUTCOME_SCHEDULER_EJECTED, v1::OUTCOME_LOAD_FAILED}) {
    ASSERT_EQ(Record(Ended(Next(), outcome, "why")), absl::OkStatus());
  }
  EXPECT_EQ(Boots(job),
            "1A boot_failed, 1B panicked, 2A hung, 2B wrong_kernel, 3A scheduler_ejected, 3B "
            "load_failed, "
            "4A queued, 4B queued");
}

TEST_F(BootsTest, NumbersThatAreNoneAndHalfResultsAreRefused) {
  Submit({"a"});
  BuildAll();
  const v1::BootResult good = Measured(Next());
  const auto refused = [&](auto&& change) {
    v1::BootResult result = good;
    change(result);
    return Record(result);
  };
  const auto bad = [](const std::string& text) {
    return IsError(absl::StatusCode::kInvalidArgument, text);
  };
  const auto number = [&](double value) {
    return refused(
        [&](auto& r) { r.mutable_load_runs(0)->mutable_measurements(0)->set_value(value); });
  };
  EXPECT_THAT(number(NAN), bad("metric \"make.real\": nan"));
  EXPECT_THAT(number(INFINITY), bad("metric \"make.real\": inf"));
  EXPECT_THAT(refused([](auto& r) { r.clear_load_runs(); }), bad("0 load runs"));
  EXPECT_THAT(refused([](auto& r) { r.mutable_load_runs(0)->set_load(1); }), bad("load run 1"));
  EXPECT_THAT(refused([](auto& r) { *r.add_load_runs() = r.load_runs(0); }), bad("is there twice"));
  EXPECT_THAT(refused([](auto& r) { r.mutable_load_runs(0)->clear_measurements(); }),
              bad("measured nothing"));
  EXPECT_THAT(refused([](auto& r) { r.set_outcome(v1::OUTCOME_UNSPECIFIED); }), bad("outcome 0"));
  EXPECT_THAT(refused([](auto& r) { r.set_outcome(v1::OUTCOME_WRONG_KERNEL); }),
              bad("wrong kernel"));
  EXPECT_THAT(refused([](auto& r) {
                v1::Series* series = r.mutable_load_runs(0)->add_series();
                series->set_name("vmstat.cs");
                series->set_step_ms(1000);
                series->add_values(-INFINITY);
              }),
              bad("series \"vmstat.cs\""));
  EXPECT_EQ(Record(good), absl::OkStatus());
}

TEST_F(BootsTest, WhatIsStoredIsWhatReportsRead) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const v1::BootOrder order = Next();
  v1::BootResult result = Measured(order, 0.1);
  result.set_console_tail(std::string("tail with a \0 and \xC3\xA9", 20));
  v1::LoadRun* run = result.mutable_load_runs(0);
  v1::Measurement* m = run->add_measurements();
  m->set_metric("latt.wakeup.\"max\", {\\}");
  m->set_value(1.0 / 3);
  m->set_unit("us");
  m->set_iteration(2);
  m->set_warmup(true);
  v1::Series* series = run->add_series();
  series->set_name("vmstat.cs");
  series->set_unit("1");
  series->set_step_ms(1000);
  for (double value : {1.0 / 7, std::nan(""), 1e300}) series->add_values(value);
  ASSERT_EQ(Record(result), absl::OkStatus());
  ASSERT_EQ(Record(Ended(Next(), v1::OUTCOME_HUNG, "silent for 60 s")), absl::OkStatus());
  FinishDue();

  auto data = GetReportData(db(), job);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->job.state(), v1::JOB_STATE_DONE);
  ASSERT_EQ(data->variants.size(), 2u);
  EXPECT_EQ(data->variants[1].kernel.name(), "k-b");
  EXPECT_EQ(data->variants[1].expected.release(), "6.12-k-b");
  EXPECT_EQ(data->variants[1].build.status(), "built");
  ASSERT_EQ(data->boots.size(), 2u);
  const ReportBoot& first = data->boots[0];
  EXPECT_EQ(first.view.outcome(), v1::OUTCOME_MEASURED);
  EXPECT_EQ(first.view.machine(), "vm1");
  EXPECT_EQ(first.result.identity().release(), "6.12-k-a");
  EXPECT_EQ(first.result.fingerprint().facts().at("vm.accelerator"), "tcg");
  ASSERT_EQ(first.result.load_runs_size(), 1);
  const v1::LoadRun& read = first.result.load_runs(0);
  ASSERT_EQ(read.measurements_size(), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read.measurements(i).SerializeAsString(), run->measurements(i).SerializeAsString());
  }
  EXPECT_THAT(read.warnings(), testing::ElementsAre("no \"RT\" permission, {really}"));
  EXPECT_EQ(data->boots[1].view.outcome(), v1::OUTCOME_HUNG);
  EXPECT_EQ(data->boots[1].view.reason(), "silent for 60 s");

  auto telemetry = GetSeries(db(), order.attempt_id(), 0);
  ASSERT_TRUE(telemetry.ok()) << telemetry.status();
  ASSERT_EQ(telemetry->size(), 1u);
  EXPECT_EQ((*telemetry)[0].values(0), 1.0 / 7);
  EXPECT_TRUE(std::isnan((*telemetry)[0].values(1)));
  EXPECT_EQ((*telemetry)[0].values(2), 1e300);
  EXPECT_THAT(GetReportData(db(), 99).status(), IsCode(absl::StatusCode::kNotFound));
}

TEST_F(BootsTest, ThePastGivesEstimates) {
  const Submission s = Job({"a", "b"}, 2);
  const int64_t job = Store(s);
  EXPECT_EQ(PastBoots(db(), s.spec.loads())->n, 0u);
  BuildAll();
  ASSERT_EQ(Record(Measured(Next())), absl::OkStatus());
  Sql("UPDATE boots SET leased_at = ended_at - interval '90 s' WHERE outcome = 'measured'");
  Sql("UPDATE builds SET leased_at = ended_at - interval '300 s'");
  EXPECT_EQ(PastBoots(db(), s.spec.loads())->n, 1u);
  EXPECT_EQ(PastBoots(db(), s.spec.loads())->median_s, 90);
  EXPECT_EQ(PastBoots(db(), s.spec.loads())->machine, "vm1");
  EXPECT_EQ(PastBuilds(db())->median_s, 300);
  EXPECT_EQ(PastBuilds(db())->n, 2u);
  EXPECT_EQ(GetJob(db(), job)->remaining_s(), 270u);
}

TEST_F(BootsTest, MachinesRacingForBlocksGetOneEach) {
  constexpr int kMachines = 6;
  const int64_t job = Submit({"a", "b"}, kMachines);
  BuildAll();
  for (int i = 0; i < kMachines; ++i) {
    const std::string n = std::to_string(i);
    Sync(Agent("host" + n, {}, 0));
    v1::SyncRequest busy = Agent("host" + n, {"vm" + n}, 0);
    busy.mutable_machines(0)->set_problem("not yet");
    Sync(busy);
  }
  Sql("UPDATE machine_pulse SET problem = ''");
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::string> leased;
  for (int i = 0; i < 2 * kMachines; ++i) {  // Two controllers ask for each machine.
    threads.emplace_back([&, n = std::to_string(i % kMachines)] {
      auto lease = LeaseBoot("host" + n, "vm" + n);
      ASSERT_TRUE(lease.ok()) << lease.status();
      std::lock_guard lock(mutex);
      if (!lease->orders.empty()) {
        EXPECT_TRUE(leased.insert(lease->orders[0].name()).second) << lease->orders[0].name();
      } else {
        EXPECT_EQ(lease->idle_reason, "it has a boot in hand");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(leased.size(), static_cast<size_t>(kMachines));
  EXPECT_EQ(Sql("SELECT count(DISTINCT block) FROM boots WHERE state = 'running' AND variant = 0"),
            std::to_string(kMachines));
  EXPECT_EQ(Sql("SELECT max(epoch) FROM machines"), "1");
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_ACTIVE);
}

TEST_F(BootsTest, ABlockStaysOnItsMachine) {
  Submit({"a", "b"}, 1);
  BuildAll();
  const v1::BootOrder first = Next();
  EXPECT_TRUE(Sync(Agent("host2", {"vm2"})).boots().empty());
  ASSERT_EQ(Record(Measured(first)), absl::OkStatus());
  EXPECT_TRUE(Sync(Agent("host2", {"vm2"})).boots().empty());
  EXPECT_EQ(LeaseBoot("host2", "vm2")->idle_reason, "no boot is queued for it");
  EXPECT_EQ(Next().name().back(), 'B');
}

TEST_F(BootsTest, MachineSelectorsAndYoungerJobs) {
  Submission picky = Job({"a", "b"});
  picky.spec.mutable_machines()->add_names("vm9");
  Store(picky);
  Submission tagged = Job({"a", "b"});
  tagged.spec.mutable_machines()->add_tags("tcg");
  const int64_t job = Store(tagged);
  BuildAll();
  EXPECT_EQ(Next().name(), std::to_string(job) + ".1A");
}

TEST_F(BootsTest, AHostNeverBuildsWhileItMeasures) {
  Submit({"a"});
  BuildAll();
  Submit({"a", "b"});
  v1::SyncRequest host = Agent("host1", {"vm1"});
  v1::SyncResponse work = Sync(host);
  ASSERT_EQ(work.boots_size(), 1);
  EXPECT_TRUE(work.builds().empty());
  host.mutable_machines(0)->set_attempt_id(work.boots(0).attempt_id());
  host.mutable_machines(0)->set_epoch(work.boots(0).epoch());
  EXPECT_EQ(LeaseBuild("host1")->idle_reason, "one of its machines runs a boot");
  ASSERT_EQ(Record(Measured(work.boots(0))), absl::OkStatus());
  EXPECT_TRUE(Sync(host).builds().empty());  // The agent has not let go yet.
  work = Sync(Agent("host1", {"vm1"}));
  ASSERT_EQ(work.builds_size(), 1);
  EXPECT_TRUE(work.boots().empty());
  EXPECT_EQ(LeaseBoot("host1", "vm1")->idle_reason, "its host builds");
}

}  // namespace
}  // namespace shakedown::store
