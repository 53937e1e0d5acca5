#include "agent/laptop/keeper/keeper_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/runner/setup/fake_root.h"

namespace shakedown::laptop {
namespace {

const absl::TimeZone kZone = absl::FixedTimeZone(3600);
absl::Time At(int day, int hour) {
  return absl::FromCivil(absl::CivilHour(2026, 11, day, hour), kZone);
}

TEST(StateFileTest, RemembersOverRestarts) {
  const runner::FakeRoot root;
  const std::string path = root.path() + "/state.txtpb";
  auto file = StateFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(file->get().paused());
  ASSERT_TRUE(file->Change([](v1::KeeperState& s) { s.set_paused(true); }).ok());
  EXPECT_TRUE(StateFile::Open(path)->get().paused());
}

TEST(StateFileTest, AChangeThatCanNotBeWrittenIsNone) {
  const runner::FakeRoot root;
  auto file = StateFile::Open(root.path() + "/nowhere/state.txtpb");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->Change([](v1::KeeperState& s) { s.set_paused(true); }).ok());
  EXPECT_FALSE(file->get().paused());
}

TEST(StateFileTest, ADamagedFileIsNamed) {
  runner::FakeRoot root;
  root.Put("/state.txtpb", "paused: tr");
  const auto file = StateFile::Open(root.path() + "/state.txtpb");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(file.status().message()),
              testing::StartsWith(root.path() + "/state.txtpb:1:"));
}

TEST(KeeperStateTest, APauseEnds) {
  v1::KeeperState state;
  EXPECT_FALSE(IsPaused(state, At(30, 1)));
  state.set_paused(true);
  EXPECT_TRUE(IsPaused(state, At(30, 1)));
  state.set_paused_until(absl::ToUnixSeconds(At(30, 2)));
  EXPECT_TRUE(IsPaused(state, At(30, 1)));
  EXPECT_FALSE(IsPaused(state, At(30, 2)));
}

TEST(KeeperStateTest, ARefusalEndsAndAClockSetBackMakesItNoLonger) {
  v1::KeeperState state;
  EXPECT_EQ(RefusalLeft(state, At(30, 1), absl::Hours(1)), absl::ZeroDuration());
  state.set_refused_until(absl::ToUnixSeconds(At(30, 2)));
  EXPECT_EQ(RefusalLeft(state, At(30, 1), absl::Hours(2)), absl::Hours(1));
  EXPECT_EQ(RefusalLeft(state, At(30, 2), absl::Hours(2)), absl::ZeroDuration());
  EXPECT_EQ(RefusalLeft(state, At(29, 2), absl::Hours(2)), absl::Hours(2));
}

TEST(KeeperStateTest, BootsAreCountedByTheLocalDate) {
  v1::KeeperState state;
  CountBoot(state, At(29, 22), kZone);
  CountBoot(state, At(29, 23), kZone);
  EXPECT_EQ(BootsToday(state, At(29, 23), kZone), 2u);
  EXPECT_EQ(BootsToday(state, At(30, 0), kZone), 0u);
  CountBoot(state, At(30, 0), kZone);
  EXPECT_EQ(BootsToday(state, At(30, 0), kZone), 1u);
  EXPECT_EQ(state.boots_date(), "2026-11-30");
}

TEST(KeeperStateTest, AClockSetBackFreesNoBoots) {
  v1::KeeperState state;
  CountBoot(state, At(30, 1), kZone);
  EXPECT_EQ(BootsToday(state, At(29, 1), kZone), 1u);
  CountBoot(state, At(29, 1), kZone);
  EXPECT_EQ(BootsToday(state, At(30, 1), kZone), 2u);
}

TEST(KeeperStateTest, AClockSetBackIsFound) {
  v1::KeeperState state;
  EXPECT_EQ(ClockProblem(state, At(30, 1)), "");
  CountBoot(state, At(30, 12), kZone);
  EXPECT_EQ(ClockProblem(state, At(30, 11)), "");
  EXPECT_EQ(ClockProblem(state, At(30, 10)),
            "clock: 2026-11-30 09:00 UTC, but it has been 2026-11-30 11:00 already: set it right "
            "(if it was wrong then: shakedown-laptop resume)");
}

}  // namespace
}  // namespace shakedown::laptop
