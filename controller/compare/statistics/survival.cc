#include "controller/compare/statistics/survival.h"

#include <boost/math/distributions/beta.hpp>

namespace shakedown::statistics {

FailureRate FailuresOf(int64_t failures, int64_t boots, double level) {
  FailureRate rate{failures, boots, {0, 1}};
  const double tail = (1 - level) / 2;
  const auto failed = static_cast<double>(failures);
  const auto survived = static_cast<double>(boots - failures);
  if (failures > 0)
    rate.interval.lo =
        boost::math::quantile(boost::math::beta_distribution(failed, survived + 1), tail);
  if (failures < boots)
    rate.interval.hi = boost::math::quantile(
        boost::math::complement(boost::math::beta_distribution(failed + 1, survived), tail));
  return rate;
}

bool FailsMore(const FailureRate& challenger, const FailureRate& base) {
  // By cross-multiplication: 1 of 8 is not more than 2 of 16. Without boots there is no rate.
  if (challenger.boots == 0 || base.boots == 0) return false;
  return challenger.failures * base.boots > base.failures * challenger.boots;
}

}  // namespace shakedown::statistics
