#include "controller/plan/make_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "controller/plan/split_mix.h"

namespace shakedown::plan {
namespace {

v1::JobSpec Spec(int variants, uint32_t blocks) {
  v1::JobSpec spec;
  for (int i = 0; i < variants; ++i) spec.add_variants()->set_kernel("k");
  spec.set_blocks(blocks);
  return spec;
}

std::string Order(const v1::Plan& plan) {
  std::string order;
  for (const v1::PlannedBlock& block : plan.blocks()) {
    for (uint32_t v : block.variants()) order += static_cast<char>('A' + v);
  }
  return order;
}

TEST(SplitMix64Test, GivesThePublishedSequence) {
  SplitMix64 random(1234567);  // Values of the reference implementation.
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
}

TEST(MakePlanTest, TwoVariantsAreCounterbalancedInPairs) {
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 64; ++seed) {
    const std::string order = Order(MakePlan(Spec(2, 2), seed));
    EXPECT_TRUE(order == "ABBA" || order == "BAAB") << order << " of seed " << seed;
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 2u) << "both orders must happen";
}

TEST(MakePlanTest, EveryBlockHoldsEveryVariantOnce) {
  for (int k = 2; k <= 26; ++k) {
    for (uint32_t blocks : {1u, 2u, 7u, 60u}) {
      const v1::Plan plan = MakePlan(Spec(k, blocks), 99 + k);
      ASSERT_EQ(plan.blocks_size(), static_cast<int>(blocks));
      for (int b = 0; b < plan.blocks_size(); ++b) {
        EXPECT_EQ(plan.blocks(b).block(), static_cast<uint32_t>(b + 1));
        const std::set<uint32_t> variants(plan.blocks(b).variants().begin(),
                                          plan.blocks(b).variants().end());
        EXPECT_EQ(plan.blocks(b).variants_size(), k);
        EXPECT_EQ(variants.size(), static_cast<size_t>(k));
        EXPECT_LT(*variants.rbegin(), static_cast<uint32_t>(k));
      }
    }
  }
}

TEST(MakePlanTest, EveryVariantMeetsEveryPositionInEveryRun) {
  for (int k = 2; k <= 26; ++k) {
    const v1::Plan plan = MakePlan(Spec(k, 3 * k), 7 * k);
    for (int run = 0; run < 3; ++run) {
      std::set<std::pair<int, uint32_t>> met;
      for (int b = run * k; b < (run + 1) * k; ++b) {
        for (int p = 0; p < k; ++p) met.insert({p, plan.blocks(b).variants(p)});
      }
      EXPECT_EQ(met.size(), static_cast<size_t>(k * k)) << k << " variants, run " << run;
    }
  }
}

TEST(MakePlanTest, NeighboursAreBalanced) {
  for (int k = 2; k <= 13; ++k) {
    const int blocks = k % 2 == 0 ? k : 2 * k;
    const int want = k % 2 == 0 ? 1 : 2;
    const v1::Plan plan = MakePlan(Spec(k, blocks), 31 * k);
    std::map<std::pair<uint32_t, uint32_t>, int> follows;
    for (const v1::PlannedBlock& block : plan.blocks()) {
      for (int p = 1; p < k; ++p) ++follows[{block.variants(p - 1), block.variants(p)}];
    }
    EXPECT_EQ(follows.size(), static_cast<size_t>(k * (k - 1))) << k;
    for (const auto& [pair, count] : follows) EXPECT_EQ(count, want) << k;
  }
}

TEST(MakePlanTest, SeedDecidesAndIsStored) {
  EXPECT_EQ(Order(MakePlan(Spec(4, 40), 5)), Order(MakePlan(Spec(4, 40), 5)));
  EXPECT_NE(Order(MakePlan(Spec(4, 40), 5)), Order(MakePlan(Spec(4, 40), 6)));
  EXPECT_EQ(MakePlan(Spec(2, 1), 12345).order_seed(), 12345u);
}

TEST(MakePlanTest, APlanStaysWhatItWasInEarlierVersions) {
  EXPECT_EQ(Order(MakePlan(Spec(2, 6), 17)), "ABBABAABBAAB");
  EXPECT_EQ(Order(MakePlan(Spec(3, 6), 17)), "CBABACACBBCAABCCAB");
}

TEST(MakePlanTest, MoreBlocksOnlyAppend) {
  const std::string few = Order(MakePlan(Spec(3, 4), 8));
  EXPECT_EQ(Order(MakePlan(Spec(3, 9), 8)).substr(0, few.size()), few);
}

TEST(MakePlanTest, LooksAreStoredWithTheirFirstBlocks) {
  v1::JobSpec spec = Spec(3, 0);
  for (const auto rule : {v1::STOPPING_RULE_QUICK, v1::STOPPING_RULE_LOOKS}) {
    spec.set_stopping(rule);
    EXPECT_EQ(MakePlan(spec, 8).blocks_size(), 8);
  }
  EXPECT_EQ(Order(MakePlan(spec, 8)), Order(MakeOrder(spec, 8, 24)).substr(0, 24));
}

}  // namespace
}  // namespace shakedown::plan
