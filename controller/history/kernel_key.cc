#include "controller/history/kernel_key.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "controller/plan/text.h"

namespace shakedown::history {
namespace {

constexpr size_t kBuildDigits = 12;  // Of the build key, behind "-" at the end of a release.

bool IsHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

absl::string_view WithoutBuild(absl::string_view release, absl::string_view build_key) {
  if (build_key.size() >= kBuildDigits) {
    absl::ConsumeSuffix(&release, absl::StrCat("-", build_key.substr(0, kBuildDigits)));
  }
  return release;
}

bool LooksLikeVersion(absl::string_view word) {
  return !word.empty() && absl::ascii_isdigit(word.front()) && absl::StrContains(word, '.') &&
         !absl::StrContains(word, ':');
}

// From `at`: the end of "6.12", "6.12.57", "6.12-rc7"; `at` itself where there is no such thing.
size_t EndOfVersion(absl::string_view name, size_t at) {
  const auto digits = [&](size_t from) {
    while (from < name.size() && absl::ascii_isdigit(name[from])) ++from;
    return from;
  };
  size_t end = digits(at);
  size_t parts = 1;
  while (end > at && end + 1 < name.size() && name[end] == '.' &&
         absl::ascii_isdigit(name[end + 1])) {
    end = digits(end + 1);
    ++parts;
  }
  if (parts < 2) return at;
  if (absl::StartsWith(name.substr(end), "-rc")) {
    const size_t candidate = digits(end + 3);
    if (candidate > end + 3) end = candidate;
  }
  return end;
}

// Where the first version in a name stands; at = end: there is none.
struct Place {
  size_t at = 0, end = 0;
};
Place FindVersion(absl::string_view name) {
  for (size_t at = 0; at < name.size(); ++at) {
    const bool begins = at == 0 || !absl::ascii_isalnum(name[at - 1]);
    const size_t end = begins && absl::ascii_isdigit(name[at]) ? EndOfVersion(name, at) : at;
    if (end > at) return {at, end};
  }
  return {};
}

std::string WithoutVersion(absl::string_view name) {
  const Place version = FindVersion(name);
  absl::string_view before = name.substr(0, version.at);
  absl::string_view after = name.substr(version.end);
  if (version.at == version.end) return std::string(name);
  absl::ConsumeSuffix(&before, "-");
  absl::ConsumePrefix(&after, "-");
  return absl::StrCat(before, before.empty() || after.empty() ? "" : "-", after);
}

}  // namespace

std::string VersionOf(const BuiltKernel& built) {
  std::string version(WithoutBuild(built.release, built.build_key));
  const bool debian = built.kernel.has_debian_source() || built.kernel.has_debian_image();
  if (debian) {
    const std::vector<absl::string_view> words = absl::StrSplit(built.source_version, ' ');
    const auto found = std::find_if(words.begin(), words.end(), LooksLikeVersion);
    if (found != words.end()) version = std::string(*found);
  }
  const std::string& commit = built.kernel.git().commit();
  if (commit.size() >= kBuildDigits && IsHex(commit) && !absl::StrContains(version, "-g")) {
    absl::StrAppend(&version, "-g", commit.substr(0, kBuildDigits));
  }
  if (built.kernel.has_local_tree()) {
    absl::StrAppend(&version, "+", built.build_key.substr(0, kBuildDigits));
  }
  return version;
}

std::string VersionInName(absl::string_view name) {
  return std::string(name.substr(FindVersion(name).at));
}

std::string ClassOf(const v1::Variant& variant) {
  v1::Variant settings = variant;
  settings.set_control(false);
  std::string name = WithoutVersion(variant.kernel());
  settings.set_kernel(name.empty() ? "-" : name);
  return plan::PrintVariant(settings);
}

bool Matches(absl::string_view pattern, absl::string_view name) {
  size_t p = 0, n = 0;
  size_t star = absl::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace shakedown::history
