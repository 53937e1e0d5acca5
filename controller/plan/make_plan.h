#pragma once

#include <cstdint>

#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// The boot order of a job that passed CheckJob: `spec.blocks` blocks, in each of them every variant
// once.
//
// Blocks come in runs of k = number of variants. A run is the rows of a Williams square, variants
// and rows shuffled: over each run every variant stands at every position once. For even k every
// variant also follows every other variant once per run; for odd k twice per two runs, the second
// run mirroring the first. Two variants: AB or BA at random in odd blocks, the opposite in the next
// (ABBA, BAAB).
//
// The same spec and seed give the same plan, always. `seed` is stored in the plan.
v1::Plan MakePlan(const v1::JobSpec& spec, uint64_t seed);

}  // namespace shakedown::plan
