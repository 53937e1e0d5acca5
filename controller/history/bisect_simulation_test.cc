// Bisects of worlds whose culprit is known. SHAKEDOWN_BISECT_SEEDS: how many of each, instead of
// 200.
#include "controller/history/bisect_simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/history/bisect_problem_testing.h"

namespace shakedown::history {
namespace {

using Next = BisectNext::Kind;
using Noise = BisectWorld::Noise;

uint32_t Seeds() {
  const char* asked = std::getenv("SHAKEDOWN_BISECT_SEEDS");
  const int seeds = asked == nullptr ? 0 : std::atoi(asked);
  return seeds > 0 ? static_cast<uint32_t>(seeds) : 200;
}

struct WorldCase {
  const char* name;
  BisectWorld world;
  double fewest_found;  // Part of the seeds.
};
class SimulatedBisectTest : public testing::TestWithParam<WorldCase> {};
// The promise: over 1,000 commits, whoever is named at 95 % or more is the culprit in at least 95 %
// of the cases.
TEST_P(SimulatedBisectTest, AThousandCommits) {
  const BisectExpectation got = ExpectBisect(ListProblem(1000), GetParam().world, 1, Seeds());
  std::printf(
      "%s: named rightly %.1f %%, wrongly %.1f %%, at a mean confidence of %.2f %%; boots: "
      "mean %.1f, p95 %u; builds: mean %.1f\n",
      GetParam().name, 100 * got.found, 100 * got.wrong, 100 * got.mean_confidence, got.mean_boots,
      got.p95_boots, got.mean_builds);
  EXPECT_GE(got.found, GetParam().fewest_found);
  EXPECT_LE(got.wrong, 0.05 * (got.found + got.wrong));
}
INSTANTIATE_TEST_SUITE_P(, SimulatedBisectTest,
                         testing::ValuesIn<WorldCase>({
                             {"Usual", {}, 0.95},
                             {"Noisy", {.sd = 0.06}, 0.95},
                             {"Spiky", {.sd = 0.02, .noise = Noise::kSpiky}, 0.95},
                             {"FarmFails", {.farm_failures = 0.2}, 0.95},
                             {"HalfIsIdentical", {.identical = 0.5}, 0.95},
                             {"SomeDoNotBuild", {.unbuildable = 0.1}, 0.90},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(BisectSimulationTest, ACulpritThatDoesNotBuildIsAmongTheSuspects) {
  const BisectProblem problem = ListProblem(200);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const BisectOutcome outcome = SimulateBisect(problem, {.lose_culprit = true}, seed);
    if (outcome.truth + 1 == problem.names.size()) continue;
    EXPECT_EQ(outcome.kind, Next::kCannotSay) << "seed " << seed;
    EXPECT_TRUE(outcome.among_suspects) << "seed " << seed;
  }
}

// Of what is said with a confidence of p on the way, about p is true, and not less.
TEST(BisectSimulationTest, ConfidenceIsCalibrated) {
  const BisectProblem problem = ListProblem(1000);
  for (const Noise noise : {Noise::kNormal, Noise::kSpiky}) {
    constexpr double kFrom[] = {0.3, 0.6, 0.9, 1.01};
    struct Bin {
      double stated = 0, right = 0, n = 0;
    } bins[3];
    for (uint32_t seed = 1; seed <= Seeds(); ++seed) {
      const BisectWorld world = {.effect = 0.06, .sd = 0.05, .noise = noise};
      for (const BisectOutcome::Claim& claim : SimulateBisect(problem, world, seed).claims) {
        for (int b = 0; b < 3; ++b) {
          if (claim.confidence < kFrom[b] || claim.confidence >= kFrom[b + 1]) continue;
          bins[b].stated += claim.confidence;
          bins[b].right += claim.right ? 1 : 0;
          bins[b].n += 1;
        }
      }
    }
    for (const Bin& bin : bins) {
      ASSERT_GT(bin.n, 20);
      const double stated = bin.stated / bin.n;
      std::printf("%s noise: stated %.1f %%, right %.1f %% of %.0f\n",
                  noise == Noise::kNormal ? "normal" : "spiky", 100 * stated,
                  100 * bin.right / bin.n, bin.n);
      // A seed makes several claims of one world, so they scatter more than they would alone.
      EXPECT_GE(bin.right / bin.n, stated - 0.04 - 3 * std::sqrt(stated * (1 - stated) / bin.n));
    }
  }
}

TEST(BisectSimulationTest, MergesAreSearchedAsWell) {
  // A trunk of 40 with a branch of 4 merged at every tenth.
  std::vector<std::vector<uint32_t>> parents = {{}};
  uint32_t trunk = 0;
  for (int i = 1; i <= 40; ++i) {
    uint32_t tip = trunk;
    if (i % 10 == 0) {
      for (int b = 0; b < 4; ++b) {
        parents.push_back({tip});
        tip = static_cast<uint32_t>(parents.size() - 1);
      }
    }
    parents.push_back(tip == trunk ? std::vector<uint32_t>{trunk}
                                   : std::vector<uint32_t>{trunk, tip});
    trunk = static_cast<uint32_t>(parents.size() - 1);
  }
  BisectProblem problem{.candidates = BisectCandidates::Commits(parents).value(),
                        .min_change = 0.04};
  for (size_t i = 0; i < parents.size(); ++i) problem.names.push_back(absl::StrCat("c", i));
  const BisectExpectation got = ExpectBisect(problem, {}, 1, 100);
  EXPECT_GE(got.found, 0.95);
  EXPECT_LE(got.wrong, 0.05);
}

TEST(BisectSimulationTest, TheSameSeedIsTheSameBisect) {
  const BisectProblem problem = ListProblem(100);
  const BisectOutcome a = SimulateBisect(problem, {}, 7);
  const BisectOutcome b = SimulateBisect(problem, {}, 7);
  EXPECT_EQ(a.boots, b.boots);
  EXPECT_EQ(a.confidence, b.confidence);
}

}  // namespace
}  // namespace shakedown::history
