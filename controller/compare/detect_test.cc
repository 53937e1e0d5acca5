#include "controller/compare/detect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/match.h"
#include "controller/compare/statistics/repetitions.h"

namespace shakedown::compare {
namespace {

v1::JobSpec Spec(uint32_t blocks = 8) {
  v1::JobSpec spec;
  spec.add_variants()->set_kernel("a");
  spec.add_variants()->set_kernel("b");
  spec.add_loads()->mutable_make();
  spec.set_blocks(blocks);
  return spec;
}

PastSpread::Control Control(double sd, uint32_t blocks = 8) {
  return {.job = 3, .machine = "vm1", .load = 0, .metric = "make.real", .blocks = blocks, .sd = sd};
}

// Blocks of one job whose challenger is `factor` times A, give or take.
void AddBlocks(PastSpread* past, int64_t job, double factor) {
  for (const double noise : {-0.02, 0.02, -0.02, 0.02}) {
    past->blocks.push_back({.job = job,
                            .variant = 1,
                            .machine = "vm1",
                            .load = 0,
                            .metric = "make.real",
                            .base = 20,
                            .challenger = 20 * factor * std::exp(noise)});
  }
}

TEST(DetectTest, NoPastSaysWhatToRun) {
  const Detection detection = EstimateDetection(Spec(), 0.03, 60, {});
  EXPECT_TRUE(detection.estimates.empty());
  EXPECT_TRUE(absl::StrContains(detection.note, "no past of make.real")) << detection.note;
  EXPECT_TRUE(absl::StrContains(detection.note, "--control")) << detection.note;
}

TEST(DetectTest, ControlsComeFirst) {
  PastSpread past;
  past.controls = {Control(0.02), Control(0.02)};
  AddBlocks(&past, 1, 1);
  const Detection detection = EstimateDetection(Spec(), 0.03, 60, past);
  ASSERT_EQ(detection.estimates.size(), 1u);
  const v1::DetectEstimate& estimate = detection.estimates[0];
  EXPECT_NEAR(estimate.sd(), 0.02, 1e-12);
  EXPECT_EQ(estimate.pairs(), 16u);
  EXPECT_EQ(estimate.basis(), "16 blocks of A/A controls, job 3 on vm1");
  EXPECT_EQ(estimate.blocks(), statistics::BlocksToDetect(std::log(1.03), 0.02, 0.95, 0.8));
  EXPECT_EQ(estimate.boots(), 2 * estimate.blocks());
  EXPECT_EQ(estimate.seconds(), 60 * estimate.boots());
  EXPECT_NEAR(estimate.detectable(), std::expm1(statistics::DetectableEffect(8, 0.02, 0.95, 0.8)),
              1e-12);
  EXPECT_EQ(detection.note, "");
}

TEST(DetectTest, ATrueDifferenceOfThePastIsNoNoise) {
  PastSpread past;
  AddBlocks(&past, 1, 1);
  AddBlocks(&past, 2, 1.5);
  const Detection detection = EstimateDetection(Spec(), 0.03, 60, past);
  ASSERT_EQ(detection.estimates.size(), 1u);
  EXPECT_NEAR(detection.estimates[0].sd(), std::sqrt(4 * 0.02 * 0.02 / 3), 1e-9);
  EXPECT_EQ(detection.estimates[0].basis(), "8 blocks of jobs 1, 2 on vm1");
}

TEST(DetectTest, MoreNoiseAndMoreTestsNeedMoreBlocks) {
  const auto blocks = [](double sd, const v1::JobSpec& spec) {
    PastSpread past;
    past.controls = {Control(sd)};
    return EstimateDetection(spec, 0.03, 60, past).estimates.at(0).blocks();
  };
  v1::JobSpec two = Spec();
  two.add_variants()->set_kernel("c");
  v1::JobSpec looks = Spec();
  looks.set_stopping(v1::STOPPING_RULE_LOOKS);
  EXPECT_LT(blocks(0.02, Spec()), blocks(0.04, Spec()));
  EXPECT_LT(blocks(0.02, Spec()), blocks(0.02, two));
  EXPECT_LT(blocks(0.02, Spec()), blocks(0.02, looks));
  EXPECT_EQ(blocks(2, Spec()), 0u) << "more than 1000";
}

TEST(DetectTest, TheControlCostsBootsAndIsNoTest) {
  PastSpread past;
  past.controls = {Control(0.02)};
  v1::JobSpec spec = Spec();
  spec.set_control(true);
  const Detection asked = EstimateDetection(spec, 0.03, 60, past);
  EXPECT_EQ(asked.estimates[0].boots(), 3 * asked.estimates[0].blocks());
  EXPECT_EQ(asked.estimates[0].blocks(),
            EstimateDetection(Spec(), 0.03, 60, past).estimates[0].blocks());
  spec.add_variants()->set_control(true);
  EXPECT_EQ(EstimateDetection(spec, 0.03, 60, past).estimates[0].boots(),
            asked.estimates[0].boots());
}

TEST(DetectTest, TheBudgetLimitsWhatCanBeFound) {
  PastSpread past;
  past.controls = {Control(0.02)};
  v1::JobSpec spec = Spec(24);
  const double all = EstimateDetection(spec, 0.03, 60, past).estimates[0].detectable();
  spec.set_budget_s(10 * 2 * 60);
  const double ten = EstimateDetection(spec, 0.03, 60, past).estimates[0].detectable();
  EXPECT_GT(ten, all);
  spec.set_budget_s(3 * 2 * 60);
  EXPECT_EQ(EstimateDetection(spec, 0.03, 60, past).estimates[0].detectable(), 0)
      << "three blocks find nothing";
}

TEST(DetectTest, ADifferenceIsAPartOfTheMedian) {
  PastSpread past;
  v1::JobSpec spec = Spec();
  spec.add_primary_metrics("interbench.x.burn.deadlines_met");
  for (const double b : {49.0, 51.0, 49.0, 51.0, 49.0, 51.0}) {
    past.blocks.push_back({.job = 1,
                           .variant = 1,
                           .machine = "vm1",
                           .load = 0,
                           .metric = "interbench.x.burn.deadlines_met",
                           .base = 50,
                           .challenger = b});
  }
  const Detection detection = EstimateDetection(spec, 0.1, 60, past);
  ASSERT_EQ(detection.estimates.size(), 1u);
  const double sd = std::sqrt(6.0 / 5);
  EXPECT_NEAR(detection.estimates[0].sd(), sd, 1e-9);
  EXPECT_EQ(detection.estimates[0].blocks(), statistics::BlocksToDetect(5, sd, 0.95, 0.8));
}

TEST(DetectTest, WithoutAPrimaryMetricItSaysSo) {
  v1::JobSpec spec = Spec();
  spec.mutable_loads(0)->mutable_interbench();
  const Detection detection = EstimateDetection(spec, 0.03, 60, {});
  EXPECT_TRUE(absl::StrContains(detection.note, "no primary metric")) << detection.note;
}

}  // namespace
}  // namespace shakedown::compare
