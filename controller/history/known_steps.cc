#include "controller/history/known_steps.h"

#include <algorithm>
#include <optional>

namespace shakedown::history {
namespace {

// The place of a kernel in the epoch of the suspicion, else in any.
std::optional<size_t> PlaceOf(const Numbers& numbers, const Series& series, int64_t id, int epoch) {
  std::optional<size_t> place;
  for (size_t i = 0; i < series.points.size(); ++i) {
    if (numbers.kernels[series.points[i].kernel].id != id) continue;
    if (!place || series.points[i].epoch == epoch) place = i;
  }
  return place;
}

}  // namespace

const KnownStep* FindKnown(const Numbers& numbers, const Series& series, const Suspicion& suspicion,
                           const std::vector<KnownStep>& known) {
  const int epoch = series.points[suspicion.bad].epoch;
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownStep& step) {
    if (step.improvement != suspicion.improvement) return false;
    const auto good = PlaceOf(numbers, series, step.good, epoch);
    const auto bad = PlaceOf(numbers, series, step.bad, epoch);
    if (!good || !bad) return false;
    return std::min(*good, *bad) <= suspicion.bad && suspicion.good <= std::max(*good, *bad);
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace shakedown::history
