// What happens to a job when its boots have ended: it is due, and somebody decides once.
#include "db/store/looks.h"

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LooksTest : public StoreTest {
 protected:
  v1::BootOrder Next() {
    const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
    EXPECT_EQ(work.boots_size(), 1);
    return work.boots_size() == 1 ? work.boots(0) : v1::BootOrder();
  }
  bool Idle() { return Sync(Agent("host1", {"vm1"})).boots().empty(); }
  void Measure(int boots) {
    for (int i = 0; i < boots; ++i) {
      ASSERT_EQ(RecordBoot(db(), "host1", Measured(Next())), absl::OkStatus());
    }
  }
  // All boots of a job of one block have been measured.
  int64_t MeasuredJob() {
    const int64_t job = Submit({"a", "b"});
    BuildAll();
    Measure(2);
    return job;
  }
  std::vector<int64_t> Due() { return DueJobs(db()).value(); }
  Decision About(int64_t job) {
    Decision decision;
    decision.job = job;
    decision.version = GetJobClock(db(), job)->version;
    return decision;
  }
  static v1::PlannedBlock Block(uint32_t number, uint32_t replaces = 0) {
    v1::PlannedBlock block;
    block.set_block(number);
    block.add_variants(1);
    block.add_variants(0);
    block.set_replaces(replaces);
    return block;
  }
  static v1::LookView Look(uint32_t number, uint32_t after) {
    v1::LookView look;
    look.set_look(number);
    look.set_after_blocks(after);
    look.set_decision("goes on");
    look.set_text("make.real B inconclusive");
    return look;
  }
  std::string Job(int64_t job) {
    return Sql(absl::StrCat("SELECT state FROM jobs WHERE id = ", job));
  }
  using StoreTest::Job;
};

TEST_F(LooksTest, AJobIsDueWhenItsLastBootHasEnded) {
  const int64_t job = Submit({"a", "b"});
  EXPECT_THAT(Due(), IsEmpty());
  BuildAll();
  Measure(1);
  EXPECT_THAT(Due(), IsEmpty());
  const int64_t version = *JobVersion(db(), job);
  Measure(1);
  EXPECT_THAT(Due(), ElementsAre(job));
  EXPECT_GT(*JobVersion(db(), job), version);
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_ACTIVE);
  EXPECT_EQ(GetJob(db(), job)->next_look(), 1u);
  FinishDue();
  EXPECT_THAT(Due(), IsEmpty());
  const v1::JobView view = *GetJob(db(), job);
  EXPECT_EQ(view.state(), v1::JOB_STATE_DONE);
  EXPECT_EQ(view.end_reason(), "its blocks are done");
  EXPECT_EQ(view.next_look(), 0u);
}

TEST_F(LooksTest, BlocksAreAddedWithTheLookThatAskedForThem) {
  const int64_t job = MeasuredJob();
  Decision decision = About(job);
  decision.look = Look(1, 1);
  decision.add = {Block(2), Block(3, 1)};
  EXPECT_EQ(*Decide(db(), decision), true);
  EXPECT_EQ(Boots(job), "1A measured, 1B measured, 2B queued, 2A queued, 3B queued, 3A queued");
  const v1::JobView view = *GetJob(db(), job);
  ASSERT_EQ(view.plan().blocks_size(), 3);
  EXPECT_EQ(view.plan().blocks(2).replaces(), 1u);
  EXPECT_EQ(view.next_look(), 2u) << "repetitions do not count";
  ASSERT_EQ(view.looks_size(), 1);
  EXPECT_EQ(view.looks(0).text(), "make.real B inconclusive");
  EXPECT_GT(view.looks(0).at().seconds(), 1000000000);
  EXPECT_EQ(Sql("SELECT replaces FROM blocks WHERE block = 3"), "1");
  EXPECT_THAT(Due(), IsEmpty());
  Measure(4);
  EXPECT_THAT(Due(), ElementsAre(job));
}

TEST_F(LooksTest, OfTwoThatDecideOneDoes) {
  const int64_t job = MeasuredJob();
  Decision decision = About(job);
  decision.look = Look(1, 1);
  decision.add = {Block(2)};
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const absl::StatusOr<bool> did = Decide(db(), decision);
      EXPECT_TRUE(did.ok()) << did.status();
      done += did.value_or(false) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(Boots(job), "1A measured, 1B measured, 2B queued, 2A queued");
  EXPECT_EQ(Sql("SELECT count(*) FROM job_looks"), "1");
}

TEST_F(LooksTest, WhatHasChangedIsNotDecidedAbout) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  Measure(1);
  Decision decision = About(job);
  decision.finish = true;
  EXPECT_THAT(Decide(db(), decision).status(), IsCode(absl::StatusCode::kFailedPrecondition));
  Measure(1);
  EXPECT_EQ(*Decide(db(), decision), false);
  decision = About(job);
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  EXPECT_EQ(Job(job), "cancelled") << "of a job that is due, at once";
  EXPECT_EQ(*Decide(db(), decision), false);
  EXPECT_EQ(Job(job), "cancelled");
  EXPECT_EQ(*Decide(db(), About(job)), false);
}

