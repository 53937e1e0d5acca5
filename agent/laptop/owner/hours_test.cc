#include "agent/laptop/owner/hours.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shakedown::laptop {
namespace {

v1::Hours Span(const std::string& from, const std::string& to,
               const std::vector<std::string>& days = {}) {
  v1::Hours hours;
  hours.set_from(from);
  hours.set_to(to);
  for (const std::string& day : days) hours.add_days(day);
  return hours;
}

absl::TimeZone Berlin() {
  absl::TimeZone zone;
  EXPECT_TRUE(absl::LoadTimeZone("Europe/Berlin", &zone));
  return zone;
}

// "2026-11-30 22:00" in Berlin: a Monday.
absl::Time At(const std::string& text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime("%Y-%m-%d %H:%M", text, Berlin(), &time, &error)) << error;
  return time;
}

struct WithinCase {
  std::string name;
  v1::Hours hours;
  std::string begin, end;
  bool want;
};

class WithinTest : public testing::TestWithParam<WithinCase> {};
TEST_P(WithinTest, Table) {
  const WithinCase& c = GetParam();
  EXPECT_EQ(Within(c.hours, At(c.begin), At(c.end), Berlin()), c.want);
}
INSTANTIATE_TEST_SUITE_P(
    , WithinTest,
    testing::ValuesIn<WithinCase>({
        {"Inside", Span("09:00", "17:00"), "2026-11-30 10:00", "2026-11-30 11:00", true},
        {"ToTheMinute", Span("09:00", "17:00"), "2026-11-30 09:00", "2026-11-30 17:00", true},
        {"TooEarly", Span("09:00", "17:00"), "2026-11-30 08:59", "2026-11-30 10:00", false},
        {"TooLong", Span("09:00", "17:00"), "2026-11-30 16:30", "2026-11-30 17:01", false},
        {"NightBefore", Span("22:00", "06:00"), "2026-11-30 23:00", "2026-12-01 05:00", true},
        {"NightAfter", Span("22:00", "06:00"), "2026-12-01 01:00", "2026-12-01 05:00", true},
        {"NightNoon", Span("22:00", "06:00"), "2026-12-01 12:00", "2026-12-01 12:30", false},
        {"WholeDay", Span("00:00", "24:00"), "2026-11-30 00:00", "2026-12-01 00:00", true},
        {"OverMidnightOfAWholeDay", Span("00:00", "24:00"), "2026-11-30 23:50", "2026-12-01 00:10",
         false},
        {"ItsDay", Span("09:00", "17:00", {"mon"}), "2026-11-30 10:00", "2026-11-30 11:00", true},
        {"OtherDay", Span("09:00", "17:00", {"tue", "sun"}), "2026-11-30 10:00", "2026-11-30 11:00",
         false},
        {"MorningAfterItsDay", Span("22:00", "06:00", {"mon"}), "2026-12-01 05:00",
         "2026-12-01 05:30", true},
        {"MorningOfItsDay", Span("22:00", "06:00", {"mon"}), "2026-11-30 05:00", "2026-11-30 05:30",
         false},
        // 2026-03-29: 02:00 to 03:00 is skipped. A span that starts in it starts at 03:00.
        {"SkippedStart", Span("02:30", "05:00"), "2026-03-29 03:05", "2026-03-29 04:00", true},
        {"BeforeSkippedStart", Span("02:30", "05:00"), "2026-03-29 01:55", "2026-03-29 04:00",
         false},
        {"NightOverTheSkip", Span("22:00", "06:00"), "2026-03-28 23:00", "2026-03-29 06:00", true},
        // 2026-10-25: 02:00 to 03:00 comes twice.
        {"NightOverTheOverlap", Span("22:00", "06:00"), "2026-10-24 22:00", "2026-10-25 06:00",
         true},
        {"AfterTheOverlap", Span("22:00", "06:00"), "2026-10-25 05:59", "2026-10-25 06:01", false},
    }),
    [](const auto& test) { return test.param.name; });

TEST(WithinOverlapTest, TheSecondPassOfARepeatedHourIsAfterTheEndInTheFirst) {
  const absl::Time first = At("2026-10-25 01:30") + absl::Hours(1);  // 02:30, summer time.
  EXPECT_TRUE(Within(Span("00:00", "02:45"), first, first, Berlin()));
  const absl::Time second = first + absl::Hours(1);  // 02:30 again.
  EXPECT_FALSE(Within(Span("00:00", "02:45"), second, second, Berlin()));
}

TEST(CheckHoursTest, NamesWhatMeansNothing) {
  EXPECT_TRUE(CheckHours(Span("22:00", "06:00", {"mon", "sun"})).ok());
  EXPECT_EQ(CheckHours(Span("22:00", "06:00", {"monday"})).message(),
            "day \"monday\", want one of mon, tue, wed, thu, fri, sat, sun");
  for (const char* time : {"", "6:00", "06-00", "24:01", "12:60", "-1:00", "ab:cd", "06:00 "}) {
    EXPECT_FALSE(CheckHours(Span(time, "12:00")).ok()) << time;
    EXPECT_FALSE(CheckHours(Span("12:00", time)).ok()) << time;
  }
  EXPECT_FALSE(CheckHours(Span("12:00", "12:00")).ok());
}

}  // namespace
}  // namespace shakedown::laptop
