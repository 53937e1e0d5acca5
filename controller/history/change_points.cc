#include "controller/history/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "controller/compare/statistics/descriptive.h"

namespace shakedown::history {
namespace {

// Sums of |x_i - x_j| over rectangles of i and j, from one table of prefix sums.
class Distances {
 public:
  explicit Distances(std::span<const double> series)
      : width_(series.size() + 1), sums_(width_ * width_, 0.0L) {
    for (size_t i = 0; i < series.size(); ++i)
      for (size_t j = 0; j < series.size(); ++j)
        sums_[(i + 1) * width_ + j + 1] =
            std::fabs(static_cast<long double>(series[i]) - series[j]) + At(i, j + 1) +
            At(i + 1, j) - At(i, j);
  }

  // i in [from, to), j in [left, right).
  long double Between(size_t from, size_t to, size_t left, size_t right) const {
    return At(to, right) - At(from, right) - At(to, left) + At(from, left);
  }
  // Mean over the pairs inside [from, to); 0 without a pair.
  long double MeanInside(size_t from, size_t to) const {
    const auto n = static_cast<long double>(to - from);
    return n < 2 ? 0.0L : Between(from, to, from, to) / (n * (n - 1));
  }

 private:
  long double At(size_t i, size_t j) const { return sums_[i * width_ + j]; }

  const size_t width_;
  std::vector<long double> sums_;
};

double SumOfSquares(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

bool Constant(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

double Magnitude(double before, double after) {
  if (before == after) return 0;
  if (before == 0 || after == 0) return std::numeric_limits<double>::infinity();
  return std::max(std::fabs(after / before - 1), std::fabs(before / after - 1));
}

// Splits [from, to) and then its parts as long as the test finds two regimes.
void Split(std::span<const double> series, size_t from, size_t to, double split_p,
           std::vector<size_t>& found) {
  if (to - from < 2) return;
  const std::span<const double> part = series.subspan(from, to - from);
  const size_t tau = StrongestCandidate(part).tau;
  if (PooledTTest(part.first(tau), part.subspan(tau)) >= split_p) return;
  Split(series, from, from + tau, split_p, found);
  found.push_back(from + tau);
  Split(series, from + tau, to, split_p, found);
}

std::vector<size_t> Candidates(std::span<const double> series, const ChangePointOptions& options) {
  std::vector<size_t> found;
  for (size_t start = 0; start < series.size();) {
    const size_t before = found.size();
    Split(series, start, std::min(start + options.window, series.size()), options.split_p, found);
    const size_t last = found.size() > before ? found.back() : 0;
    start = std::max(last, start + options.step);
  }
  return found;
}

// A change point with the length of the shorter regime beside it.
struct Judged {
  ChangePoint point;
  size_t shorter = 0;
};

// Judges the point at all[i] by the regimes on both its sides.
void Judge(std::span<const double> series, std::vector<Judged>& all, size_t i) {
  ChangePoint& point = all[i].point;
  const size_t from = i == 0 ? 0 : all[i - 1].point.index;
  const size_t to = i + 1 == all.size() ? series.size() : all[i + 1].point.index;
  const auto before = series.subspan(from, point.index - from);
  const auto after = series.subspan(point.index, to - point.index);
  point.p = PooledTTest(before, after);
  point.before_median = statistics::Median(before);
  point.after_median = statistics::Median(after);
  point.magnitude = Magnitude(point.before_median, point.after_median);
  all[i].shorter = std::min(before.size(), after.size());
}

// The next one to drop, or the end: too short a regime first (the shortest; of equals the larger
// p), then the weakest test, then the smallest step.
std::vector<Judged>::const_iterator Weakest(const std::vector<Judged>& all,
                                            const ChangePointOptions& options) {
  const auto shortest =
      std::min_element(all.begin(), all.end(), [](const Judged& a, const Judged& b) {
        return a.shorter != b.shorter ? a.shorter < b.shorter : a.point.p > b.point.p;
      });
  if (shortest == all.end() || shortest->shorter < options.min_segment) return shortest;
  const auto unsure =
      std::max_element(all.begin(), all.end(),
                       [](const Judged& a, const Judged& b) { return a.point.p < b.point.p; });
  if (unsure->point.p >= options.final_p) return unsure;
  const auto smallest = std::min_element(
      all.begin(), all.end(),
      [](const Judged& a, const Judged& b) { return a.point.magnitude < b.point.magnitude; });
  return smallest->point.magnitude <= options.min_magnitude ? smallest : all.end();
}

}  // namespace

Candidate StrongestCandidate(std::span<const double> series) {
  const Distances distances(series);
  Candidate best;
  long double best_q = -1;
  for (size_t tau = 1; tau < series.size(); ++tau) {
    for (size_t kappa = tau + 1; kappa <= series.size(); ++kappa) {
      const auto n = static_cast<long double>(tau);
      const auto m = static_cast<long double>(kappa - tau);
      const long double q = n * m / (n + m) *
                            (2 * distances.Between(0, tau, tau, kappa) / (n * m) -
                             distances.MeanInside(0, tau) - distances.MeanInside(tau, kappa));
      // Sums in another order differ in their last bits: a tie is a tie.
      if (best.tau != 0 && q <= best_q + 1e-12L * std::fabs(best_q)) continue;
      best_q = q;
      best = {tau, kappa, static_cast<double>(q)};
    }
  }
  return best;
}

double PooledTTest(std::span<const double> before, std::span<const double> after) {
  const double mean_before = statistics::Mean(before);
  const double mean_after = statistics::Mean(after);
  if (Constant(before) && Constant(after)) return before.front() != after.front() ? 0 : 1;
  // One side varies, so there are at least three values.
  const auto n = static_cast<double>(before.size());
  const auto m = static_cast<double>(after.size());
  const double degrees = n + m - 2;
  const double variance =
      (SumOfSquares(before, mean_before) + SumOfSquares(after, mean_after)) / degrees;
  const double t = (mean_after - mean_before) / std::sqrt(variance * (1 / n + 1 / m));
  const boost::math::students_t distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(t)));
}

std::vector<ChangePoint> FindChangePoints(std::span<const double> series,
                                          const ChangePointOptions& options) {
  std::vector<Judged> judged;
  for (const size_t place : Candidates(series, options)) judged.push_back({{.index = place}});
  for (size_t i = 0; i < judged.size(); ++i) Judge(series, judged, i);
  for (auto weakest = Weakest(judged, options); weakest != judged.end();
       weakest = Weakest(judged, options)) {
    const auto at = static_cast<size_t>(weakest - judged.begin());
    judged.erase(weakest);
    // Only the regimes of its neighbours have grown.
    if (at > 0) Judge(series, judged, at - 1);
    if (at < judged.size()) Judge(series, judged, at);
  }
  std::vector<ChangePoint> points;
  for (const Judged& one : judged) points.push_back(one.point);
  return points;
}

}  // namespace shakedown::history
