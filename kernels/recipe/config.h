#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::kernels {

// One option somebody asked for. `value` as .config writes it: y, m, n (not set), 250, 0x100,
// "text" with quotes.
struct Wish {
  std::string option;  // Without CONFIG_.
  std::string value;
  std::string
      origin;  // Who asked: "guest.config:17" or "option 2 of kernel 6.12-mine". Only for messages.
};

// Option (without CONFIG_) to value. An option that is "not set" has the value n.
using Config = std::map<std::string, std::string>;

// Parses "OPTION=VALUE" or "CONFIG_OPTION=VALUE". InvalidArgument: not of that form, or a value
// .config cannot hold (newlines, a bare word other than y/m/n, an unfinished string).
absl::StatusOr<Wish> ParseWish(absl::string_view text, absl::string_view origin);

// Parses a fragment: `CONFIG_X=v`, `# CONFIG_X is not set`, comments, empty lines. Any other line
// is an error that gives `name`, the line number and the line.
absl::StatusOr<std::vector<Wish>> ParseFragment(absl::string_view text, absl::string_view name);

// Parses a whole .config. Unknown lines are errors, as in ParseFragment.
absl::StatusOr<Config> ParseConfig(absl::string_view text, absl::string_view name);

// Later wishes win over earlier ones for the same option; the order of first mention is kept.
std::vector<Wish> MergeWishes(std::vector<Wish> wishes);

// The wishes as text for KCONFIG_ALLCONFIG or scripts/kconfig: one line each.
std::string PrintWishes(const std::vector<Wish>& wishes);

struct LostWish {
  Wish wish;
  std::string actual;  // The value in the final .config; empty: the option is not in it at all.
};

// Every wish the final configuration does not have. A wish for n is also met by an absent option.
std::vector<LostWish> CompareWishes(const std::vector<Wish>& wishes, const Config& config);

// OK when nothing is lost, else FailedPrecondition with one line for each lost option:
// "option SQUASHFS (guest.config:9): wanted y, got no such option (its dependencies are not met)".
absl::Status CheckWishes(const std::vector<Wish>& wishes, const Config& config);

// True when some option is built as a module.
bool HasModules(const Config& config);

}  // namespace shakedown::kernels
