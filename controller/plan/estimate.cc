#include "controller/plan/estimate.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "controller/plan/stopping.h"

namespace shakedown::plan {
namespace {

// Guesses for a virtual machine without KVM; each is replaced by a median as soon as there is one.
constexpr double kMakeSeconds = 20;       // The guest image's own target list.
constexpr double kPairOverhead = 3;       // interbench: 1 s settling, three syncs.
constexpr double kBootOverhead = 15;      // Fetching, power-on to the runner's hello, power-off.
constexpr double kBuildSeconds = 9 * 60;  // The minimal guest configuration on two idle cores.

double GuessOnce(const v1::Load& load) {
  if (load.has_latt()) {
    const v1::LattLoad& latt = load.latt();
    const double once = latt.command_size() == 0 ? kMakeSeconds : 10;
    return std::max<double>(once, latt.seconds());
  }
  if (load.has_interbench()) {
    const v1::InterbenchLoad& bench = load.interbench();
    const double pairs = std::max(bench.benchmarks_size(), 1) * std::max(bench.loads_size(), 1);
    return pairs * (bench.seconds() + kPairOverhead);
  }
  return kMakeSeconds;
}

double GuessLoads(const v1::JobSpec& spec) {
  double seconds = 0;
  for (const v1::Load& load : spec.loads()) seconds += GuessLoadSeconds(load);
  return seconds;
}

double BootSeconds(const v1::JobSpec& spec, const History& history) {
  return history.boot_seconds.value_or(kBootOverhead + GuessLoads(spec));
}

// Of a job that may have more than one look, or less than all its blocks.
std::string StoppingBasis(const v1::JobSpec& spec, uint64_t most_seconds, double block_seconds) {
  std::string text;
  const uint32_t most = MostBlocks(spec);
  if (most > FirstBlocks(spec)) {
    text = absl::StrCat("; to the first look, after ", FirstBlocks(spec), " blocks; ", most,
                        " blocks, the most, take ", SpanText(most_seconds));
  }
  if (spec.budget_s() == 0) return text;
  const double held = std::floor(static_cast<double>(spec.budget_s()) / block_seconds);
  if (held >= most) return text;
  absl::StrAppend(&text, "; the time budget of ", SpanText(spec.budget_s()), " holds about ",
                  static_cast<uint32_t>(held), " blocks");
  return text;
}

}  // namespace

double GuessLoadSeconds(const v1::Load& load) {
  return GuessOnce(load) * (std::max(load.iterations(), 1u) + load.warmups());
}

double BlockSeconds(const v1::JobSpec& spec, const History& history) {
  return BootSeconds(spec, history) * spec.variants_size();
}

Estimate EstimateWork(const v1::JobSpec& spec, uint32_t builds_to_make, uint32_t boots,
                      const History& history) {
  const double boot = BootSeconds(spec, history);
  const double build = history.build_seconds.value_or(kBuildSeconds);
  Estimate estimate;
  estimate.seconds = static_cast<uint64_t>(std::ceil(boot * boots + build * builds_to_make));
  estimate.basis = history.boot_seconds
                       ? absl::StrCat("boots: median of ", history.boots, " with these loads")
                       : "boots: no history, guessed from the loads' parameters";
  if (builds_to_make > 0) {
    absl::StrAppend(&estimate.basis,
                    history.build_seconds
                        ? absl::StrCat("; builds: median of ", history.builds)
                        : "; builds: no history, guessed for the minimal guest configuration");
  }
  const double looks = static_cast<double>(MostBlocks(spec)) / std::max(FirstBlocks(spec), 1u);
  estimate.most_seconds =
      static_cast<uint64_t>(std::ceil(boot * boots * looks + build * builds_to_make));
  estimate.basis +=
      StoppingBasis(spec, estimate.most_seconds, boot * std::max(spec.variants_size(), 1));
  return estimate;
}

uint32_t RunLimitSeconds(const v1::JobSpec& spec) {
  return static_cast<uint32_t>(300 + 6 * GuessLoads(spec));
}

}  // namespace shakedown::plan
