#include "controller/notify/filter.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"

namespace shakedown::notify {
namespace {

constexpr size_t kMostBytes = 1000;
constexpr const char* kWords[] = {"by", "kernel", "machine", "metric", "outcome", "verdict"};

absl::Status Wrong(absl::string_view term, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("filter ", Quoted(term), ": want ", want, ", e.g. machine=x1 verdict=worse"));
}

}  // namespace

absl::StatusOr<Filter> Filter::Parse(absl::string_view text) {
  if (text.size() > kMostBytes) {
    return Wrong(text, absl::StrCat("at most ", kMostBytes, " bytes"));
  }
  Filter filter;
  for (const absl::string_view term : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(term, absl::MaxSplits('=', 1));
    if (std::find(std::begin(kWords), std::end(kWords), parts.first) == std::end(kWords)) {
      return Wrong(term, absl::StrCat("one of ", absl::StrJoin(kWords, ", "), " before '='"));
    }
    Term parsed{std::string(parts.first), absl::StrSplit(parts.second, ',')};
    const auto empty = [](const std::string& pattern) { return pattern.empty(); };
    if (parsed.patterns.empty() ||
        std::any_of(parsed.patterns.begin(), parsed.patterns.end(), empty)) {
      return Wrong(term, "a pattern behind '=' and each comma");
    }
    filter.terms_.push_back(std::move(parsed));
  }
  return filter;
}

bool Filter::Matches(const Facts& facts, absl::string_view subscriber) const {
  bool by_said = false;
  for (const Term& term : terms_) {
    by_said = by_said || term.word == "by";
    const auto found = facts.find(term.word);
    if (found == facts.end()) return false;
    const bool holds =
        std::any_of(found->second.begin(), found->second.end(), [&](const std::string& value) {
          return std::any_of(
              term.patterns.begin(), term.patterns.end(),
              [&](const std::string& pattern) { return MatchesPattern(pattern, value); });
        });
    if (!holds) return false;
  }
  const auto by = facts.find("by");
  if (by_said || by == facts.end()) return true;
  return std::find(by->second.begin(), by->second.end(), subscriber) != by->second.end();
}

bool MatchesPattern(absl::string_view pattern, absl::string_view text) {
  size_t p = 0, t = 0;
  size_t star = absl::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace shakedown::notify
