// What somebody who mistyped a word may have meant.
#ifndef SHAKEDOWN_CONTROLLER_CLI_SUGGESTION_H_
#define SHAKEDOWN_CONTROLLER_CLI_SUGGESTION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::cli {

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours
// that turn `a` into `b`, in bytes (Damerau 1964; no substring is edited twice).
int EditDistance(absl::string_view a, absl::string_view b);

// `: did you mean "submit"?` for the nearest of `known`, the first of equals; empty when none is
// within a third of the word's length, but one at least.
std::string DidYouMean(absl::string_view word, const std::vector<std::string>& known);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_SUGGESTION_H_
