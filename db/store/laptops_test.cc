// Machines that take a whole block: one lease for all its boots, which goes on from result to
// result; away and back, lost and given up.
#include <algorithm>
#include <mutex>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/janitor.h"
#include "db/store/machines.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LaptopsTest : public StoreTest {
 protected:
  std::vector<v1::BootOrder> Lease(const v1::SyncRequest& request) {
    const v1::SyncResponse response = Sync(request);
    return {response.boots().begin(), response.boots().end()};
  }
  // x1's word with `orders` in hand, the first under way.
  static v1::SyncRequest Holding(const std::vector<v1::BootOrder>& orders,
                                 uint64_t incarnation = 1) {
    v1::SyncRequest request = Laptop("x1", incarnation);
    v1::MachineStatus& machine = *request.mutable_machines(0);
    for (const v1::BootOrder& order : orders) {
      machine.set_epoch(order.epoch());
      if (machine.attempt_id().empty()) {
        machine.set_attempt_id(order.attempt_id());
      } else {
        machine.add_queued(order.attempt_id());
      }
    }
    return request;
  }
  static v1::SyncRequest Away(v1::SyncRequest request, uint32_t seconds) {
    v1::MachineStatus& machine = *request.mutable_machines(0);
    machine.set_dark_for_s(seconds);
    machine.set_dark_reason("reboots into 6.12 for 1.1A");
    machine.set_hands("hold the power button 10 s, then press it again");
    return request;
  }
  static std::vector<std::string> Names(const std::vector<v1::BootOrder>& orders) {
    std::vector<std::string> names;
    for (const v1::BootOrder& order : orders) names.push_back(order.name());
    return names;
  }
  absl::Status Record(const v1::BootResult& result) { return RecordBoot(db(), "x1", result); }
  std::string LeaseOf(const std::string& machine) {
    return Sql("SELECT attempt_id FROM machines WHERE name = '" + machine + "'");
  }
  void LeasedBefore(int seconds) {
    Sql(absl::StrCat("UPDATE boots SET leased_at = leased_at - ", seconds, " * interval '1 s'"));
  }
};

TEST_F(LaptopsTest, AWholeBlockUnderOneEpoch) {
  const int64_t job = Submit({"a", "b", "c"}, 2);
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  ASSERT_THAT(Names(block), ElementsAre("1.1A", "1.1B", "1.1C"));
  for (const v1::BootOrder& order : block) EXPECT_EQ(order.epoch(), 1);
  EXPECT_EQ(Sql("SELECT epoch FROM machines"), "1");
  EXPECT_EQ(LeaseOf("x1"), block[0].attempt_id());
  EXPECT_EQ(Boots(job), "1A running, 1B running, 1C running, 2A queued, 2B queued, 2C queued");
  EXPECT_EQ(Machine("x1").boot(), "1.1A");
  EXPECT_EQ(GetJob(db(), job)->boots(1).phase(), "queued on x1");
  EXPECT_TRUE(Lease(Holding(block)).empty());
  EXPECT_TRUE(Sync(Holding(block)).cancel().empty());

  // Results may come in any order; the lease stays with the first that has none.
  ASSERT_EQ(Record(Measured(block[1])), absl::OkStatus());
  EXPECT_EQ(LeaseOf("x1"), block[0].attempt_id());
  ASSERT_EQ(Record(Measured(block[0])), absl::OkStatus());
  EXPECT_EQ(LeaseOf("x1"), block[2].attempt_id());
  EXPECT_TRUE(Lease(Holding({block[2]})).empty());
  ASSERT_EQ(Record(Measured(block[2])), absl::OkStatus());
  EXPECT_EQ(LeaseOf("x1"), "NULL");
  const std::vector<v1::BootOrder> next = Lease(Laptop("x1"));
  ASSERT_THAT(Names(next), ElementsAre("1.2A", "1.2B", "1.2C"));
  EXPECT_EQ(next[0].epoch(), 2);
}

