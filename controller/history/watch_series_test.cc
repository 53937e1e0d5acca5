#include "controller/history/watch_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "controller/compare/statistics/drawn_noise.h"
#include "controller/history/known_steps.h"

namespace shakedown::history {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const statistics::Metric kTime = statistics::FindMetric("make.real").value();

// Points of one epoch, or of several: each piece its own.
Series Written(const std::vector<double>& values, int epoch = 1) {
  Series series;
  for (size_t i = 0; i < values.size(); ++i) {
    Point& point = series.points.emplace_back();
    point.kernel = static_cast<int>(i);
    point.epoch = epoch;
    point.median = values[i];
    point.newest = absl::UnixEpoch() + absl::Hours(i);
  }
  return series;
}

std::vector<double> Noisy(size_t n, double level, double part, uint64_t seed) {
  statistics::DrawnNoise draw(seed);
  std::vector<double> values;
  for (size_t i = 0; i < n; ++i) values.push_back(level * (1 + part * draw.Normal()));
  return values;
}
std::vector<double> Joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Found {
  size_t index;
  std::string level;
  bool operator==(const Found&) const = default;
};
std::vector<Found> Changes(const Series& series, const statistics::Metric& metric = kTime,
                           const std::vector<Point>& control = {}) {
  std::vector<Found> found;
  for (const Change& change : FindChanges(series, control, metric)) {
    found.push_back({change.point.index, LevelWord(change.level)});
  }
  return found;
}

struct ShapeCase {
  std::string name;
  std::vector<double> values;
  std::vector<Found> want;
};
class ShapeTest : public testing::TestWithParam<ShapeCase> {};
TEST_P(ShapeTest, IsFoundAtItsPlace) {
  EXPECT_EQ(Changes(Written(GetParam().values)), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    , ShapeTest,
    testing::ValuesIn<ShapeCase>({
        {"Step", Joined(Noisy(20, 10, 0.002, 1), Noisy(12, 11, 0.002, 2)), {{20, "alarm"}}},
        {"SmallStep", Joined(Noisy(20, 10, 0.002, 3), Noisy(12, 10.4, 0.002, 4)), {{20, "watch"}}},
        {"TinyStep", Joined(Noisy(20, 10, 0.002, 5), Noisy(12, 10.2, 0.002, 6)), {}},
        {"Flat", std::vector<double>(40, 10), {}},
        {"Noise", Noisy(60, 10, 0.02, 7), {}},
        {"Bimodal",
         {10, 12, 12, 10, 12, 10, 10, 12, 10, 12, 12, 10, 10, 12, 10, 12, 12, 10, 10, 12},
         {}},
        {"Spiky", Joined(Joined(Noisy(15, 10, 0.01, 8), {25}), Noisy(15, 10, 0.01, 9)), {}},
        {"Short", {10, 20}, {}},
        {"One", {10}, {}},
        {"Empty", {}, {}},
        {"Zeros", std::vector<double>(30, 0), {}},
        {"FromZero",
         Joined(std::vector<double>(10, 0), std::vector<double>(10, 1)),
         {{10, "alarm"}}},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FindChangesTest, EpochsAreSearchedApart) {
  Series series = Written(Noisy(15, 10, 0.002, 1));
  const Series later = Written(Noisy(15, 12, 0.002, 2), 2);
  series.points.insert(series.points.end(), later.points.begin(), later.points.end());
  EXPECT_THAT(Changes(series), IsEmpty()) << "another epoch is no regression";
  const Series last = Written(Joined(Noisy(12, 12, 0.002, 3), Noisy(12, 14, 0.002, 4)), 3);
  series.points.insert(series.points.end(), last.points.begin(), last.points.end());
  EXPECT_THAT(Changes(series), ElementsAre(Found{42, "alarm"})) << "counted over all points";
}

TEST(FindChangesTest, WhatTheReferenceDidTooIsTheEnvironments) {
  const std::vector<double> step = Joined(Noisy(20, 10, 0.002, 1), Noisy(12, 11, 0.002, 2));
  const std::vector<Point> control = Written(step).points;
  Series series = Written(step);
  EXPECT_THAT(Changes(series, kTime, control), ElementsAre(Found{20, "environment"}));
  EXPECT_THAT(FindSuspicions(series, FindChanges(series, control, kTime), kTime), IsEmpty());
  series.relative = true;
  EXPECT_THAT(Changes(series, kTime, control), ElementsAre(Found{20, "alarm"}))
      << "a ratio to the reference of the same blocks has no environment in it";
  const std::vector<Point> flat = Written(Noisy(32, 10, 0.002, 3)).points;
  series.relative = false;
  EXPECT_THAT(Changes(series, kTime, flat), ElementsAre(Found{20, "alarm"}));
}

TEST(FindChangesTest, LargeIsWhatAVerdictCallsLarge) {
  const statistics::Metric latency = statistics::MakeMetric(
      "x", statistics::Direction::kLowerIsBetter, statistics::Scale::kDifference, "ms", 0.1);
  const auto step = [](double from, double to) {
    return Written(Joined(Noisy(20, from, 0.001, 1), Noisy(12, to, 0.001, 2)));
  };
  EXPECT_THAT(Changes(step(200, 206), latency), ElementsAre(Found{20, "alarm"})) << "5 ms";
  EXPECT_THAT(Changes(step(0.5, 0.6), latency), ElementsAre(Found{20, "watch"})) << "the floor";
}

TEST(FindSuspicionsTest, AnAlarmNamesLastGoodFirstBadAndItsSide) {
  const auto of = [](double to, const statistics::Metric& metric) {
    const Series series = Written(Joined(Noisy(20, 10, 0.002, 1), Noisy(12, to, 0.002, 2)));
    return FindSuspicions(series, FindChanges(series, {}, metric), metric);
  };
  const std::vector<Suspicion> worse = of(11, kTime);
  ASSERT_EQ(worse.size(), 1u);
  EXPECT_EQ(worse[0].good, 19u);
  EXPECT_EQ(worse[0].bad, 20u);
  EXPECT_FALSE(worse[0].improvement);
  EXPECT_NEAR(worse[0].magnitude, 0.1, 0.01);
  EXPECT_TRUE(of(9, kTime)[0].improvement);
  statistics::Metric info = kTime;
  info.role = statistics::Role::kInfo;
  EXPECT_THAT(of(11, info), IsEmpty());
  statistics::Metric more = kTime;
  more.direction = statistics::Direction::kHigherIsBetter;
  EXPECT_TRUE(of(11, more)[0].improvement);
}

struct NewestCase {
  std::string name;
  size_t before;
  double spread, newest;
  size_t want;
};
class NewestTest : public testing::TestWithParam<NewestCase> {};
TEST_P(NewestTest, IsHeldAgainstItsSegment) {
  const NewestCase& c = GetParam();
  std::vector<double> values;
  for (size_t i = 0; i < c.before; ++i) values.push_back(10 + (i % 2 == 0 ? c.spread : -c.spread));
  values.push_back(c.newest);
  const Series series = Written(values);
  EXPECT_EQ(FindSuspicions(series, FindChanges(series, {}, kTime), kTime).size(), c.want);
}
INSTANTIATE_TEST_SUITE_P(, NewestTest,
                         testing::ValuesIn<NewestCase>({
                             {"Far", 8, 0.01, 10.6, 1},
                             {"Near", 8, 0.01, 10.4, 0},
                             {"TooFewBefore", 7, 0.01, 20, 0},
                             {"InItsSpread", 8, 0.2, 10.6, 0},
                             {"BeyondItsSpread", 8, 0.2, 11.3, 1},
                             {"Better", 8, 0.01, 9, 1},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(DriftTest, AddsUpStepsTooSmallToSee) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(10 * (1 + 0.005 * i));
  const Series series = Written(values);
  const double drift = Drift(series, FindChanges(series, {}, kTime)).value();
  EXPECT_GT(drift, 0.05);
  EXPECT_LT(drift, 0.12);
  const Series flat = Written(Noisy(40, 10, 0.01, 1));
  EXPECT_NEAR(Drift(flat, {}).value(), 0, 0.01);
  EXPECT_EQ(Drift(Written(Noisy(20, 10, 0.01, 1)), {}), std::nullopt);
  EXPECT_EQ(Drift(Written(std::vector<double>(40, 0)), {}), std::nullopt) << "no part of 0";
  EXPECT_EQ(Drift(Written({}), {}), std::nullopt);
}

TEST(KnownStepsTest, MeetingIntervalsAreOneStep) {
  Numbers numbers;
  for (int i = 0; i < 10; ++i) numbers.kernels.push_back({"k", "1", "c", 0, 100 + i});
  const Series series = Written(std::vector<double>(10, 1));
  const auto known = [&](size_t good, size_t bad, bool improvement = false) {
    Suspicion suspicion;
    suspicion.good = good;
    suspicion.bad = bad;
    suspicion.improvement = improvement;
    const std::vector<KnownStep> steps = {{1, 104, 106, false}, {2, 999, 998, false}};
    return FindKnown(numbers, series, suspicion, steps) != nullptr;
  };
  EXPECT_TRUE(known(4, 6));
  EXPECT_TRUE(known(5, 6)) << "a kernel between them was measured since";
  EXPECT_TRUE(known(6, 7)) << "seen one kernel later";
  EXPECT_TRUE(known(3, 4));
  EXPECT_FALSE(known(7, 8));
  EXPECT_FALSE(known(2, 3));
  EXPECT_FALSE(known(4, 6, true)) << "back again";
}

}  // namespace
}  // namespace shakedown::history
