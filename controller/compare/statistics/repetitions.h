// How often to repeat what: iterations inside a boot, boots in a job.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_REPETITIONS_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_REPETITIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shakedown::statistics {

inline constexpr int kIterationsWithoutPilot = 3;
inline constexpr int kMostIterations = 10;

// Kalibera and Jones, "Rigorous benchmarking in reasonable time" (2013), for two levels.
struct RepetitionPlan {
  double iteration_variance;  // T1^2: of iterations inside a boot.
  double boot_variance;       // T2^2: of boots, the iterations' share taken out; may be below 0.
  int iterations;             // Best for the cost, 1 to kMostIterations.
};

// `boots`: the measured iterations of each boot of a pilot, warm-up left out. The costs in any one
// unit: of one more iteration, and of one more boot without its iterations. Both above 0.
// nullopt unless at least two boots have at least two iterations.
std::optional<RepetitionPlan> PlanRepetitions(const std::vector<std::vector<double>>& boots,
                                              double iteration_cost, double boot_cost);

// Blocks a paired comparison needs to find a true difference of `effect` with the chance `power`,
// when one block's difference varies by `sd` (same unit), testing two-sided at 1 - `level`. A
// normal approximation for the signed-rank test, never below the smallest number whose p can pass.
int64_t BlocksToDetect(double effect, double sd, double level, double power);

// The other way round: the difference that so many blocks find with that chance. Infinite when so
// few blocks can find nothing.
double DetectableEffect(int64_t blocks, double sd, double level, double power);

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_REPETITIONS_H_
