#include "agent/console/stale_breakpoint.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace shakedown::console {
namespace {

constexpr absl::string_view kTrap = "int3: 0000 [#1]";
constexpr absl::string_view kCode = "Code: ";
constexpr absl::string_view kInt3 = "cc";
constexpr size_t kOopsSize = 4096;  // Far more than the lines from the trap to the code.

}  // namespace

bool IsStaleBreakpoint(absl::string_view log) {
  const size_t trap = log.find(kTrap);
  if (trap == absl::string_view::npos) return false;
  absl::string_view oops = log.substr(trap, kOopsSize);
  const size_t code = oops.find(kCode);
  if (code == absl::string_view::npos) return false;
  oops.remove_prefix(code + kCode.size());
  oops = oops.substr(0, oops.find('\n'));
  const size_t mark = oops.find('<');
  if (mark == absl::string_view::npos) return false;
  const absl::string_view before = absl::StripTrailingAsciiWhitespace(oops.substr(0, mark));
  return before.size() >= 2 && !absl::EndsWith(before, kInt3);
}

}  // namespace shakedown::console
