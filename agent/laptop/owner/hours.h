// When an owner lets tests run: hours of local wall time.
#ifndef SHAKEDOWN_AGENT_LAPTOP_OWNER_HOURS_H_
#define SHAKEDOWN_AGENT_LAPTOP_OWNER_HOURS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "shakedown/v1/owner.pb.h"

namespace shakedown::laptop {

// InvalidArgument names the day or time that is none. A span of no length is refused.
absl::Status CheckHours(const v1::Hours& hours);

// Whether [begin, end] lies inside one span of `hours`, which have been checked. A span that starts
// at a local time that a change of the clocks skips starts when they change; one that stretches
// over a change is an hour shorter or longer, as the wall clock shows.
bool Within(const v1::Hours& hours, absl::Time begin, absl::Time end, absl::TimeZone zone);

// "mon, tue 22:00 to 06:00".
std::string HoursText(const v1::Hours& hours);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_OWNER_HOURS_H_
