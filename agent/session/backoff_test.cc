#include "agent/session/backoff.h"

#include <vector>

#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

const absl::Status kAway = absl::UnavailableError("away");

std::vector<double> Seconds(Backoff& backoff, int count) {
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) seconds.push_back(absl::ToDoubleSeconds(backoff.Next(kAway)));
  return seconds;
}

TEST(BackoffTest, GrowsTwofoldToTheLastLimitAndStartsAnew) {
  Backoff backoff({}, [] { return 0.5; });
  EXPECT_EQ(Seconds(backoff, 7), (std::vector<double>{0.75, 1.5, 3, 6, 12, 22.5, 22.5}));
  backoff.Reset();
  EXPECT_EQ(Seconds(backoff, 1), std::vector<double>{0.75});
}

TEST(BackoffTest, ChanceMovesItFromHalfToTheWhole) {
  Backoff least({}, [] { return 0.0; });
  EXPECT_EQ(least.Next(kAway), absl::Milliseconds(500));
  Backoff most({}, [] { return 0.9999999; });
  EXPECT_NEAR(absl::ToDoubleSeconds(most.Next(kAway)), 1, 1e-5);
}

TEST(BackoffTest, ARefusalWaitsLongAndDoesNotGrow) {
  Backoff backoff({}, [] { return 0.0; });
  EXPECT_EQ(backoff.Next(absl::UnauthenticatedError("who?")), absl::Seconds(30));
  EXPECT_EQ(backoff.Next(absl::PermissionDeniedError("not you")), absl::Seconds(30));
  EXPECT_EQ(backoff.Next(kAway), absl::Milliseconds(500));
}

}  // namespace
}  // namespace shakedown::agent
