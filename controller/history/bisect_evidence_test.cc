#include "controller/history/bisect_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "controller/history/bisect_candidates.h"

namespace shakedown::history {
namespace {

using ::testing::HasSubstr;

TEST(BisectCandidatesTest, ACommitHoldsWhatItsAncestorsBrought) {
  // 0 - 1 - 2 - 4 - 5, and 3 forks off before the good end and is merged by 4.
  const auto graph = BisectCandidates::Commits({{}, {0}, {1}, {}, {2, 3}, {4}}).value();
  EXPECT_TRUE(graph.Holds(4, 3));
  EXPECT_TRUE(graph.Holds(5, 1));
  EXPECT_FALSE(graph.Holds(3, 2));
  EXPECT_FALSE(graph.Holds(2, 3));
  EXPECT_EQ(graph.ParentOf(4), 2u);
  EXPECT_EQ(graph.ParentOf(3), 0u);
  EXPECT_THAT(graph.Sums(std::vector<double>{0, 1, 2, 4, 8, 16}),
              testing::ElementsAre(0, 1, 3, 4, 15, 31));
}

TEST(BisectCandidatesTest, RefusesWhatIsNoHistory) {
  EXPECT_THAT(BisectCandidates::List(1).status().message(), HasSubstr("want 2"));
  EXPECT_THAT(BisectCandidates::Commits({{}, {2}, {0}}).status().message(),
              HasSubstr("candidate 1 has the parent 2"));
  EXPECT_THAT(BisectCandidates::Commits({{}, {0}, {0}}).status().message(),
              HasSubstr("candidate 1 does not lead to the bad end"));
}

TEST(BisectEvidenceTest, OddsFollowTheDifferences) {
  const SoughtChange change{.effect = 0.1, .effect_error = 0.01, .scale = 0.03};
  const std::vector<double> bad = {0.08, 0.13, 0.09, 0.1};
  std::vector<double> good;
  for (const double d : bad) good.push_back(d - 0.1);
  EXPECT_EQ(AnswerOf(LogOdds(bad, change)), StepAnswer::kBad);
  EXPECT_EQ(AnswerOf(LogOdds(good, change)), StepAnswer::kGood);
  EXPECT_EQ(LogOdds({}, change), 0);
  EXPECT_EQ(AnswerOf(LogOdds(std::vector<double>{0.02, 0.08}, change)), StepAnswer::kOpen);
  EXPECT_LE(LogOdds(std::vector<double>(100, 0.1), change), std::log(kMostOdds) + 1e-9);
}

TEST(BisectEvidenceTest, ASpikeSaysLittle) {
  const SoughtChange change{.effect = 0.1, .effect_error = 0.01, .scale = 0.03};
  const std::vector<double> good = {0.0, 0.01, -0.01};
  for (const double spike : {2.0, -2.0}) {
    std::vector<double> with = good;
    with.push_back(spike);
    EXPECT_NEAR(LogOdds(with, change), LogOdds(good, change), 0.5);
  }
}

TEST(BisectEvidenceTest, TheEndsMustDifferByEnough) {
  const std::vector<double> eight = {0.09, 0.1, 0.11, 0.1, 0.095, 0.105, 0.12, 0.08};
  EXPECT_NEAR(ChangeBetween(eight, 0.05).value().effect, 0.1, 0.005);
  EXPECT_FALSE(ChangeBetween(eight, 0.15).has_value());
  EXPECT_TRUE(NoChangeBetween(eight, 0.15));
  EXPECT_FALSE(NoChangeBetween(eight, 0.05));
  EXPECT_FALSE(ChangeBetween(std::vector<double>(7, 0.1), 0.05).has_value()) << "too few";
  std::vector<double> rough = {0.2, 0.01, 0.3, 0.05, 0.15, 0.02, 0.25, 0.1};
  EXPECT_FALSE(ChangeBetween(rough, 0.05).has_value()) << "too roughly known";
  std::vector<double> all = rough;
  for (int i = 0; i < 2; ++i) all.insert(all.end(), rough.begin(), rough.end());
  EXPECT_TRUE(ChangeBetween(all, 0.05).has_value()) << "all that it may have";
}

}  // namespace
}  // namespace shakedown::history
