#include "agent/runner/setup/tunables.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agent/runner/setup/kernel_file.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr absl::string_view kDebugfsFolder = "sched/";
constexpr size_t kLongestName = 128;
constexpr size_t kLongestValue = 1024;

absl::Status BadName(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("tunable ", Quoted(name),
                   ": want a sysctl such as kernel.sched_autogroup_enabled or a file such as "
                   "sched/base_slice_ns "
                   "of [a-z0-9_.-], at most 128 bytes, without \"..\""));
}

bool GoodCharacter(char c) {
  return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_' || c == '.' || c == '-';
}

bool GoodParts(absl::string_view name, char separator) {
  for (absl::string_view part : absl::StrSplit(name, separator)) {
    if (part.empty() || part == "." || absl::StrContains(part, "..")) return false;
    if (!std::all_of(part.begin(), part.end(), GoodCharacter)) return false;
  }
  return true;
}

std::string Chosen(absl::string_view value) {
  const size_t open = value.find('(');
  const size_t close = value.find(')');
  if (open == absl::string_view::npos || close == absl::string_view::npos || close < open) {
    return std::string(value);
  }
  return std::string(value.substr(open + 1, close - open - 1));
}

}  // namespace

absl::StatusOr<std::string> TunablePath(absl::string_view name) {
  if (name.size() > kLongestName) return BadName(name);
  if (absl::StartsWith(name, kDebugfsFolder)) {
    if (!GoodParts(name, '/')) return BadName(name);
    return absl::StrCat("/sys/kernel/debug/", name);
  }
  if (!absl::StrContains(name, '.') || !GoodParts(name, '.')) return BadName(name);
  return absl::StrCat("/proc/sys/", absl::StrReplaceAll(name, {{".", "/"}}));
}

absl::StatusOr<std::string> ReadTunable(absl::string_view name, const std::string& root) {
  ASSIGN_OR_RETURN(const std::string path, TunablePath(name));
  absl::StatusOr<std::string> value = ReadFile(root + path, 1 << 16);
  if (!value.ok()) return Annotate(value.status(), absl::StrCat("tunable ", name));
  return Chosen(absl::StripTrailingAsciiWhitespace(*value));
}

absl::StatusOr<std::string> ApplyTunable(absl::string_view name, absl::string_view value,
                                         const std::string& root) {
  ASSIGN_OR_RETURN(const std::string path, TunablePath(name));
  const bool printable = std::all_of(value.begin(), value.end(), absl::ascii_isprint);
  if (value.empty() || value.size() > kLongestValue || !printable) {
    return absl::InvalidArgumentError(absl::StrCat("tunable ", name, ": value ", Quoted(value),
                                                   ": want 1 to 1024 printable characters"));
  }
  const absl::Status written = WriteKernelFile(root + path, value);
  if (!written.ok()) return Annotate(written, absl::StrCat("tunable ", name));
  return ReadTunable(name, root);
}

}  // namespace shakedown::runner
