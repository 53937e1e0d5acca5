// One line of a kernel's log → is it an alarm, and which. Pure.
#ifndef SHAKEDOWN_AGENT_CONSOLE_ALARM_H_
#define SHAKEDOWN_AGENT_CONSOLE_ALARM_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::console {

enum class Finding {
  kNone,
  kBootFailed,  // A panic for want of a root file system or an init.
  kPanicked,    // Any other panic; an oops.
  kHung,        // Soft or hard lockup, hung task, RCU stall.
};

struct Alarm {
  Finding finding = Finding::kNone;
  std::string title;
  // The function at fault is told by a later "RIP:" line and belongs into the title.
  bool wants_function = false;
};

// `message`: a printable line without its time stamp. Only a message that starts as the kernel's
// own alarms do is one: the same words inside a command line, a driver's line or a trace are not.
std::optional<Alarm> AlarmIn(absl::string_view message);

// "pick_eevdf" of "RIP: 0010:pick_eevdf+0x51/0x90" and of the older forms; nothing for other lines
// and for addresses in user space.
std::optional<std::string> FaultingFunction(absl::string_view message);

// A line's message: without "<6>", "[   12.345678]", "[    T1]", "[C0]". `*stamped` tells whether
// there was a time stamp. A stamp in the middle (a program wrote half a line before it) counts,
// too.
absl::string_view MessageOf(absl::string_view line, bool* stamped);

}  // namespace shakedown::console

#endif  // SHAKEDOWN_AGENT_CONSOLE_ALARM_H_
