#include "controller/plan/estimate.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "controller/plan/interbench_names.h"
#include "controller/plan/stopping.h"

namespace shakedown::plan {
namespace {

// Guesses for a virtual machine without KVM; each is replaced by a median as soon as there is one.
constexpr double kMakeSeconds = 20;       // The guest image's own target list.
constexpr double kPairOverhead = 3;       // interbench: 1 s settling, three syncs.
constexpr double kBootOverhead = 15;      // Fetching, power-on to the runner's hello, power-off.
constexpr double kBuildSeconds = 9 * 60;  // The minimal guest configuration on two idle cores.

// A program that nobody has seen run: how long it takes is not in its parameters.
constexpr double kUnknownSeconds = 60;
constexpr double kLongestUnknown = 3600;
// A whole kernel where a part of one was guessed.
constexpr double kForeignTreeSeconds = 15 * 60;
constexpr double kLongestForeignTree = 4 * 3600;
constexpr double kCopySeconds = 60;  // Of a tree, and its configuration.
constexpr double kLaunchSeconds = 0.05;
constexpr double kColdLaunchSeconds = 2;  // With the dropping of the caches.
constexpr double kCalibrationSeconds = 5;
constexpr uint32_t kLongestRun = 24 * 3600;  // That a runner takes.

// One iteration: as guessed, and the longest that is still no failure.
struct Length {
  double guess;
  double limit;
};
Length Times(double seconds) { return {seconds, 6 * seconds}; }

Length OfMake(const v1::MakeLoad& make) {
  const bool copied = !make.config_target().empty() || !make.config().empty();
  if (!make.tree().empty()) return {kForeignTreeSeconds, kLongestForeignTree};
  // Targets can be all of a kernel, and so can another configuration's list be.
  if (make.targets_size() > 0) return {kMakeSeconds, kLongestUnknown};
  return copied ? Length{kMakeSeconds + kCopySeconds, kLongestUnknown} : Times(kMakeSeconds);
}

Length OfLatt(const v1::LattLoad& latt, bool own_command) {
  Length length = own_command && latt.command_size() == 0
                      ? OfMake(latt.make())
                      : Length{kUnknownSeconds / 6, kLongestUnknown};
  length.guess = std::max<double>(length.guess, latt.seconds());
  length.limit = std::max<double>(length.limit, 6.0 * latt.seconds());
  return length;
}

Length OfInterbench(const v1::InterbenchLoad& bench) {
  const uint32_t seconds = bench.seconds() == 0 ? 30 : (bench.seconds() + 9) / 10 * 10;
  return Times(InterbenchPairs(bench) * (seconds + kPairOverhead));
}

double BesideSeconds(const v1::Beside& beside) {
  return beside.has_make() && !beside.make().tree().empty() ? kCopySeconds : 0;
}

Length OneIteration(const v1::Load& load) {
  switch (load.kind_case()) {
    case v1::Load::kMake:
      return OfMake(load.make());
    case v1::Load::kLatt:
      return OfLatt(load.latt(), true);
    case v1::Load::kInterbench:
      return OfInterbench(load.interbench());
    case v1::Load::kLaunch: {
      const v1::LaunchLoad& launch = load.launch();
      return Times(BesideSeconds(launch.beside()) +
                   launch.count() * (launch.pause_ms() / 1000.0 +
                                     (launch.cold() ? kColdLaunchSeconds : kLaunchSeconds)));
    }
    case v1::Load::kFrames:
      return Times(BesideSeconds(load.frames().beside()) + kCalibrationSeconds +
                   load.frames().seconds());
    case v1::Load::kCommand:
      if (load.command().under_latt()) return OfLatt(load.command().latt(), false);
      return {kUnknownSeconds, kLongestUnknown};
    case v1::Load::kTool:
      // hackbench and perf run by amount, not by time.
      return {std::max<double>(load.tool().seconds(), 1), kLongestUnknown};
    case v1::Load::KIND_NOT_SET:
      break;
  }
  return Times(kMakeSeconds);
}

double Iterations(const v1::Load& load) { return std::max(load.iterations(), 1u) + load.warmups(); }

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
  return OneIteration(load).guess * Iterations(load);
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
  double seconds = 300;
  for (const v1::Load& load : spec.loads()) seconds += OneIteration(load).limit * Iterations(load);
  if (spec.background_size() > 0) seconds += 6 * kCalibrationSeconds * spec.loads_size();
  for (const v1::SetupStep& step : spec.setup()) {  // At most so long before each load.
    const uint32_t limit = step.settle().limit_s() > 0 ? step.settle().limit_s() : 120;
    if (step.has_settle()) seconds += limit * spec.loads_size();
  }
  return static_cast<uint32_t>(std::min<double>(seconds, kLongestRun));
}

}  // namespace shakedown::plan
