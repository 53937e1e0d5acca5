// When a job may be looked at, and how sure each look must be for all of them together to be.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_LOOKS_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_LOOKS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace shakedown::statistics {

// Pocock's level for three looks: together they cry wolf 5 % of the time.
inline constexpr double kPocockLevel = 0.9779;
inline constexpr double kSingleLookLevel = 0.95;
// Secondary metrics: share of false alarms among the alarms, over all of the job, once at its end.
inline constexpr double kFalseDiscoveryRate = 0.05;

inline constexpr int64_t kFewestBlocks = 6;        // Below: insufficient.
inline constexpr int64_t kFewestBlocksToMark = 8;  // Below: the interval is preliminary, no mark.
inline constexpr int64_t kFewestUnpaired = 4;      // On each side.

struct LookPlan {
  std::vector<int64_t> after_blocks;  // Ascending.
  double level;                       // Of primary metrics at every look.

  // The look after so many complete blocks, from 1; nullopt between looks.
  std::optional<int> LookAfter(int64_t blocks) const {
    const auto at = std::find(after_blocks.begin(), after_blocks.end(), blocks);
    if (at == after_blocks.end()) return std::nullopt;
    return static_cast<int>(at - after_blocks.begin()) + 1;
  }
  bool IsLast(int64_t blocks) const {
    return after_blocks.empty() || blocks >= after_blocks.back();
  }
};

inline LookPlan ThreeLooks() { return {{8, 16, 24}, kPocockLevel}; }
inline LookPlan QuickLook() { return {{8}, kSingleLookLevel}; }
inline LookPlan FixedLook(int64_t blocks) { return {{blocks}, kSingleLookLevel}; }

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_LOOKS_H_