TEST_F(LooksTest, ACancelledJobIsNotDue) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const v1::BootOrder order = Next();
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  EXPECT_THAT(Due(), IsEmpty());
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(order, v1::OUTCOME_CANCELLED, "")), absl::OkStatus());
  EXPECT_EQ(Job(job), "cancelled");
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(LooksTest, BlocksThatDoNotFitAreRefusedWithTheirLook) {
  const int64_t job = MeasuredJob();
  for (const v1::PlannedBlock& block : {Block(3), Block(1), Block(2, 2)}) {
    Decision decision = About(job);
    decision.look = Look(1, 1);
    decision.add = {block};
    EXPECT_THAT(Decide(db(), decision).status(), IsCode(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_EQ(Boots(job), "1A measured, 1B measured");
  EXPECT_EQ(Sql("SELECT count(*) FROM job_looks"), "0");
}

TEST_F(LooksTest, AddedBootsOfAFailedBuildHaveFailedToo) {
  const int64_t job = Submit({"a", "b"});
  const v1::SyncResponse work = Sync(Agent("host1", {}, 2));
  for (const v1::BuildOrder& order : work.builds()) {
    const bool a = order.kernel().kernel().name() == "k-a";
    ASSERT_EQ(RecordBuild(db(), "host1",
                          a ? Built(order)
                            : BuildEnded(order, v1::BuildResult::STATUS_FAILED, "no such flag")),
              absl::OkStatus());
  }
  Measure(1);
  Decision decision = About(job);
  decision.add = {Block(2)};
  EXPECT_EQ(*Decide(db(), decision), true);
  EXPECT_EQ(Boots(job), "1A measured, 1B build_failed, 2B build_failed, 2A queued");
  EXPECT_EQ(GetJob(db(), job)->boots(2).reason(), "no such flag");
}

TEST_F(LooksTest, WithTheBudgetSpentNoBlockIsBegun) {
  Submission s = Job({"a", "b"}, 3);
  s.spec.set_budget_s(3600);
  s.block_s = 60;
  const int64_t job = Store(s);
  BuildAll();
  EXPECT_FALSE(GetJobClock(db(), job)->spent_s.has_value());
  const v1::BootOrder first = Next();
  EXPECT_THAT(*GetJobClock(db(), job)->spent_s, testing::AllOf(testing::Ge(0), testing::Lt(60)));
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(first)), absl::OkStatus());
  EXPECT_THAT(Due(), IsEmpty());
  Sql("UPDATE jobs SET started_at = started_at - interval '1 hour'");
  EXPECT_THAT(Due(), ElementsAre(job));
  const v1::BootOrder second = Next();
  EXPECT_EQ(second.name(), absl::StrCat(job, ".1B")) << "a block that was begun goes on";
  Decision decision = About(job);
  decision.cancel_unbegun = true;
  decision.reason = "time budget of 1 h spent";
  EXPECT_EQ(*Decide(db(), decision), true);
  EXPECT_EQ(Boots(job),
            "1A measured, 1B running, 2A cancelled, 2B cancelled, 3A cancelled, 3B cancelled");
  EXPECT_EQ(GetJob(db(), job)->boots(2).reason(), "time budget of 1 h spent");
  EXPECT_THAT(Due(), IsEmpty());
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(second)), absl::OkStatus());
  EXPECT_THAT(Due(), ElementsAre(job));
}

TEST_F(LooksTest, ABlockThatWouldEndTooLateIsNotLeased) {
  Submission s = Job({"a", "b"}, 2);
  s.spec.set_budget_s(3600);
  const int64_t job = Store(s);
  BuildAll();
  Measure(2);
  EXPECT_LT(GetJobClock(db(), job)->block_s, 60) << "as the first block took";
  Sql("UPDATE jobs SET block_s = 3600");
  EXPECT_TRUE(Idle());
  EXPECT_THAT(Due(), ElementsAre(job));
  Sql("UPDATE jobs SET block_s = 60");
  EXPECT_FALSE(Idle());
  EXPECT_THAT(Due(), IsEmpty());
}

TEST_F(LooksTest, ABlocksTimeIsThatOfWholeBlocks) {
  Submission s = Job({"a", "b"}, 3);
  s.spec.set_budget_s(36000);
  s.block_s = 5;
  const int64_t job = Store(s);
  BuildAll();
  v1::BootOrder order = Next();
  Sql("UPDATE boots SET leased_at = leased_at - interval '100 s' WHERE state = 'running'");
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(order, v1::OUTCOME_FARM_FAILED, "x")),
            absl::OkStatus());
  EXPECT_EQ(GetJobClock(db(), job)->block_s, 5) << "what the farm failed is no measure";
  order = Next();
  Sql("UPDATE boots SET leased_at = leased_at - interval '30 s' WHERE state = 'running'");
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(order)), absl::OkStatus());
  EXPECT_NEAR(GetJobClock(db(), job)->block_s, 60, 10) << "two boots of 30 s";
  order = Next();
  Sql("UPDATE boots SET leased_at = leased_at - interval '200 s' WHERE outcome = 'measured'");
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(order)), absl::OkStatus());
  EXPECT_NEAR(GetJobClock(db(), job)->block_s, 230, 10)
      << "from the first's lease to the last's end";
}

}  // namespace
}  // namespace shakedown::store
