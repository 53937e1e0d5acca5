#include "controller/history/bisect_posterior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "controller/history/bisect_evidence.h"

namespace shakedown::history {
namespace {

// A step that is right as often as its odds promise at least.
constexpr double kWrong = 1 / (1 + kDecidingOdds);
// Bits. Below: the probability is on one side of the candidate but for about one part in fifty.
constexpr double kLeastInformation = 0.02;
constexpr double kCutOff = 0.025;

double Entropy(double p) {
  if (p <= 0 || p >= 1) return 0;
  return -p * std::log2(p) - (1 - p) * std::log2(1 - p);
}

// What an answer that is wrong with kWrong tells of a question whose answer is "bad" with p.
double Information(double p) { return Entropy(p * (1 - 2 * kWrong) + kWrong) - Entropy(kWrong); }

}  // namespace

BisectPosterior::BisectPosterior(const BisectCandidates& candidates)
    : candidates_(candidates),
      probabilities_(candidates.size(), 1.0 / static_cast<double>(candidates.size() - 1)) {
  probabilities_[0] = 0;
}

void BisectPosterior::Measured(size_t candidate, double log_odds) {
  // The likelihoods' ratio is all that counts: it goes where it can not overflow.
  const double bad = std::exp(std::min(log_odds, 0.0));
  const double good = std::exp(std::min(-log_odds, 0.0));
  for (size_t i = 0; i < probabilities_.size(); ++i) {
    probabilities_[i] *= candidates_.Holds(candidate, i) ? bad : good;
  }
  Normalise();
}

void BisectPosterior::Verified(size_t candidate, double log_odds) {
  probabilities_[candidate] *= std::exp(log_odds);
  Normalise();
}

bool BisectPosterior::Identical(size_t a, size_t b) {
  std::vector<double> left = probabilities_;
  for (size_t i = 0; i < left.size(); ++i) {
    if (candidates_.Holds(a, i) != candidates_.Holds(b, i)) left[i] = 0;
  }
  if (std::all_of(left.begin(), left.end(), [](double p) { return p == 0; })) return false;
  probabilities_ = std::move(left);
  Normalise();
  return true;
}

void BisectPosterior::Normalise() {
  const double sum = std::accumulate(probabilities_.begin(), probabilities_.end(), 0.0);
  for (double& p : probabilities_) p /= sum;
}

size_t BisectPosterior::Leader() const {
  return static_cast<size_t>(std::max_element(probabilities_.begin(), probabilities_.end()) -
                             probabilities_.begin());
}

BisectSuspects BisectPosterior::Suspects() const {
  BisectSuspects suspects;
  double sum = 0;
  for (suspects.low = 0; suspects.low + 1 < probabilities_.size(); ++suspects.low) {
    sum += probabilities_[suspects.low];
    if (sum > kCutOff) break;
  }
  sum = 0;
  for (suspects.high = probabilities_.size() - 1; suspects.high > suspects.low; --suspects.high) {
    sum += probabilities_[suspects.high];
    if (sum > kCutOff) break;
  }
  return suspects;
}

std::optional<size_t> BisectPosterior::Best(const Costs& costs,
                                            const std::vector<bool>& may_measure) const {
  const std::vector<double> bad = candidates_.Sums(probabilities_);
  std::optional<size_t> best;
  double most = 0;
  for (size_t i = 0; i < bad.size(); ++i) {
    const double information = Information(bad[i]);
    if (!may_measure[i] || information < kLeastInformation) continue;
    const double worth = information / (costs.step + (costs.built[i] ? 0 : costs.build));
    if (worth <= most) continue;
    most = worth;
    best = i;
  }
  return best;
}

}  // namespace shakedown::history
