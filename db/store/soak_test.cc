// Agents of VMs and of laptops, submitters, a canceller and the janitor at once: every job ends,
// each boot is measured at most once, no host builds while it measures, a laptop has boots of one
// block and epoch at a time, and no two transactions ever waited for each other in a ring.
#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/janitor.h"
#include "db/store/jobs.h"
#include "db/store/store_testing.h"
#include "proto/wire/clock.h"

namespace shakedown::store {
namespace {

constexpr int kHosts = 3, kLaptops = 2, kJobs = 12, kBlocks = 3;
constexpr absl::Duration kLimit = absl::Minutes(3);

class SoakTest : public StoreTest {
 protected:
  // Like a real agent, it keeps what it was given until the farm has answered its result. Now and
  // then an answer is lost, a result is sent twice, or the agent is killed and forgets everything.
  class Host {
   public:
    Host(SoakTest& test, int number)
        : test_(test),
          laptop_(number >= kHosts),
          name_(absl::StrCat(laptop_ ? "laptop" : "host", number)),
          random_(number) {}

    void Run(const std::atomic<bool>& stop) {
      while (!stop) Round();
    }

   private:
    bool Chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

    v1::SyncRequest Word() {
      if (laptop_) return LaptopsWord();
      v1::SyncRequest word = Agent(name_, {name_ + "-vm1", name_ + "-vm2"}, 2, incarnation_);
      for (v1::MachineStatus& machine : *word.mutable_machines()) {
        for (const v1::BootOrder& order : boots_) {
          if (order.machine() != machine.name()) continue;
          machine.set_attempt_id(order.attempt_id());
          machine.set_epoch(order.epoch());
        }
      }
      for (size_t i = 0; i < builds_.size(); ++i) {
        word.mutable_build_slots(static_cast<int>(i))->set_build_id(builds_[i].build_id());
        word.mutable_build_slots(static_cast<int>(i))->set_epoch(builds_[i].epoch());
      }
      return word;
    }

    v1::SyncRequest LaptopsWord() {
      v1::SyncRequest word = Laptop(name_, incarnation_);
      for (const v1::BootOrder& order : boots_) {
        v1::MachineStatus& machine = *word.mutable_machines(0);
        machine.set_epoch(order.epoch());
        EXPECT_EQ(order.epoch(), boots_.front().epoch());
        if (machine.attempt_id().empty()) {
          machine.set_attempt_id(order.attempt_id());
        } else {
          machine.add_queued(order.attempt_id());
        }
      }
      return word;
    }

    void Round() {
      if (laptop_ && Chance(30)) ++incarnation_;  // A reboot, which its journal survives.
      if (Chance(3)) {
        ++incarnation_;
        boots_.clear();
        builds_.clear();
      }
      const absl::StatusOr<v1::SyncResponse> answer = test_.TrySync(Word());
      // Aborted: others were faster several times over, call again (database.h); the next round
      // does.
      if (absl::IsAborted(answer.status())) return;
      ASSERT_TRUE(answer.ok()) << answer.status();
      if (Chance(5)) return;
      for (const v1::BootOrder& order : answer->boots()) boots_.push_back(order);
      for (const v1::BuildOrder& order : answer->builds()) builds_.push_back(order);
      EXPECT_TRUE(boots_.empty() || builds_.empty()) << name_ << " builds while it measures";
      EXPECT_LE(boots_.size(), 2u);  // Of two machines, or of one block of two variants.
      EXPECT_LE(builds_.size(), 2u);
      if (!boots_.empty() && Chance(60)) EndBoot();
      if (!builds_.empty() && Chance(60)) EndBuild();
    }

    void EndBoot() {
      const v1::BootOrder order = boots_.back();
      v1::BootResult result = Measured(order, static_cast<double>(random_() % 100));
      if (Chance(20)) result = Ended(order, v1::OUTCOME_FARM_FAILED, "the farm");
      if (Chance(10)) result = Ended(order, v1::OUTCOME_PANICKED, "the kernel");
      std::thread twice;
      if (Chance(20)) twice = std::thread([&] { Check(RecordBoot(test_.db(), name_, result)); });
      Check(RecordBoot(test_.db(), name_, result));
      if (twice.joinable()) twice.join();
      boots_.pop_back();
    }

