// Bisects of worlds whose culprit is known: for tests, and to say beforehand what one will take.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_BISECT_SIMULATION_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_BISECT_SIMULATION_H_

#include <cstdint>
#include <vector>

#include "controller/history/bisect.h"

namespace shakedown::history {

struct BisectWorld {
  enum class Noise { kNormal, kSpiky, kT2 };
  double effect = 0.08;  // Of the culprit, in the scale of the differences.
  double sd = 0.03;      // Of one block's difference.
  Noise noise = Noise::kNormal;
  double unbuildable = 0;     // Part of the candidates, the ends and (unless `lose_culprit`) the
                              // culprit and its parent left out.
  bool lose_culprit = false;  // The culprit itself does not build.
  double identical = 0;       // Part of the candidates that are the build of the one before.
  double farm_failures = 0;   // Part of the trials.
};

struct BisectOutcome {
  BisectNext::Kind kind = BisectNext::Kind::kWait;
  uint32_t truth = 0;    // The culprit that the seed drew.
  uint32_t culprit = 0;  // What was named, when kind is kFound.
  bool among_suspects = false;
  double confidence = 0;
  uint32_t boots = 0;
  uint32_t builds = 0;  // Made for it, the ends' included.
  uint32_t steps = 0;
  struct Claim {
    double confidence = 0;  // Of the likeliest culprit after a step.
    bool right = false;
  };
  std::vector<Claim> claims;
};

// The same seed gives the same. Ends for every world: it has max_boots.
BisectOutcome SimulateBisect(const BisectProblem& problem, const BisectWorld& world, uint64_t seed);

struct BisectExpectation {
  double mean_boots = 0;
  uint32_t p95_boots = 0;
  double mean_builds = 0;
  double found = 0;            // Part of the seeds in which the culprit was named, rightly.
  double wrong = 0;            // In which another was.
  double mean_confidence = 0;  // Of those that were named.
};
BisectExpectation ExpectBisect(const BisectProblem& problem, const BisectWorld& world,
                               uint64_t first_seed, uint32_t seeds);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_BISECT_SIMULATION_H_
