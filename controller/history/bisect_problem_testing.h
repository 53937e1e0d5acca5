// A bisect's problem for tests: a list of kernels whose names are k0, k1, ….
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_PROBLEM_TESTING_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_PROBLEM_TESTING_H_

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "controller/history/bisect.h"

namespace shakedown::history {

inline BisectProblem ListProblem(size_t n) {
  BisectProblem problem{.candidates = BisectCandidates::List(n).value(), .min_change = 0.04};
  for (size_t i = 0; i < n; ++i) problem.names.push_back(absl::StrCat("k", i));
  return problem;
}

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_PROBLEM_TESTING_H_
