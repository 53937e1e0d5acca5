#include "agent/machine/live_telemetry.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsNan;

v1::TelemetrySample Sample(uint32_t at_ms, const std::map<std::string, double>& values) {
  v1::TelemetrySample sample;
  sample.set_at_ms(at_ms);
  for (const auto& [name, number] : values) {
    v1::TelemetrySample::Value* value = sample.add_values();
    value->set_name(name);
    value->set_unit("%");
    value->set_value(number);
  }
  return sample;
}

TEST(LiveTelemetryTest, EachLineHasAValueForEachSample) {
  LiveTelemetry live;
  live.Begin(2);
  live.Add(Sample(1000, {{"vmstat.us", 10}}));
  live.Add(Sample(2000, {{"vmstat.us", 20}, {"vmstat.wa", 1}}));
  live.Add(Sample(3500, {{"vmstat.wa", std::numeric_limits<double>::infinity()}}));
  EXPECT_EQ(live.view().load(), 2u);
  EXPECT_THAT(live.view().at_ms(), ElementsAre(1000, 2000, 3500));
  ASSERT_EQ(live.view().lines_size(), 2);
  EXPECT_EQ(live.view().lines(0).name(), "vmstat.us");
  EXPECT_EQ(live.view().lines(0).unit(), "%");
  EXPECT_THAT(live.view().lines(0).values(), ElementsAre(Eq(10), Eq(20), IsNan()));
  EXPECT_THAT(live.view().lines(1).values(), ElementsAre(IsNan(), Eq(1), IsNan()));
  live.Begin(3);
  EXPECT_EQ(live.view().at_ms_size() + live.view().lines_size(), 0);
}

TEST(LiveTelemetryTest, ALongLoadIsThinnedAndSpansAllOfIt) {
  LiveTelemetry live;
  live.Begin(0);
  for (uint32_t second = 1; second <= 100000; ++second) {
    live.Add(Sample(1000 * second, {{"vmstat.us", second}}));
    ASSERT_LE(live.view().at_ms_size(), LiveTelemetry::kMostSamples);
  }
  const v1::LiveTelemetry& view = live.view();
  ASSERT_GE(view.at_ms_size(), LiveTelemetry::kMostSamples / 2);
  EXPECT_EQ(view.at_ms(0), 1000u);
  const uint32_t step = view.at_ms(1) - view.at_ms(0);
  EXPECT_GT(view.at_ms(view.at_ms_size() - 1), 100'000'000 - step);
  for (int i = 1; i < view.at_ms_size(); ++i) {
    ASSERT_EQ(view.at_ms(i) - view.at_ms(i - 1), step) << i;
    ASSERT_EQ(view.lines(0).values(i), static_cast<float>(view.at_ms(i)) / 1000);
  }
}

TEST(LiveTelemetryTest, AHostileGuestGetsNoFurther) {
  LiveTelemetry live;
  live.Begin(0);
  v1::TelemetrySample many =
      Sample(5, {{"", 1}, {"../x", 1}, {"Upper", 1}, {"\xF0\x9F\x98\x80", 1}});
  for (int i = 0; i < 1000; ++i) {
    many.MergeFrom(Sample(5, {{absl::StrCat("line", i % 100), i}, {std::string(1000, 'x'), 1}}));
  }
  many.mutable_values(4)->set_unit(std::string(1000, '\n'));
  live.Add(many);
  live.Add(many);  // No later.
  live.Add(Sample(4, {{"line0", 7}}));
  EXPECT_THAT(live.view().at_ms(), ElementsAre(5));
  ASSERT_EQ(live.view().lines_size(), LiveTelemetry::kMostLines);
  for (const v1::LiveTelemetry::Line& line : live.view().lines()) {
    EXPECT_EQ(line.name().substr(0, 4), "line");
    EXPECT_EQ(line.values_size(), 1);
  }
  EXPECT_LT(live.view().ByteSizeLong(), 1000u);
}

}  // namespace
}  // namespace shakedown::agent
