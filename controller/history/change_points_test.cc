#include "controller/history/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "controller/compare/statistics/drawn_noise.h"

namespace shakedown::history {
namespace {

struct Piece {
  size_t points;
  double level;
};

// Levels one after the other, each with its noise (a part of the level).
std::vector<double> Series(const std::vector<Piece>& pieces, double noise, uint64_t seed) {
  statistics::DrawnNoise draw(seed);
  std::vector<double> series;
  for (const auto& [points, level] : pieces)
    for (size_t i = 0; i < points; ++i) series.push_back(level * (1 + noise * draw.Normal()));
  return series;
}

std::vector<size_t> Places(const std::vector<double>& series, double min_magnitude = 0.025) {
  std::vector<size_t> places;
  for (const ChangePoint& point : FindChangePoints(series, {.min_magnitude = min_magnitude}))
    places.push_back(point.index);
  return places;
}

// The definition, term by term.
double Q(const std::vector<double>& s, size_t tau, size_t kappa) {
  const auto n = static_cast<double>(tau), m = static_cast<double>(kappa - tau);
  double across = 0, before = 0, after = 0;
  for (size_t i = 0; i < tau; ++i)
    for (size_t j = tau; j < kappa; ++j) across += std::fabs(s[i] - s[j]) / (n * m);
  for (size_t i = 0; i < tau; ++i)
    for (size_t j = 0; j < i; ++j) before += std::fabs(s[i] - s[j]) / (n * (n - 1) / 2);
  for (size_t i = tau; i < kappa; ++i)
    for (size_t j = tau; j < i; ++j) after += std::fabs(s[i] - s[j]) / (m * (m - 1) / 2);
  return n * m / (n + m) * (2 * across - before - after);
}

TEST(StrongestCandidateTest, IsTheMaximumOfTheDefinition) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<double> series = Series({{2 + seed % 7, 10}, {1 + seed % 5, 11}}, 0.05, seed);
    const Candidate found = StrongestCandidate(series);
    double best = -1;
    for (size_t tau = 1; tau < series.size(); ++tau)
      for (size_t kappa = tau + 1; kappa <= series.size(); ++kappa)
        best = std::max(best, Q(series, tau, kappa));
    EXPECT_NEAR(found.q, best, 1e-9);
    EXPECT_NEAR(Q(series, found.tau, found.kappa), best, 1e-9);
  }
}

TEST(StrongestCandidateTest, TiesGoToTheSmallestPlaceThenTheSmallestEnd) {
  const Candidate flat = StrongestCandidate(std::vector<double>(9, 4.0));
  EXPECT_EQ(flat.tau, 1u);
  EXPECT_EQ(flat.kappa, 2u);
  EXPECT_EQ(flat.q, 0);
}

TEST(PooledTTestTest, AgreesWithTheTextbook) {
  // t = 1.5 / sqrt(13/5 * 7/12), 5 degrees of freedom; its density integrated numerically.
  EXPECT_NEAR(PooledTTest(std::vector<double>{1, 2, 3, 4}, std::vector<double>{2, 4, 6}),
              0.2775605200, 1e-9);
  // One value adds no variance: 3 degrees of freedom, t = 2.5 / sqrt(5/3 * 5/4).
  EXPECT_NEAR(PooledTTest(std::vector<double>{1, 2, 3, 4}, std::vector<double>{5}), 0.1816901138,
              1e-9);
}

TEST(PooledTTestTest, WithoutVarianceTheMeansDecide) {
  EXPECT_EQ(PooledTTest(std::vector<double>{2, 2}, std::vector<double>{3, 3, 3}), 0);
  EXPECT_EQ(PooledTTest(std::vector<double>{2, 2}, std::vector<double>{2}), 1);
}

