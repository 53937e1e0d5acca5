#include "controller/compare/statistics/pair_selection.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace shakedown::statistics {
namespace {

// Doubles as integers in the same order, so that halving ends after 64 steps wherever the values
// lie.
int64_t ToOrdered(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<int64_t>::min() - bits;
}
double FromOrdered(int64_t ordered) {
  return std::bit_cast<double>(ordered >= 0 ? ordered
                                            : std::numeric_limits<int64_t>::min() - ordered);
}

// The matrix of sums: rows and columns ascend, so what is at most `t` is a staircase.
class SumMatrix {
 public:
  SumMatrix(std::span<const double> rows, std::span<const double> columns, bool upper_half)
      : rows_(rows), columns_(columns), upper_half_(upper_half) {}

  double Smallest() const { return rows_.front() + columns_.front(); }
  double Largest() const { return rows_.back() + columns_.back(); }
  int64_t Size() const {
    const auto n = static_cast<int64_t>(rows_.size());
    return upper_half_ ? n * (n + 1) / 2 : n * static_cast<int64_t>(columns_.size());
  }

  int64_t CountAtMost(double t) const {
    int64_t count = 0;
    auto end = static_cast<int64_t>(columns_.size());
    for (int64_t i = 0; i < static_cast<int64_t>(rows_.size()); ++i) {
      while (end > 0 && rows_[i] + columns_[end - 1] > t) --end;
      const int64_t first = upper_half_ ? i : 0;
      if (end <= first) break;
      count += end - first;
    }
    return count;
  }

  // The sums in (lo, hi], unordered.
  std::vector<double> Collect(double lo, double hi, int64_t count) const {
    std::vector<double> sums;
    sums.reserve(count);
    auto end = static_cast<int64_t>(columns_.size());
    for (int64_t i = 0; i < static_cast<int64_t>(rows_.size()); ++i) {
      while (end > 0 && rows_[i] + columns_[end - 1] > hi) --end;
      const int64_t first = upper_half_ ? i : 0;
      if (end <= first) break;
      for (int64_t j = end; j > first; --j) {
        const double sum = rows_[i] + columns_[j - 1];
        if (!(sum > lo)) break;
        sums.push_back(sum);
      }
    }
    return sums;
  }

 private:
  std::span<const double> rows_;
  std::span<const double> columns_;
  bool upper_half_;
};

constexpr int64_t kCollectAtMost = 1 << 20;

class Selector {
 public:
  explicit Selector(const SumMatrix& matrix) : matrix_(matrix) {
    known_[std::nextafter(matrix.Smallest(), -std::numeric_limits<double>::infinity())] = 0;
    known_[matrix.Largest()] = matrix.Size();
  }

  double Select(int64_t rank) {
    Bracket(rank);
    for (int step = 0; hi_count_ - lo_count_ > kCollectAtMost; ++step) {
      const int64_t lo = ToOrdered(lo_);
      const int64_t hi = ToOrdered(hi_);
      const int64_t middle = lo + static_cast<int64_t>((static_cast<uint64_t>(hi) - lo) / 2);
      if (middle == lo) return hi_;  // Nothing lies between: all of them are this one value.
      double probe = FromOrdered(middle);
      if (step % 3 != 2) {
        // Where the rank would lie if the sums were spread evenly, one hundredth to either side.
        const double part =
            static_cast<double>(rank - lo_count_) / static_cast<double>(hi_count_ - lo_count_);
        const double aimed = lo_ + (hi_ - lo_) * (part + (step % 3 == 0 ? 0.01 : -0.01));
        if (aimed > lo_ && aimed < hi_) probe = aimed;
      }
      known_[probe] = matrix_.CountAtMost(probe);
      Bracket(rank);
    }
    std::vector<double> sums = matrix_.Collect(lo_, hi_, hi_count_ - lo_count_);
    const auto at = sums.begin() + (rank - lo_count_ - 1);
    std::nth_element(sums.begin(), at, sums.end());
    return *at;
  }

 private:
  // Sets (lo, hi] to the narrowest known range that holds `rank`. What was counted for one rank
  // serves the next.
  void Bracket(int64_t rank) {
    auto hi = known_.begin();
    while (hi->second < rank) ++hi;
    hi_ = hi->first;
    hi_count_ = hi->second;
    const auto lo = std::prev(hi);
    lo_ = lo->first;
    lo_count_ = lo->second;
  }

  const SumMatrix& matrix_;
  std::map<double, int64_t> known_;  // Value → number of sums at most that.
  double lo_ = 0, hi_ = 0;
  int64_t lo_count_ = 0, hi_count_ = 0;
};

std::vector<double> SelectAll(const SumMatrix& matrix, std::span<const int64_t> ranks) {
  Selector selector(matrix);
  std::vector<double> values;
  for (int64_t rank : ranks) values.push_back(selector.Select(rank));
  return values;
}

}  // namespace

std::vector<double> SelectSums(std::span<const double> a, std::span<const double> b,
                               std::span<const int64_t> ranks) {
  return SelectAll(SumMatrix(a, b, false), ranks);
}

std::vector<double> SelectSelfSums(std::span<const double> a, std::span<const int64_t> ranks) {
  return SelectAll(SumMatrix(a, a, true), ranks);
}

}  // namespace shakedown::statistics
