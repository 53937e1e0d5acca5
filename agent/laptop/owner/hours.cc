#include "agent/laptop/owner/hours.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "proto/wire/ids.h"

namespace shakedown::laptop {
namespace {

constexpr int kDay = 24 * 60;
// In the order of absl::Weekday.
constexpr absl::string_view kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

// Minutes of "HH:MM", at most 24:00.
std::optional<int> Minutes(absl::string_view text) {
  int hour = 0, minute = 0;
  if (text.size() != 5 || text[2] != ':' || !absl::SimpleAtoi(text.substr(0, 2), &hour) ||
      !absl::SimpleAtoi(text.substr(3), &minute)) {
    return std::nullopt;
  }
  const int all = hour * 60 + minute;
  if (hour < 0 || minute < 0 || minute > 59 || all > kDay) return std::nullopt;
  return all;
}

bool StartsOn(const v1::Hours& hours, absl::CivilDay day) {
  const absl::string_view name = kDays[static_cast<int>(absl::GetWeekday(day))];
  return hours.days().empty() ||
         std::find(hours.days().begin(), hours.days().end(), name) != hours.days().end();
}

absl::Time At(absl::CivilDay day, int minutes, absl::TimeZone zone) {
  const absl::TimeZone::TimeInfo info = zone.At(absl::CivilMinute(day) + minutes);
  return info.kind == absl::TimeZone::TimeInfo::SKIPPED ? info.trans : info.pre;
}

}  // namespace

absl::Status CheckHours(const v1::Hours& hours) {
  for (const std::string& day : hours.days()) {
    if (std::find(std::begin(kDays), std::end(kDays), day) == std::end(kDays)) {
      return absl::InvalidArgumentError(
          absl::StrCat("day ", Quoted(day), ", want one of ", absl::StrJoin(kDays, ", ")));
    }
  }
  for (const std::string* time : {&hours.from(), &hours.to()}) {
    if (!Minutes(*time)) {
      return absl::InvalidArgumentError(
          absl::StrCat("time ", Quoted(*time), ", want HH:MM from 00:00 to 24:00"));
    }
  }
  if (hours.from() == hours.to()) {
    return absl::InvalidArgumentError(absl::StrCat("from ", hours.from(), " to ", hours.to(),
                                                   ", want a span (a whole day: 00:00 to 24:00)"));
  }
  return absl::OkStatus();
}

bool Within(const v1::Hours& hours, absl::Time begin, absl::Time end, absl::TimeZone zone) {
  const std::optional<int> from = Minutes(hours.from()), to = Minutes(hours.to());
  if (!from || !to) return false;
  const int until = *to > *from ? *to : *to + kDay;
  const absl::CivilDay today = absl::ToCivilDay(begin, zone);
  for (const absl::CivilDay day : {today - 1, today}) {
    if (StartsOn(hours, day) && At(day, *from, zone) <= begin && end <= At(day, until, zone)) {
      return true;
    }
  }
  return false;
}

std::string HoursText(const v1::Hours& hours) {
  return absl::StrCat(absl::StrJoin(hours.days(), ", "), hours.days().empty() ? "" : " ",
                      hours.from(), " to ", hours.to());
}

}  // namespace shakedown::laptop
