#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace shakedown::plan {

// SplitMix64 (Steele, Lea, Flood 2014). A fixed generator, so that a stored seed gives the same
// order in every later version; the standard library's distributions do not promise that.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), bound >= 1: values that would favour the low results are drawn again.
  uint64_t Below(uint64_t bound) {
    const uint64_t threshold = (0 - bound) % bound;
    for (;;) {
      const uint64_t value = Next();
      if (value >= threshold) return value % bound;
    }
  }

  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace shakedown::plan
