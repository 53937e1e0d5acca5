// Jobs and builds: submit, share, build, cancel, and what people see of it.
#include "db/store/jobs.h"

#include <atomic>
#include <thread>

#include "db/store/agents.h"
#include "db/store/artefacts.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/leases.h"
#include "db/store/store_testing.h"
#include "proto/wire/digest.h"

namespace shakedown::store {
namespace {

using JobsTest = StoreTest;

TEST_F(JobsTest, TheSameRequestIsTheSameJob) {
  const Submission s = Job({"a", "b"}, 2);
  const int64_t job = Store(s);
  EXPECT_EQ(Store(s), job);
  Submission other = Job({"a", "c"});
  EXPECT_EQ(Store(other), job + 1);  // No number was used up.
  other.request_id = s.request_id;
  EXPECT_EQ(Store(other), job);
  EXPECT_EQ(**FindJobByRequest(db(), s.request_id), job);
  EXPECT_EQ(FindJobByRequest(db(), Job({"a"}).request_id)->has_value(), false);
}

TEST_F(JobsTest, TheSameRequestAtOnceIsOneJob) {
  const Submission s = Job({"a", "b"}, 20);
  std::vector<std::thread> threads;
  std::vector<int64_t> jobs(8);
  for (int64_t& job : jobs) threads.emplace_back([&] { job = Store(s); });
  for (std::thread& thread : threads) thread.join();
  for (int64_t job : jobs) EXPECT_EQ(job, jobs[0]);
  EXPECT_EQ(Sql("SELECT count(*) FROM jobs"), "1");
  EXPECT_EQ(Sql("SELECT count(*) FROM boots"), "40");
  EXPECT_EQ(Sql("SELECT count(*) FROM builds"), "2");
}

TEST_F(JobsTest, JobsAtOnceShareTheirBuilds) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] { i % 2 == 0 ? Submit({"a", "b"}) : Submit({"b", "a"}); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Sql("SELECT count(*) FROM jobs"), "8");
  EXPECT_EQ(Sql("SELECT count(*) FROM builds"), "2");
}

TEST_F(JobsTest, WhatASubmitStoresIsWhatIsSeen) {
  Submission s = Job({"a", "b"}, 2);
  s.spec.set_title("'; DROP TABLE jobs; -- \xF0\x9F\x90\xA7");
  s.plan.mutable_blocks(1)->set_variants(0, 1);
  s.plan.mutable_blocks(1)->set_variants(1, 0);
  const int64_t job = Store(s);
  auto view = GetJob(db(), job);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->spec().SerializeAsString(), s.spec.SerializeAsString());
  EXPECT_EQ(view->plan().SerializeAsString(), s.plan.SerializeAsString());
  EXPECT_EQ(view->submitter(), "ann");
  EXPECT_EQ(view->state(), v1::JOB_STATE_ACTIVE);
  EXPECT_GT(view->submitted().seconds(), 1000000000);
  EXPECT_EQ(Boots(job), "1A waiting, 1B waiting, 2B waiting, 2A waiting");
  ASSERT_EQ(view->builds_size(), 2);
  EXPECT_EQ(view->builds(0).kernel(), "k-a");
  EXPECT_EQ(view->builds(0).state(), v1::WORK_STATE_QUEUED);
  EXPECT_EQ(view->remaining_s(), 0u);
  EXPECT_THAT(GetJob(db(), 99).status(), IsError(absl::StatusCode::kNotFound, "job 99"));
}

TEST_F(JobsTest, PartsThatDoNotFitAreRefusedAndNothingIsStored) {
  const auto refused = [&](auto&& change) {
    Submission s = Job({"a", "b"}, 2);
    change(s);
    return SubmitJob(db(), s).status();
  };
  const auto bad = [](const std::string& text) {
    return IsError(absl::StatusCode::kInvalidArgument, text);
  };
  EXPECT_THAT(refused([](auto& s) { s.request_id = "7"; }), bad("request_id \"7\""));
  EXPECT_THAT(refused([](auto& s) { s.plan.mutable_blocks(1)->set_variants(0, 1); }),
              bad("block 2"));
  EXPECT_THAT(refused([](auto& s) { s.plan.mutable_blocks(1)->add_variants(2); }), bad("block 2"));
  EXPECT_THAT(refused([](auto& s) { s.plan.clear_blocks(); }), bad("0 blocks"));
  EXPECT_THAT(refused([](auto& s) { s.variants.pop_back(); }), bad("2 variants with 1 kernels"));
  EXPECT_THAT(refused([](auto& s) { s.variants[0].request_key = "XYZ"; }), bad("request key"));
  EXPECT_THAT(refused([](auto& s) { s.spec.clear_loads(); }), bad("no load"));
  EXPECT_THAT(refused([](auto& s) { s.spec.set_max_attempts(11); }), bad("max_attempts 11"));
  EXPECT_THAT(refused([](auto& s) { s.run_limit_s = 0; }), bad("limit of 0 s"));
  EXPECT_EQ(Sql("SELECT count(*) FROM jobs"), "0");
  EXPECT_EQ(Sql("SELECT count(*) FROM builds"), "0");
}

