// Names of archives, and what becomes of them in orders. Attempts that were handed back.
#include "db/store/inputs.h"

#include "db/store/agents.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/kernels.h"
#include "db/store/make_loads.h"
#include "db/store/store_testing.h"
#include "proto/wire/digest.h"

namespace shakedown::store {
namespace {

v1::Input Archive(const std::string& name, const std::string& content) {
  v1::Input input;
  input.set_name(name);
  input.mutable_archive()->set_sha256(Sha256Hex(content));
  input.mutable_archive()->set_size(content.size());
  return input;
}

class InputsTest : public StoreTest {
 protected:
  v1::BootOrder Next() {
    const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
    EXPECT_EQ(work.boots_size(), 1);
    return work.boots_size() == 1 ? work.boots(0) : v1::BootOrder();
  }
  void End(const v1::BootOrder& order, v1::Outcome outcome) {
    EXPECT_EQ(RecordBoot(db(), "host1", Ended(order, outcome, "agent stopped")), absl::OkStatus());
  }
};

TEST_F(InputsTest, ANameIsGivenOnce) {
  ASSERT_EQ(AddInput(db(), Archive("linux-6.12", "tree"), "ann")->submitter(), "ann");
  const auto again = AddInput(db(), Archive("linux-6.12", "tree"), "bob");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->submitter(), "ann");
  EXPECT_THAT(AddInput(db(), Archive("linux-6.12", "other"), "ann").status(),
              IsError(absl::StatusCode::kAlreadyExists, "choose another, such as linux-6.12-2"));
  ASSERT_TRUE(AddInput(db(), Archive("alpha", "tree"), "bob").ok());
  const auto all = ListInputs(db());
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].name(), "alpha");
  EXPECT_EQ((*all)[1].sha256(), Sha256Hex("tree"));
  EXPECT_EQ((*all)[1].size(), 4u);
  EXPECT_GT((*all)[1].added().seconds(), 1000000000);
}

TEST_F(InputsTest, WhatIsNoInputIsRefused) {
  const auto bad = IsCode(absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(AddInput(db(), Archive("../up", "x"), "ann").status(), bad);
  EXPECT_THAT(AddInput(db(), Archive("empty", ""), "ann").status(), bad);
  v1::Input input = Archive("short", "x");
  input.mutable_archive()->set_sha256("abc");
  EXPECT_THAT(AddInput(db(), input, "ann").status(), bad);
  EXPECT_TRUE(ListInputs(db())->empty());
}

TEST_F(InputsTest, AnOrderHasEachInputOfItsLoadsOnce) {
  ASSERT_TRUE(AddInput(db(), Archive("linux-6.12", "a tree"), "ann").ok());
  ASSERT_TRUE(AddInput(db(), Archive("bfs", "another"), "ann").ok());
  Submission s = Job({"a"});
  const auto pin = [](v1::MakeLoad* make, const std::string& name, const std::string& content) {
    make->set_tree(name);
    make->set_tree_sha256(Sha256Hex(content));
  };
  pin(s.spec.mutable_loads(0)->mutable_make(), "linux-6.12", "a tree");
  pin(s.spec.add_loads()->mutable_latt()->mutable_make(), "linux-6.12", "a tree");
  pin(s.spec.add_loads()->mutable_frames()->mutable_beside()->mutable_make(), "bfs", "another");
  Store(s);
  BuildAll();
  const v1::BootOrder order = Next();
  ASSERT_EQ(order.inputs_size(), 2);
  EXPECT_EQ(order.inputs(0).name(), "bfs");
  EXPECT_EQ(order.inputs(1).name(), "linux-6.12");
  EXPECT_EQ(order.inputs(1).archive().sha256(), Sha256Hex("a tree"));
  EXPECT_EQ(order.inputs(1).archive().size(), 6u);
}

TEST_F(InputsTest, AnOrderWithoutAnInputHasNone) {
  Submit({"a"});
  BuildAll();
  EXPECT_EQ(Next().inputs_size(), 0);
}

TEST(MakesOfTest, FindsEveryMakeOfALoad) {
  v1::Load load;
  load.mutable_interbench();
  EXPECT_TRUE(MakesOf(load).empty());
  load.mutable_launch()->mutable_beside()->mutable_make();
  EXPECT_EQ(MakesOf(load).size(), 1u);
  load.mutable_launch()->mutable_beside()->set_burn_threads(2);
  EXPECT_TRUE(MakesOf(load).empty());
  load.mutable_command()->mutable_latt()->mutable_make()->set_tree("x");
  ASSERT_EQ(MakesOf(load).size(), 1u);
  MakesOf(load)[0]->set_tree_sha256("y");
  EXPECT_EQ(load.command().latt().make().tree_sha256(), "y");
}

TEST_F(InputsTest, WhatIsHandedBackUsesUpNoAttempt) {
  Submission s = Job({"a"});
  s.spec.set_max_attempts(2);
  const int64_t job = Store(s);
  BuildAll();
  for (int i = 0; i < 5; ++i) End(Next(), v1::OUTCOME_CANCELLED);
  End(Next(), v1::OUTCOME_FARM_FAILED);
  for (int i = 0; i < 2; ++i) End(Next(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_ACTIVE);
  EXPECT_EQ(GetJob(db(), job)->boots(0).reason(), "handed back by its agent: agent stopped");
  End(Next(), v1::OUTCOME_FARM_FAILED);  // The second that counts.
  FinishDue();
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_DONE);
  EXPECT_EQ(GetJob(db(), job)->boots_size(), 9);
  EXPECT_EQ(Sql("SELECT count(*) FROM boots WHERE handed_back"), "7");
}

TEST_F(InputsTest, HandingBackForEverComesToAnEnd) {
  const int64_t job = Submit({"a"});
  BuildAll();
  for (int i = 0; i < 100; ++i) End(Next(), v1::OUTCOME_CANCELLED);
  FinishDue();
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_DONE);
}

