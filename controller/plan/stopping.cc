#include "controller/plan/stopping.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "controller/compare/statistics/looks.h"

namespace shakedown::plan {
namespace {

constexpr uint64_t kMinute = 60, kHour = 3600, kDay = 86400;

std::string Units(uint64_t whole, const char* unit, uint64_t rest, const char* rest_unit) {
  if (rest == 0) return absl::StrCat(whole, unit);
  return absl::StrCat(whole, unit, " ", rest, rest_unit);
}

std::string Blocks(uint32_t n) { return absl::StrCat(n, n == 1 ? " block" : " blocks"); }

}  // namespace

std::vector<uint32_t> LooksOf(const v1::JobSpec& spec) {
  statistics::LookPlan looks = statistics::FixedLook(spec.blocks());
  if (spec.stopping() == v1::STOPPING_RULE_QUICK) looks = statistics::QuickLook();
  if (spec.stopping() == v1::STOPPING_RULE_LOOKS) looks = statistics::ThreeLooks();
  return {looks.after_blocks.begin(), looks.after_blocks.end()};
}

uint32_t MostRepeats(uint32_t planned) { return std::max(2u, (planned + 1) / 2); }

uint32_t PlannedBlocks(const v1::Plan& plan) {
  return static_cast<uint32_t>(
      std::count_if(plan.blocks().begin(), plan.blocks().end(),
                    [](const v1::PlannedBlock& block) { return block.replaces() == 0; }));
}

std::string StoppingText(const v1::JobSpec& spec) {
  const std::vector<uint32_t> looks = LooksOf(spec);
  if (looks.size() == 1) return absl::StrCat(Blocks(looks[0]), ", one look");
  std::string text = "looks after ";
  for (size_t i = 0; i < looks.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : i + 1 == looks.size() ? " and " : ", ", looks[i]);
  }
  return text + " blocks";
}

std::string SpanText(uint64_t seconds) {
  if (seconds < 2 * kMinute && seconds % kMinute != 0) return absl::StrCat(seconds, " s");
  const uint64_t minutes = (seconds + kMinute / 2) / kMinute;
  if (minutes < 60) return absl::StrCat(minutes, " min");
  if (seconds < 2 * kDay) return Units(minutes / 60, " h", minutes % 60, " min");
  const uint64_t hours = (seconds + kHour / 2) / kHour;
  return Units(hours / 24, " days", hours % 24, " h");
}

}  // namespace shakedown::plan
