#include "controller/plan/estimate.h"

#include <gtest/gtest.h>

#include "controller/plan/text.h"

namespace shakedown::plan {
namespace {

v1::JobSpec Spec(std::initializer_list<const char*> loads) {
  v1::JobSpec spec;
  for (const char* load : loads) *spec.add_loads() = *ParseLoad(load);
  return spec;
}

TEST(GuessLoadSecondsTest, GrowsWithItsParameters) {
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("make")), 20);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("make iterations=3 warmups=1")), 80);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("latt seconds=90")), 90);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("interbench seconds=10")), 26);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("interbench loads=None,Burn,Read seconds=30")), 198);
}

TEST(EstimateWorkTest, GuessesAndSaysSo) {
  const Estimate estimate = EstimateWork(Spec({"make", "interbench"}), 2, 4, {});
  EXPECT_EQ(estimate.seconds, 4u * (15 + 20 + 26) + 2 * 540);
  EXPECT_EQ(
      estimate.basis,
      "boots: no history, guessed from the loads' parameters; builds: no history, guessed for the "
      "minimal guest configuration");
}

TEST(EstimateWorkTest, UsesThePast) {
  const Estimate estimate = EstimateWork(
      Spec({"make"}), 1, 4, {.boot_seconds = 30.5, .boots = 7, .build_seconds = 100, .builds = 2});
  EXPECT_EQ(estimate.seconds, 222u);
  EXPECT_EQ(estimate.basis, "boots: median of 7 with these loads; builds: median of 2");
}

TEST(EstimateWorkTest, SaysNothingOfBuildsWhenThereAreNone) {
  EXPECT_EQ(EstimateWork(Spec({"make"}), 0, 2, {.boot_seconds = 30, .boots = 1}).basis,
            "boots: median of 1 with these loads");
}

TEST(EstimateWorkTest, TellsTheFirstLookAndTheMost) {
  v1::JobSpec spec = Spec({"make"});
  for (int i = 0; i < 2; ++i) spec.add_variants();
  spec.set_stopping(v1::STOPPING_RULE_LOOKS);
  Estimate estimate = EstimateWork(spec, 0, 16, {.boot_seconds = 60, .boots = 3});
  EXPECT_EQ(estimate.seconds, 960u);
  EXPECT_EQ(estimate.most_seconds, 2880u);
  EXPECT_EQ(estimate.basis,
            "boots: median of 3 with these loads; to the first look, after 8 blocks; 24 blocks, "
            "the most, take 48 min");
  spec.set_budget_s(1800);
  estimate = EstimateWork(spec, 0, 16, {.boot_seconds = 60, .boots = 3});
  EXPECT_NE(estimate.basis.find("; the time budget of 30 min holds about 15 blocks"),
            std::string::npos)
      << estimate.basis;
  spec.set_budget_s(3600);
  EXPECT_EQ(EstimateWork(spec, 0, 16, {.boot_seconds = 60, .boots = 3}).basis.find("budget"),
            std::string::npos)
      << "it holds them all";
}

TEST(BlockSecondsTest, OfAllVariants) {
  v1::JobSpec spec = Spec({"make"});
  for (int i = 0; i < 3; ++i) spec.add_variants();
  EXPECT_EQ(BlockSeconds(spec, {.boot_seconds = 40, .boots = 1}), 120);
  EXPECT_EQ(BlockSeconds(spec, {}), 3 * 35);
}

TEST(GuessLoadSecondsTest, EveryKind) {
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("launch count=100 pause=50")), 10);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("launch count=10 pause=100 cold")), 21);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("frames seconds=20 iterations=2")), 50);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("command -- x")), 60);
  EXPECT_EQ(GuessLoadSeconds(*ParseLoad("tool cyclictest seconds=30")), 30);
  EXPECT_GT(GuessLoadSeconds(*ParseLoad("make tree=linux")), 600);
}

TEST(RunLimitSecondsTest, UnknownProgramsMayTakeAnHourAndNothingMoreThanADay) {
  EXPECT_EQ(RunLimitSeconds(Spec({"frames seconds=20"})), 300 + 150u);
  EXPECT_EQ(RunLimitSeconds(Spec({"command -- x"})), 300 + 3600u);
  EXPECT_EQ(RunLimitSeconds(Spec({"command latt -- x"})), 300 + 3600u);
  EXPECT_EQ(RunLimitSeconds(Spec({"latt -- x"})), 300 + 3600u);
  EXPECT_EQ(RunLimitSeconds(Spec({"latt seconds=3000 -- x"})), 300 + 18000u);
  EXPECT_EQ(RunLimitSeconds(Spec({"make targets=vmlinux"})), 300 + 3600u);
  EXPECT_EQ(RunLimitSeconds(Spec({"make tree=linux iterations=2"})), 300 + 2 * 4 * 3600u);
  EXPECT_EQ(RunLimitSeconds(Spec({"command iterations=100 -- x"})), 24 * 3600u);
  v1::JobSpec with_music = Spec({"frames seconds=20"});
  with_music.add_background()->set_audio(true);
  EXPECT_EQ(RunLimitSeconds(with_music), 300 + 180u);
}

TEST(RunLimitSecondsTest, LeavesRoomForASlowMachine) {
  EXPECT_EQ(RunLimitSeconds(Spec({"make"})), 420u);
}

}  // namespace
}  // namespace shakedown::plan