TEST_F(JobsTest, ABuiltKernelQueuesItsBootsInAllJobs) {
  const int64_t one = Submit({"a", "b"});
  const int64_t two = Submit({"b", "a"});
  const v1::SyncResponse work = Sync(Agent("host1", {}, 2));
  ASSERT_EQ(work.builds_size(), 2);
  const v1::BuildOrder& order = work.builds(0);
  EXPECT_EQ(order.epoch(), 1);
  EXPECT_EQ(order.limit_s(), 600u);
  const int64_t version = *JobVersion(db(), one);
  v1::BuildResult result = Built(order);
  ASSERT_EQ(RecordBuild(db(), "host1", result), absl::OkStatus());
  EXPECT_GT(*JobVersion(db(), one), version);
  const bool a = order.kernel().kernel().name() == "k-a";
  EXPECT_EQ(Boots(one), a ? "1A queued, 1B waiting" : "1A waiting, 1B queued");
  EXPECT_EQ(Boots(two), a ? "1A waiting, 1B queued" : "1A queued, 1B waiting");

  EXPECT_EQ(RecordBuild(db(), "host1", result), absl::OkStatus());
  result.set_duration_ms(1);
  EXPECT_THAT(RecordBuild(db(), "host1", result), IsCode(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(Sql("SELECT count(*) FROM evidence"), "1");
  EXPECT_EQ(FindBuilt(db(), result.build_key())->value().duration_ms(), 5000u);
  EXPECT_FALSE(FindBuilt(db(), Sha256Hex("none"))->has_value());
}

TEST_F(JobsTest, ABuildResultMustBeTheLeaseholdersAndWhole) {
  Submit({"a", "b"});
  const v1::SyncResponse work = Sync(Agent("host1", {}, 1));
  ASSERT_EQ(work.builds_size(), 1);
  const v1::BuildResult good = Built(work.builds(0));
  EXPECT_THAT(RecordBuild(db(), "host2", good), IsCode(absl::StatusCode::kFailedPrecondition));
  v1::BuildResult bad = good;
  bad.set_epoch(0);
  EXPECT_THAT(RecordBuild(db(), "host1", bad), IsCode(absl::StatusCode::kFailedPrecondition));
  bad = good;
  bad.mutable_image()->set_sha256(Sha256Hex("never sent"));
  EXPECT_THAT(RecordBuild(db(), "host1", bad),
              IsError(absl::StatusCode::kFailedPrecondition, "was not uploaded"));
  bad = good;
  bad.mutable_image()->set_size(4095);
  EXPECT_THAT(RecordBuild(db(), "host1", bad), IsCode(absl::StatusCode::kInvalidArgument));
  bad = good;
  bad.clear_expected();
  EXPECT_THAT(RecordBuild(db(), "host1", bad), IsCode(absl::StatusCode::kInvalidArgument));
  bad = good;
  bad.clear_status();
  EXPECT_THAT(RecordBuild(db(), "host1", bad), IsCode(absl::StatusCode::kInvalidArgument));
  bad = good;
  bad.set_build_id("00000000-0000-4000-8000-000000000000");
  EXPECT_THAT(RecordBuild(db(), "host1", bad), IsCode(absl::StatusCode::kNotFound));
  EXPECT_EQ(RecordBuild(db(), "host1", good), absl::OkStatus());
}

TEST_F(JobsTest, AFailedBuildEndsItsBootsAndTheOthersGoOn) {
  const int64_t job = Submit({"a", "b"}, 2);
  const v1::SyncResponse work = Sync(Agent("host1", {}, 2));
  std::vector<v1::BuildOrder> orders(work.builds().begin(), work.builds().end());
  ASSERT_EQ(orders.size(), 2u);
  if (orders[0].kernel().kernel().name() != "k-a") std::swap(orders[0], orders[1]);
  const std::string error = "\nfair.c:7:1: error: 'x' undeclared\n  second line";
  ASSERT_EQ(
      RecordBuild(db(), "host1", BuildEnded(orders[0], v1::BuildResult::STATUS_FAILED, error)),
      absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A build_failed, 1B waiting, 2A build_failed, 2B waiting");
  EXPECT_EQ(GetJob(db(), job)->boots(0).reason(), "fair.c:7:1: error: 'x' undeclared");
  EXPECT_EQ(GetJob(db(), job)->builds(0).error(), error);
  ASSERT_EQ(RecordBuild(db(), "host1", Built(orders[1])), absl::OkStatus());
  EXPECT_EQ(Sync(Agent("host1", {"vm1"})).boots(0).name(), std::to_string(job) + ".1B");
  // A failed build is not shared: the next job tries it again.
  Submit({"a", "b"});
  EXPECT_EQ(Sql("SELECT count(*) FROM builds"), "3");
}

TEST_F(JobsTest, WhenEveryBuildFailsTheJobIsDone) {
  const int64_t job = Submit({"a", "b"});
  const v1::SyncResponse work = Sync(Agent("host1", {}, 2));
  for (const v1::BuildOrder& order : work.builds()) {
    const auto failed = BuildEnded(order, v1::BuildResult::STATUS_FAILED, "no");
    ASSERT_EQ(RecordBuild(db(), "host1", failed), absl::OkStatus());
    EXPECT_EQ(RecordBuild(db(), "host1", failed), absl::OkStatus());
  }
  FinishDue();
  auto view = GetJob(db(), job);
  EXPECT_EQ(view->state(), v1::JOB_STATE_DONE);
  EXPECT_EQ(view->end_reason(), "its blocks are done");
  EXPECT_TRUE(view->has_ended());
}

TEST_F(JobsTest, TheFarmsFailureOfABuildIsTriedThreeTimes) {
  const int64_t job = Submit({"a"});
  for (int attempt = 1; attempt <= kMaxBuildAttempts; ++attempt) {
    const v1::SyncResponse work = Sync(Agent("host1", {}, 1));
    ASSERT_EQ(work.builds_size(), 1) << attempt;
    EXPECT_EQ(work.builds(0).epoch(), attempt);
    EXPECT_EQ(Boots(job), "1A waiting");
    const auto failed =
        BuildEnded(work.builds(0), v1::BuildResult::STATUS_FARM_FAILED, "disk full");
    ASSERT_EQ(RecordBuild(db(), "host1", failed), absl::OkStatus());
    EXPECT_EQ(RecordBuild(db(), "host1", failed), absl::OkStatus());
  }
  EXPECT_EQ(Boots(job), "1A farm_failed");
  EXPECT_EQ(GetJob(db(), job)->boots(0).reason(), "build: disk full");
  FinishDue();
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_DONE);
  EXPECT_TRUE(Sync(Agent("host1", {}, 1)).builds().empty());
}

TEST_F(JobsTest, AMovingSourceIsLookedUpAgainAfterADay) {
  Submission s = Job({"a", "b"});
  s.variants[0].kernel.mutable_kernel()->mutable_debian_source()->set_package("linux-source-6.12");
  Store(s);
  BuildAll();
  s.request_id = Job({"a"}).request_id;
  const int64_t again = Store(s);
  EXPECT_EQ(Boots(again), "1A queued, 1B queued");
  EXPECT_EQ(BuildsAtHand(db(), {s.variants[0].request_key, Sha256Hex("none")})->size(), 1u);

  Sql("UPDATE builds SET ended_at = now() - interval '25 hours'");
  s.request_id = Job({"a"}).request_id;
  const int64_t later = Store(s);
  EXPECT_EQ(Boots(later), "1A waiting, 1B queued");
  EXPECT_EQ(Boots(again), "1A queued, 1B queued");
}

TEST_F(JobsTest, ABuildWhoseImageWasLostIsMadeAgain) {
  Submit({"a", "b"});
  BuildAll();
  EXPECT_EQ(Boots(Submit({"a", "b"})), "1A queued, 1B queued");
  ASSERT_EQ(ForgetArtefact(db(), Sha256Hex("image k-a")), absl::OkStatus());
  EXPECT_EQ(Boots(Submit({"a", "b"})), "1A waiting, 1B queued");
}

TEST_F(JobsTest, CancelEndsWhatIsOpenAndLeavesSharedBuilds) {
  const int64_t one = Submit({"a", "b"});
  const int64_t two = Submit({"b", "c"});
  ASSERT_EQ(CancelJob(db(), one), absl::OkStatus());
  EXPECT_EQ(Boots(one), "1A cancelled, 1B cancelled");
  EXPECT_EQ(GetJob(db(), one)->state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(GetJob(db(), one)->builds(0).status(), "cancelled");
  EXPECT_EQ(GetJob(db(), one)->builds(1).status(), "");
  EXPECT_EQ(Boots(two), "1A waiting, 1B waiting");
  EXPECT_EQ(CancelJob(db(), one), absl::OkStatus());
  EXPECT_THAT(CancelJob(db(), 99), IsError(absl::StatusCode::kNotFound, "job 99"));
  // The same kernel again is a new build, not the cancelled one.
  EXPECT_EQ(Boots(Submit({"a", "b"})), "1A waiting, 1B waiting");
  BuildAll();
  EXPECT_EQ(Boots(two), "1A queued, 1B queued");
}

TEST_F(JobsTest, ACancelledBuildStopsAndItsResultIsRefused) {
  const int64_t job = Submit({"a"});
  v1::SyncRequest host = Agent("host1", {}, 1);
  const v1::BuildOrder order = Sync(host).builds(0);
  host.mutable_build_slots(0)->set_build_id(order.build_id());
  host.mutable_build_slots(0)->set_epoch(order.epoch());
  EXPECT_TRUE(Sync(host).cancel().empty());
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  const v1::SyncResponse told = Sync(host);
  EXPECT_THAT(told.cancel(), testing::ElementsAre(order.build_id()));
  EXPECT_THAT(RecordBuild(db(), "host1", Built(order)),
              IsError(absl::StatusCode::kFailedPrecondition, "was cancelled"));
  EXPECT_EQ(RecordBuild(db(), "host1", BuildEnded(order, v1::BuildResult::STATUS_CANCELLED, "")),
            absl::OkStatus());
}

TEST_F(JobsTest, ABuildCancelledInItsSecondAttemptStops) {
  const int64_t job = Submit({"a"});
  v1::SyncRequest host = Agent("host1", {}, 1);
  const v1::BuildOrder first = Sync(host).builds(0);
  ASSERT_EQ(RecordBuild(db(), "host1",
                        BuildEnded(first, v1::BuildResult::STATUS_FARM_FAILED, "disk full")),
            absl::OkStatus());
  const v1::BuildOrder second = Sync(host).builds(0);
  ASSERT_EQ(second.build_id(), first.build_id());
  host.mutable_build_slots(0)->set_build_id(second.build_id());
  host.mutable_build_slots(0)->set_epoch(second.epoch());
  EXPECT_TRUE(Sync(host).cancel().empty());
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  EXPECT_THAT(Sync(host).cancel(), testing::ElementsAre(second.build_id()));
}

TEST_F(JobsTest, ListsArePagedAndNewestFirst) {
  for (int i = 0; i < 5; ++i) Submit({"a", "b"});
  auto page = ListJobs(db(), 2, 0);
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->size(), 2u);
  EXPECT_EQ((*page)[0].job(), 5);
  page = ListJobs(db(), 10, (*page)[1].job());
  ASSERT_EQ(page->size(), 3u);
  EXPECT_EQ((*page)[2].job(), 1);
  EXPECT_EQ((*page)[0].spec().title(), "a job");
  BuildAll();
  auto builds = ListBuilds(db(), 0);
  ASSERT_EQ(builds->size(), 2u);
  EXPECT_EQ((*builds)[0].status(), "built");
  EXPECT_EQ((*builds)[0].source_version(), "linux-source 1");
  EXPECT_EQ((*builds)[0].agent(), "builder");
}

}  // namespace
}  // namespace shakedown::store