TEST_F(InputsTest, ABuildThatIsHandedBackUsesUpNoAttempt) {
  const int64_t job = Submit({"a"});
  const auto end = [&](v1::BuildResult::Status status) {
    const v1::SyncResponse work = Sync(Agent("host1", {}, 1));
    ASSERT_EQ(work.builds_size(), 1);
    ASSERT_EQ(RecordBuild(db(), "host1", BuildEnded(work.builds(0), status, "agent stopped")),
              absl::OkStatus());
  };
  for (int i = 0; i < 5; ++i) end(v1::BuildResult::STATUS_CANCELLED);
  for (int i = 0; i < kMaxBuildAttempts - 1; ++i) end(v1::BuildResult::STATUS_FARM_FAILED);
  end(v1::BuildResult::STATUS_CANCELLED);
  EXPECT_EQ(Boots(job), "1A waiting");
  end(v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_EQ(Boots(job), "1A farm_failed");
}

TEST_F(InputsTest, OnlyPeoplesIdleKernelsAreRemoved) {
  v1::Kernel mine, ours;
  mine.set_name("k-mine");
  ours.set_name("k-ours");
  ASSERT_EQ(PutCatalog(db(), {ours}), absl::OkStatus());
  ASSERT_EQ(AddKernel(db(), mine, "ann"), absl::OkStatus());
  const int64_t job = Submit({"mine"});
  const auto refused = [](const std::string& text) {
    return IsError(absl::StatusCode::kFailedPrecondition, text);
  };
  EXPECT_THAT(RemoveKernel(db(), "k-mine"),
              refused("job " + std::to_string(job) + " uses it and is active"));
  EXPECT_THAT(RemoveKernel(db(), "k-ours"), refused("the catalog's files bring it along"));
  EXPECT_THAT(RemoveKernel(db(), "k-none"), IsError(absl::StatusCode::kNotFound, "near: k-"));
  BuildAll();
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(Next())), absl::OkStatus());
  FinishDue();
  EXPECT_EQ(RemoveKernel(db(), "k-mine"), absl::OkStatus());
  EXPECT_THAT(GetKernel(db(), "k-mine").status(), IsCode(absl::StatusCode::kNotFound));
  EXPECT_EQ(Boots(job), "1A measured");
  EXPECT_EQ(Sql("SELECT count(*) FROM builds WHERE state = 'built'"), "1");
}

}  // namespace
}  // namespace shakedown::store