TEST(ChangePointsTest, StepsAreFoundAtTheirExactPlace) {
  EXPECT_EQ(Places(Series({{30, 100}, {30, 110}}, 0, 1)), std::vector<size_t>{30});
  EXPECT_EQ(Places(Series({{30, 100}, {30, 110}}, 0.01, 1)), std::vector<size_t>{30});
  EXPECT_EQ(Places(Series({{40, 100}, {20, 130}, {60, 100}}, 0.01, 2)),
            (std::vector<size_t>{40, 60}));
  EXPECT_EQ(Places(Series({{3, 100}, {3, 130}}, 0.001, 3)), std::vector<size_t>{3});
  EXPECT_EQ(Places(Series({{200, 100}, {300, 92}}, 0.01, 4)), std::vector<size_t>{200});
}

TEST(ChangePointsTest, WhatIsSaidOfAStep) {
  const std::vector<ChangePoint> points =
      FindChangePoints(std::vector<double>{10, 10, 10, 10, 12, 12, 12});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].index, 4u);
  EXPECT_EQ(points[0].before_median, 10);
  EXPECT_EQ(points[0].after_median, 12);
  EXPECT_DOUBLE_EQ(points[0].magnitude, 0.2);
  EXPECT_EQ(points[0].p, 0);
}

TEST(ChangePointsTest, NoneInWhatHasNone) {
  EXPECT_EQ(Places({}), std::vector<size_t>{});
  EXPECT_EQ(Places({1}), std::vector<size_t>{});
  EXPECT_EQ(Places({1, 2}), std::vector<size_t>{});
  EXPECT_EQ(Places({1, 1, 2, 2}), std::vector<size_t>{});  // Regimes of two.
  EXPECT_EQ(Places(std::vector<double>(300, 7.0)), std::vector<size_t>{});
  EXPECT_EQ(Places(std::vector<double>(50, 0.0)), std::vector<size_t>{});
  std::vector<double> bimodal, spiky;
  for (int i = 0; i < 120; ++i) {
    bimodal.push_back(i % 2 == 0 ? 100 : 120);
    spiky.push_back(i % 17 == 5 ? 300 : 100 + i % 3);
  }
  EXPECT_EQ(Places(bimodal), std::vector<size_t>{});
  EXPECT_EQ(Places(spiky), std::vector<size_t>{});
}

TEST(ChangePointsTest, SmallStepsAreDroppedAtTheirLimit) {
  const std::vector<double> exact = Series({{20, 100}, {20, 104}}, 0, 1);
  EXPECT_EQ(Places(exact, 0.025), std::vector<size_t>{20});
  EXPECT_EQ(Places(exact, 0.05), std::vector<size_t>{});
  EXPECT_EQ(Places(Series({{20, 64}, {20, 80}}, 0, 1), 0.25),
            std::vector<size_t>{});  // Just the limit.
  EXPECT_EQ(Places(Series({{20, 80}, {20, 64}}, 0, 1), 0.24),
            std::vector<size_t>{20});  // 0.25 upwards.
}

TEST(ChangePointsTest, AMedianOfZeroIsAnInfiniteStep) {
  const std::vector<ChangePoint> points =
      FindChangePoints(std::vector<double>{0, 0, 0, 0, 2, 2, 2, 2});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_TRUE(std::isinf(points[0].magnitude));
  EXPECT_EQ(FindChangePoints(std::vector<double>{-1, 1, -1, 1, -1, 1, -1, 1, -1, 1}).size(), 0u);
}

// Per hundred stationary points of normal noise about none, a step of four times the noise always.
TEST(ChangePointsTest, FalseAlarmsAreRareAndClearStepsAreFound) {
  int alarms = 0, found = 0;
  constexpr int kSeries = 300;
  for (uint64_t seed = 1; seed <= kSeries; ++seed) {
    alarms += static_cast<int>(Places(Series({{100, 100}}, 0.02, seed)).size());
    const std::vector<size_t> places = Places(Series({{50, 100}, {50, 108}}, 0.02, seed), 0.05);
    found += places.size() == 1 && places[0] >= 47 && places[0] <= 53;
  }
  EXPECT_LE(alarms, kSeries / 100);
  EXPECT_GE(found, kSeries * 98 / 100);
}

}  // namespace
}  // namespace shakedown::history
