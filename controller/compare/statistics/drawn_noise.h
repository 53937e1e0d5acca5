// Noise for tests that play jobs and series: a fixed seed draws the same values in every version.
#pragma once

#include <cmath>
#include <cstdint>

#include "controller/plan/split_mix.h"

namespace shakedown::statistics {

class DrawnNoise {
 public:
  explicit DrawnNoise(uint64_t seed) : random_(seed) {}
  // In (0, 1].
  double Uniform() { return static_cast<double>((random_.Next() >> 11) + 1) * 0x1p-53; }
  double Normal() {
    return std::sqrt(-2 * std::log(Uniform())) * std::cos(2 * 3.14159265358979323846 * Uniform());
  }
  // Student's t of 2 degrees of freedom: outliers beyond any other noise here.
  double T2() { return Normal() / std::sqrt(-std::log(Uniform())); }
  // Normal, but one value in ten is a spike.
  double Spiky() { return Normal() + (Uniform() < 0.1 ? 5 : 0); }

 private:
  plan::SplitMix64 random_;
};

}  // namespace shakedown::statistics
