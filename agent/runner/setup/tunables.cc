#include "agent/runner/setup/tunables.h"

#include <dirent.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
constexpr size_t kMostSimilar = 3;

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

// Letters to change, add or take away to make one of the other (Levenshtein).
size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

// Of the files in the tunable's folder those most like it, as whole names, the nearest first.
std::vector<std::string> Similar(absl::string_view name, const std::string& path) {
  const size_t slash = path.rfind('/');
  const absl::string_view last = absl::string_view(path).substr(slash + 1);
  const absl::string_view before = name.substr(0, name.size() - last.size());
  DIR* files = opendir(path.substr(0, slash).c_str());
  if (files == nullptr) return {};
  std::vector<std::pair<size_t, std::string>> found;
  while (const dirent* file = readdir(files)) {
    const size_t distance = Distance(last, file->d_name);
    if (file->d_name[0] == '.' || distance > last.size() / 2) continue;
    found.emplace_back(distance, file->d_name);
  }
  closedir(files);
  std::sort(found.begin(), found.end());
  if (found.size() > kMostSimilar) found.resize(kMostSimilar);
  std::vector<std::string> names;
  for (const auto& [distance, file] : found) names.push_back(absl::StrCat(before, file));
  return names;
}

absl::Status NoSuchTunable(absl::string_view name, const std::string& path) {
  const std::vector<std::string> similar = Similar(name, path);
  return absl::NotFoundError(absl::StrCat(
      "tunable ", name, ": this kernel has none",
      similar.empty() ? "" : absl::StrCat(" (did you mean ", absl::StrJoin(similar, ", "), "?)")));
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
  if (absl::IsNotFound(written)) return NoSuchTunable(name, root + path);
  if (!written.ok()) return Annotate(written, absl::StrCat("tunable ", name));
  return ReadTunable(name, root);
}

}  // namespace shakedown::runner