TEST_F(LaptopsTest, AVmStillGetsOneBootAtATime) {
  Submit({"a", "b"});
  BuildAll();
  const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
  ASSERT_EQ(work.boots_size(), 1);
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(work.boots(0))), absl::OkStatus());
  EXPECT_EQ(LeaseOf("vm1"), "NULL");
  EXPECT_EQ(Sync(Agent("host1", {"vm1"})).boots(0).epoch(), 2);
}

TEST_F(LaptopsTest, ALostAnswerGivesTheSameBlockAgain) {
  Submit({"a", "b"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  const std::vector<v1::BootOrder> again = Lease(Laptop("x1"));
  ASSERT_EQ(again.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].SerializeAsString(), block[i].SerializeAsString());
  }
}

TEST_F(LaptopsTest, RebootsAreRestartsThatLoseNothing) {
  const int64_t job = Submit({"a", "b", "c"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  // Back from the second boot: the first's result is on its way and is not shown any more.
  EXPECT_TRUE(Lease(Holding({block[1], block[2]}, 5)).empty());
  EXPECT_EQ(Boots(job), "1A running, 1B running, 1C running");
  ASSERT_EQ(Record(Measured(block[0])), absl::OkStatus());
  ASSERT_EQ(Record(Measured(block[1])), absl::OkStatus());
  // Only what comes next is left, before it is in hand.
  v1::SyncRequest between = Laptop("x1", 6);
  between.mutable_machines(0)->add_queued(block[2].attempt_id());
  between.mutable_machines(0)->set_epoch(block[2].epoch());
  EXPECT_TRUE(Lease(between).empty());
  EXPECT_EQ(Machine("x1").state(), "running");
  ASSERT_EQ(Record(Measured(block[2])), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A measured, 1B measured, 1C measured");
}

TEST_F(LaptopsTest, AJournalThatIsGoneLosesTheWholeBlock) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  ASSERT_EQ(Lease(Laptop("x1")).size(), 2u);
  const std::vector<v1::BootOrder> again = Lease(Laptop("x1", 2));
  EXPECT_THAT(Names(again), ElementsAre("1.1A.2", "1.1B.2"));
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 running, 1B farm_failed, 1B.2 running");
}

TEST_F(LaptopsTest, ARetryWaitsForTheLeasesEndAndStaysOnItsMachine) {
  const int64_t job = Submit({"a", "b", "c"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  ASSERT_EQ(Record(Ended(block[0], v1::OUTCOME_FARM_FAILED, "disk full")), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 queued, 1B running, 1C running");
  EXPECT_TRUE(Lease(Holding({block[1], block[2]})).empty());
  EXPECT_TRUE(Lease(Laptop("x2")).empty());
  EXPECT_TRUE(Sync(Agent("host1", {"vm1"})).boots().empty());
  ASSERT_EQ(Record(Measured(block[1])), absl::OkStatus());
  ASSERT_EQ(Record(Measured(block[2])), absl::OkStatus());
  EXPECT_TRUE(Lease(Laptop("x2")).empty());
  const std::vector<v1::BootOrder> retry = Lease(Laptop("x1"));
  ASSERT_THAT(Names(retry), ElementsAre("1.1A.2"));
  EXPECT_EQ(retry[0].epoch(), 2);
}

TEST_F(LaptopsTest, AnOldEpochIsRefusedForEachBootOfTheBlock) {
  Submit({"a", "b"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  for (v1::BootOrder order : block) {
    order.set_epoch(order.epoch() - 1);
    EXPECT_THAT(Record(Measured(order)), IsError(absl::StatusCode::kFailedPrecondition, "epoch"));
  }
  v1::SyncRequest stale = Holding(block);
  stale.mutable_machines(0)->set_epoch(7);
  const v1::SyncResponse stops = Sync(stale);
  EXPECT_THAT(stops.cancel(), ElementsAre(block[0].attempt_id(), block[1].attempt_id()));
  EXPECT_EQ(Sql("SELECT count(*) FROM evidence"), "2");
  for (const v1::BootOrder& order : block) EXPECT_EQ(Record(Measured(order)), absl::OkStatus());
}

TEST_F(LaptopsTest, TwoControllersGrantABlockOnce) {
  constexpr int kLaptops = 4;
  Submit({"a", "b", "c"}, kLaptops);
  BuildAll();
  for (int i = 0; i < kLaptops; ++i) {
    v1::SyncRequest busy = Laptop(absl::StrCat("x", i));
    busy.mutable_machines(0)->set_problem("not yet");
    Sync(busy);
  }
  Sql("UPDATE machine_pulse SET problem = ''");
  std::mutex mutex;
  std::vector<std::string> names;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2 * kLaptops; ++i) {
    threads.emplace_back([&, laptop = absl::StrCat("x", i % kLaptops)] {
      const auto lease = LeaseBoot(laptop, laptop);
      ASSERT_TRUE(lease.ok()) << lease.status();
      EXPECT_TRUE(lease->orders.empty() || lease->orders.size() == 3) << lease->orders.size();
      std::lock_guard lock(mutex);
      for (const v1::BootOrder& order : lease->orders) names.push_back(order.name());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names.size(), 3u * kLaptops);
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(Sql("SELECT max(epoch) FROM machines"), "1");
  EXPECT_EQ(Sql("SELECT count(DISTINCT (job, block, machine)) FROM boots WHERE state = 'running'"),
            std::to_string(kLaptops));
}

TEST_F(LaptopsTest, CancellingAJobReachesTheQueuedBoots) {
  const int64_t job = Submit({"a", "b", "c"}, 2);
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  ASSERT_EQ(Record(Measured(block[0])), absl::OkStatus());
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  const v1::SyncResponse stop = Sync(Holding({block[1], block[2]}));
  EXPECT_THAT(stop.cancel(), ElementsAre(block[1].attempt_id(), block[2].attempt_id()));
  ASSERT_EQ(Record(Ended(block[2], v1::OUTCOME_CANCELLED, "")), absl::OkStatus());
  EXPECT_EQ(LeaseOf("x1"), block[1].attempt_id());
  ASSERT_EQ(Record(Ended(block[1], v1::OUTCOME_CANCELLED, "")), absl::OkStatus());
  EXPECT_EQ(LeaseOf("x1"), "NULL");
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_CANCELLED);
}

TEST_F(LaptopsTest, AKernelWithoutItsModulesIsForVmsOnly) {
  Submission old = Job({"a", "b"});
  old.variants[1].kernel.set_recipe_version(1);
  Store(old);
  BuildAll();
  Sync(Laptop("x1"));
  EXPECT_EQ(LeaseBoot("x1", "x1")->idle_reason,
            "no block can start: 1 have kernels built before modules were kept: submit again");
  EXPECT_EQ(Sync(Agent("host1", {"vm1"})).boots_size(), 1);
}

TEST_F(LaptopsTest, AwayIsShownAndNotLost) {
  Submit({"a", "b"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  Sync(Away(Holding(block), 3 * 3600));
  const v1::MachineView away = Machine("x1");
  EXPECT_EQ(away.state(), "running");
  EXPECT_THAT(away.detail(), testing::MatchesRegex(
                                 "boots 1.1A: away until ..:.. UTC: reboots into 6.12 for 1.1A"));
  EXPECT_TRUE(away.has_dark_until());
  EXPECT_EQ(away.hands(), "");

  SilentFor(2 * 3600);  // An hour of its dark time is left.
  LeasedBefore(2 * 3600);
  EXPECT_EQ(Machine("x1").state(), "running");
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 0);
  EXPECT_TRUE(Sync(Agent("host1", {"vm1"})).boots().empty());
}

TEST_F(LaptopsTest, NeedsHandsUntilItReportsByItself) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  Sync(Away(Holding(block), 600));
  SilentFor(600 + 60);
  EXPECT_EQ(Machine("x1").state(), "running") << "in its grace";
  SilentFor(40);
  LeasedBefore(700);
  const v1::MachineView lost = Machine("x1");
  EXPECT_EQ(lost.state(), "needs_hands");
  EXPECT_EQ(lost.boot(), "1.1A");
  EXPECT_EQ(lost.hands(), "hold the power button 10 s, then press it again");
  EXPECT_THAT(lost.detail(), HasSubstr("to do: hold the power button"));

  // For a night: nobody else gets its boots, and what it measured is taken.
  SilentFor(12 * 3600);
  LeasedBefore(12 * 3600);
  const auto report = RunJanitor(db());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->boots_given_up + report->blocks_unbound + report->blocks_orphaned, 0);
  EXPECT_TRUE(Sync(Agent("host1", {"vm1"})).boots().empty());
  EXPECT_TRUE(Sync(Holding(block, 2)).cancel().empty());
  EXPECT_EQ(Machine("x1").state(), "running");
  ASSERT_EQ(Record(Ended(block[0], v1::OUTCOME_HUNG, "did not come back")), absl::OkStatus());
  ASSERT_EQ(Record(Measured(block[1])), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A hung, 1B measured");
}

TEST_F(LaptopsTest, SilentWithoutAWordIsUnknownNotInNeedOfHands) {
  Submit({"a"});
  BuildAll();
  Sync(Holding(Lease(Laptop("x1"))));
  SilentFor(200);
  EXPECT_EQ(Machine("x1").state(), "unknown");
  SilentFor(90000);
  LeasedBefore(90000);
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 1);
}

TEST_F(LaptopsTest, GivenUpADayPastItsDarkTime) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  Sync(Away(Holding(block), 3600));
  Sync(Agent("host1", {"vm1"}));
  SilentFor(24 * 3600 + 1800, "x1");  // Half an hour of the day past its dark time is left.
  LeasedBefore(24 * 3600 + 1800);
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 0);
  SilentFor(3600, "x1");
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 2);
  EXPECT_EQ(LeaseOf("x1"), "NULL");
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 queued, 1B farm_failed, 1B.2 queued");
  // Too late: kept as evidence, and the machine is told to stop.
  EXPECT_THAT(Record(Measured(block[0])),
              IsError(absl::StatusCode::kFailedPrecondition, "given up meanwhile"));
  EXPECT_EQ(Sync(Holding(block, 2)).cancel_size(), 2);
}

TEST_F(LaptopsTest, OnlineButNeverDoneIsGivenUpADayPastTheBlocksLimits) {
  Submit({"a", "b"});  // 300 s each.
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  LeasedBefore(86400 + 590);
  Sync(Holding(block));
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 0);
  LeasedBefore(20);
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 2);
}

TEST_F(LaptopsTest, ACancelledJobDoesNotWaitADay) {
  const int64_t job = Submit({"a"});
  BuildAll();
  const std::vector<v1::BootOrder> block = Lease(Laptop("x1"));
  Sync(Away(Holding(block), 1200));
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  SilentFor(1200 + 590);
  LeasedBefore(1200 + 590);
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 0);
  SilentFor(20);
  EXPECT_EQ(RunJanitor(db())->boots_given_up, 1);
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_CANCELLED);
}

TEST_F(LaptopsTest, EvidenceIsKeptBoundedAndShown) {
  const int64_t job = Submit({"a"});
  BuildAll();
  v1::BootResult result = Ended(Lease(Laptop("x1"))[0], v1::OUTCOME_PANICKED, "Oops");
  result.set_evidence("<0>Kernel panic in pick_eevdf\n" + std::string(100000, 'x'));
  ASSERT_EQ(Record(result), absl::OkStatus());
  ASSERT_EQ(Record(result), absl::OkStatus());
  const std::string shown = GetJob(db(), job)->boots(0).console_tail();
  EXPECT_THAT(shown, testing::StartsWith("last words\n"));
  EXPECT_THAT(shown, HasSubstr("What the machine left behind:\n<0>Kernel panic in pick_eevdf\n"));
  EXPECT_LT(shown.size(), 9000u);
  EXPECT_LT(std::stoi(Sql("SELECT length(result) FROM boot_results")), 70000);
}

}  // namespace
}  // namespace shakedown::store
