#include <filesystem>
#include <fstream>

#include "agent/session/sync_loop.h"
#include "agent/session/sync_loop_test_base.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;
using testing::HasSubstr;

class SyncLoopBuildTest : public SyncLoopTestBase {
 protected:
  SyncLoopBuildTest() {
    patch_ = OnFarm("--- a/fair.c");
    slot_.script = [this](const v1::BuildOrder& order, const BuildHooks& hooks) {
      BuildOutcome outcome;
      hooks.log("  CC kernel/sched/fair.o\n");
      const absl::StatusOr<std::string> patch = hooks.fetch_artefact(patch_.sha256());
      EXPECT_TRUE(patch.ok()) << patch.status();
      if (patch.ok()) {
        EXPECT_EQ(*ReadFile(*patch), "--- a/fair.c");
      }
      EXPECT_TRUE(absl::IsNotFound(hooks.fetch_artefact(std::string(64, '0')).status()));
      outcome.image_path = folder_ + "/bzImage";
      outcome.config_path = folder_ + "/config";
      std::ofstream(outcome.image_path) << "built image";
      std::ofstream(outcome.config_path) << "CONFIG_HZ=1000";
      outcome.modules_path = folder_ + "/modules";
      std::ofstream(outcome.modules_path) << "packed modules";
      *outcome.result.mutable_modules() = ArtefactOf("packed modules");
      outcome.result.set_status(v1::BuildResult::STATUS_BUILT);
      outcome.result.set_build_key(std::string(64, 'b'));
      *outcome.result.mutable_image() = ArtefactOf("built image");
      *outcome.result.mutable_config() = ArtefactOf("CONFIG_HZ=1000");
      return outcome;
    };
  }
  v1::Artefact patch_;
};

TEST_F(SyncLoopBuildTest, OutputsAreOnTheFarmBeforeTheResult) {
  farm_->With(
      [](FarmBook& book) { book.failures["PutArtefact"] = {absl::UnavailableError("busy")}; });
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  const v1::BuildResult result = ResultOf(order);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_EQ(result.build_id(), order.build_id());
  EXPECT_EQ(result.epoch(), 1);
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("built image")); }),
            "built image");
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("CONFIG_HZ=1000")); }),
            "CONFIG_HZ=1000");
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("packed modules")); }),
            "packed modules");
  EXPECT_EQ(Ask([&](const FarmBook& book) { return book.logs.at(order.build_id()); }),
            "  CC kernel/sched/fair.o\n");
}

TEST_F(SyncLoopBuildTest, WhatTheFarmHasIsNotSentAgain) {
  OnFarm("built image");
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_EQ(Ask([](const FarmBook& book) { return book.puts.size(); }), 2u);
}

TEST_F(SyncLoopBuildTest, OutputsThatDoNotMatchAreTheFarmsFailure) {
  const auto build = slot_.script;
  slot_.script = [&](const v1::BuildOrder& order, const BuildHooks& hooks) {
    BuildOutcome outcome = build(order, hooks);
    std::ofstream(outcome.image_path) << "truncated";
    return outcome;
  };
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  const v1::BuildResult result = ResultOf(order);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_THAT(result.error(), HasSubstr("bzImage"));
}

TEST_F(SyncLoopBuildTest, ABuiltResultOutlivesARestart) {
  farm_->With([](FarmBook& book) {
    book.failures["PutArtefact"] =
        std::vector<absl::Status>(100000, absl::UnavailableError("busy"));
  });
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  ASSERT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.build_slots(0).phase() == "reporting";
  }));
  farm_->GoAway();
  Stop();
  std::filesystem::remove(folder_ + "/bzImage");
  farm_->ComeBack();
  farm_->With([](FarmBook& book) { book.failures.clear(); });
  Start();
  EXPECT_EQ(ResultOf(order).status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_EQ(slot_.gate.arrivals(), 1);
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("built image")); }),
            "built image");
}

TEST_F(SyncLoopBuildTest, LostOutputsOfAWaitingResultAreTheFarmsFailure) {
  journal_ = OpenTestJournal();
  const v1::BuildOrder order = Build();
  Lease(order);
  const WorkKey key{WorkKind::kBuild, order.build_id(), 1};
  v1::BuildResult built;
  built.set_build_id(order.build_id());
  built.set_epoch(1);
  built.set_status(v1::BuildResult::STATUS_BUILT);
  *built.mutable_image() = ArtefactOf("evicted");
  ASSERT_TRUE(journal_->AppendOrder(key, order.SerializeAsString()).ok());
  ASSERT_TRUE(journal_->AppendResult(key, built.SerializeAsString()).ok());
  Start();
  const v1::BuildResult result = ResultOf(order);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_THAT(result.error(), HasSubstr(built.image().sha256()));
}

}  // namespace
}  // namespace shakedown::agent
