#include "controller/cli/suggestion.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr size_t kLongestWord = 64;  // Nobody mistypes a longer one; the distance is quadratic.

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int> two_above;
  std::vector<int> above(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<int> row(b.size() + 1);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    two_above = std::move(above);
    above = std::move(row);
  }
  return above.back();
}

std::string DidYouMean(absl::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kLongestWord) return "";
  int least = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const int distance = EditDistance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : absl::StrCat(": did you mean ", Quoted(*nearest), "?");
}

}  // namespace shakedown::cli
