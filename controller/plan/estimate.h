#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Seconds that one performance of `load` is expected to take, all iterations, from its parameters
// alone: a guess for an emulated two-CPU machine that is used until there is history.
double GuessLoadSeconds(const v1::Load& load);

// What the farm knows from before. A median of nothing is absent.
struct History {
  std::optional<double>
      boot_seconds;    // Median of whole boots (lease to result) with the same loads.
  uint32_t boots = 0;  // How many that is from.
  std::optional<double> build_seconds;  // Median of builds that were really made.
  uint32_t builds = 0;
};

struct Estimate {
  uint64_t seconds = 0;       // To the first look, which is the end of a job that has but one.
  uint64_t most_seconds = 0;  // Were it to have the most blocks that its stopping rule allows.
  std::string basis;  // One line, e.g. "boots: median of 4 with these loads; builds: guessed, none
                      // in the past".
};

// Time for `builds_to_make` builds and then `boots` boots on one machine, one after the other.
// `boots` are those of the blocks before the first look. A time budget shortens nothing here: the
// basis says how many blocks it holds.
Estimate EstimateWork(const v1::JobSpec& spec, uint32_t builds_to_make, uint32_t boots,
                      const History& history);

// What one block of all variants takes.
double BlockSeconds(const v1::JobSpec& spec, const History& history);

// Limits of one boot order, with room for a machine that is many times slower than guessed.
// From power-on to the runner's hello.
inline constexpr uint32_t kBootLimitSeconds = 120;
// From the hello to the last result: six times the guess where the parameters tell how long a load
// takes, an hour an iteration for programs nobody has seen, four for an input's tree; a day at
// most.
uint32_t RunLimitSeconds(const v1::JobSpec& spec);
// Wall time of a whole build: a kernel of Debian's configuration on two busy cores takes hours.
inline constexpr uint32_t kBuildLimitSeconds = 4 * 3600;

}  // namespace shakedown::plan
