#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shakedown/v1/farm.pb.h"

namespace shakedown::compare {

// What is known of how jobs with the same loads vary on the machines of a new one.
struct PastSpread {
  // A stored A/A control in one metric.
  struct Control {
    int64_t job = 0;
    std::string machine;
    uint32_t load = 0;
    std::string metric;
    uint32_t blocks = 0;
    double sd = 0;  // Of one block's difference, in the metric's scale.
  };
  // Two boots of one block, a value each.
  struct Block {
    int64_t job = 0;
    uint32_t variant = 0;  // Of the challenger.
    std::string machine;
    uint32_t load = 0;
    std::string metric;
    double base = 0;
    double challenger = 0;
  };
  std::vector<Control> controls;
  std::vector<Block> blocks;
};

// The metrics that decide a job: those it names, else those of its loads that are primary by
// themselves.
std::vector<std::string> PrimariesOf(const v1::JobSpec& spec);

struct Detection {
  std::vector<v1::DetectEstimate> estimates;
  std::string note;  // As PlanJobResponse.detect_note.
};

// What it takes to find a change of the part `change` (0.03 = 3 %) with a chance of 80 %, and what
// the job as it stands finds. The spread is that of A/A controls where there are any, else of the
// differences of past blocks, each job and challenger around its own mean. Level as the job's
// stopping rule has it, shared by all primary metrics and challengers. `boot_seconds`: of one boot.
Detection EstimateDetection(const v1::JobSpec& spec, double change, double boot_seconds,
                            const PastSpread& past);

}  // namespace shakedown::compare
