// What a bisect chooses from: an ordered list of kernels, or commits with their parents.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_CANDIDATES_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_CANDIDATES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

namespace shakedown::history {

// Candidates are numbers from 0, the good end, to size() - 1, the bad end; parents before children.
// Each but the good end may have brought the change. Immutable.
class BisectCandidates {
 public:
  static constexpr size_t kMostListed = 10000;
  static constexpr size_t kMostCommits = 10000;  // Ancestors are kept as n * n bits: 12 MB.

  // A list: each candidate holds what all before it brought. InvalidArgument: not 2 to kMostListed.
  static absl::StatusOr<BisectCandidates> List(size_t size);
  // `parents[i]`: those of i among the candidates, each smaller than i, the first parent first;
  // none: i forks off before the good end. InvalidArgument: a size or a parent out of range, or a
  // bad end that some candidate does not lead to.
  static absl::StatusOr<BisectCandidates> Commits(
      const std::vector<std::vector<uint32_t>>& parents);

  size_t size() const { return first_parent_.size(); }
  // Whether `candidate` holds what `change` brought.
  bool Holds(size_t candidate, size_t change) const;
  // For every candidate the sum of the weights of all changes that it holds.
  std::vector<double> Sums(std::span<const double> weights) const;
  // What a candidate is verified against: its first parent; the good end when it has none here.
  size_t ParentOf(size_t candidate) const { return first_parent_[candidate]; }

 private:
  std::vector<uint32_t> first_parent_;
  size_t words_ = 0;                 // Of a row of `ancestors_`; 0: a list.
  std::vector<uint64_t> ancestors_;  // Itself included.
};

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_CANDIDATES_H_
