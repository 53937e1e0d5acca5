#include "controller/history/bisect_candidates.h"

#include <bit>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace shakedown::history {
namespace {

absl::Status CheckSize(size_t size, size_t most) {
  if (size >= 2 && size <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(size, " candidates: want 2 (the good and the bad end) to ", most));
}

}  // namespace

absl::StatusOr<BisectCandidates> BisectCandidates::List(size_t size) {
  if (const absl::Status checked = CheckSize(size, kMostListed); !checked.ok()) return checked;
  BisectCandidates list;
  list.first_parent_.push_back(0);
  for (size_t i = 1; i < size; ++i) list.first_parent_.push_back(static_cast<uint32_t>(i - 1));
  return list;
}

absl::StatusOr<BisectCandidates> BisectCandidates::Commits(
    const std::vector<std::vector<uint32_t>>& parents) {
  if (const absl::Status checked = CheckSize(parents.size(), kMostCommits); !checked.ok()) {
    return checked;
  }
  BisectCandidates commits;
  commits.words_ = (parents.size() + 63) / 64;
  commits.ancestors_.resize(parents.size() * commits.words_);
  for (size_t i = 0; i < parents.size(); ++i) {
    uint64_t* row = &commits.ancestors_[i * commits.words_];
    for (const uint32_t parent : parents[i]) {
      if (parent >= i) {
        return absl::InvalidArgumentError(absl::StrCat("candidate ", i, " has the parent ", parent,
                                                       ": want parents before their children"));
      }
      const uint64_t* of = &commits.ancestors_[parent * commits.words_];
      for (size_t w = 0; w < commits.words_; ++w) row[w] |= of[w];
    }
    row[i / 64] |= uint64_t{1} << (i % 64);
    commits.first_parent_.push_back(parents[i].empty() ? 0 : parents[i].front());
  }
  const size_t bad = parents.size() - 1;
  for (size_t i = 1; i < bad; ++i) {
    if (commits.Holds(bad, i)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("candidate ", i, " does not lead to the bad end: want its ancestors only"));
  }
  return commits;
}

bool BisectCandidates::Holds(size_t candidate, size_t change) const {
  if (words_ == 0) return change <= candidate;
  return (ancestors_[candidate * words_ + change / 64] >> (change % 64) & 1) != 0;
}

std::vector<double> BisectCandidates::Sums(std::span<const double> weights) const {
  std::vector<double> sums(size());
  if (words_ == 0) {
    double sum = 0;
    for (size_t i = 0; i < size(); ++i) sums[i] = sum += weights[i];
    return sums;
  }
  for (size_t i = 0; i < size(); ++i) {
    for (size_t w = 0; w < words_; ++w) {
      for (uint64_t bits = ancestors_[i * words_ + w]; bits != 0; bits &= bits - 1) {
        sums[i] += weights[w * 64 + static_cast<size_t>(std::countr_zero(bits))];
      }
    }
  }
  return sums;
}

}  // namespace shakedown::history