    void EndBuild() {
      const v1::BuildOrder order = builds_.back();
      v1::BuildResult result = test_.Built(order);
      if (Chance(15)) result = BuildEnded(order, v1::BuildResult::STATUS_FARM_FAILED, "the farm");
      if (Chance(10)) result = BuildEnded(order, v1::BuildResult::STATUS_FAILED, "the compiler");
      Check(RecordBuild(test_.db(), name_, result));
      builds_.pop_back();
    }

    // A cancelled build's result is refused; nothing else may go wrong.
    static void Check(const absl::Status& status) {
      EXPECT_TRUE(status.ok() || absl::IsFailedPrecondition(status)) << status;
    }

    SoakTest& test_;
    const bool laptop_;
    const std::string name_;
    std::mt19937 random_;
    uint64_t incarnation_ = 1;
    std::vector<v1::BootOrder> boots_;
    std::vector<v1::BuildOrder> builds_;
  };

  std::string Open() { return Sql("SELECT count(*) FROM jobs WHERE state = 'active'"); }
};

TEST_F(SoakTest, EveryJobEndsWithEachBootMeasuredOnce) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < kHosts + kLaptops; ++i) {
    threads.emplace_back([&, i] { Host(*this, i).Run(stop); });
  }
  threads.emplace_back([&] {
    while (!stop) {
      EXPECT_TRUE(RunJanitor(db()).ok());
      FinishDue();
    }
  });
  std::vector<int64_t> jobs;
  for (int i = 0; i < kJobs; ++i) {
    jobs.push_back(Submit({"base", absl::StrCat("patch", i % 5)}, kBlocks));
    if (i % 4 == 3) {
      EXPECT_EQ(CancelJob(db(), jobs[i - 1]), absl::OkStatus());
    }
  }
  Clock& clock = SystemClock();
  const absl::Duration start = clock.Elapsed();
  while (Open() != "0" && clock.Elapsed() - start < kLimit) clock.Sleep(absl::Milliseconds(20));
  stop = true;
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(Open(), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM boots WHERE state <> 'ended'"), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM machines WHERE attempt_id IS NOT NULL"), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM builds WHERE state IN ('queued', 'running')"), "0");
  // Each boot of a job that was not cancelled has one last attempt, and only earlier ones were the
  // farm's.
  EXPECT_EQ(Sql("SELECT count(*) FROM (SELECT FROM boots WHERE outcome = 'measured' "
                "GROUP BY job, block, variant HAVING count(*) > 1) twice"),
            "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM boots o WHERE outcome <> 'farm_failed' AND EXISTS (SELECT "
                "FROM boots n "
                "WHERE (n.job, n.block, n.variant) = (o.job, o.block, o.variant) AND n.attempt > "
                "o.attempt)"),
            "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM boots o WHERE outcome = 'measured' AND NOT EXISTS "
                "(SELECT FROM load_runs l JOIN measurements m ON m.load_run = l.id "
                "WHERE l.attempt_id = o.attempt_id)"),
            "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM boots o JOIN blocks k USING (job, block) "
                "WHERE o.outcome = 'measured' AND o.machine <> k.machine"),
            "0");
  // A laptop's lease is one block; a VM's is one boot.
  EXPECT_EQ(Sql("SELECT count(*) FROM (SELECT FROM boots WHERE epoch IS NOT NULL "
                "GROUP BY machine, epoch HAVING count(DISTINCT (job, block)) > 1 "
                "OR (machine LIKE '%vm%' AND count(*) > 1)) mixed"),
            "0");
  EXPECT_NE(Sql("SELECT count(*) FROM boots WHERE outcome = 'measured' AND machine LIKE 'host%'"),
            "0");
  EXPECT_NE(Sql("SELECT count(*) FROM boots WHERE outcome = 'measured' AND machine LIKE 'laptop%'"),
            "0");
  Sql("SELECT pg_stat_force_next_flush()");
  EXPECT_EQ(Sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"), "0");
}

}  // namespace
}  // namespace shakedown::store
