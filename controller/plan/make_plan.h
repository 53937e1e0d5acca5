#pragma once

#include <cstdint>

#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// The boot order of the first `blocks` blocks of a job that passed CheckJob, in each of them every
// variant once.
//
// Blocks come in runs of k = number of variants. A run is the rows of a Williams square, variants
// and rows shuffled: over each run every variant stands at every position once. For even k every
// variant also follows every other variant once per run; for odd k twice per two runs, the second
// run mirroring the first. Two variants: AB or BA at random in odd blocks, the opposite in the next
// (ABBA, BAAB).
//
// The same variants and seed give the same order, always, and more blocks only append to it. `seed`
// is stored in the plan.
v1::Plan MakeOrder(const v1::JobSpec& spec, uint64_t seed, uint32_t blocks);

// The plan that a job is stored with: all its blocks, or those before its first look.
v1::Plan MakePlan(const v1::JobSpec& spec, uint64_t seed);

}  // namespace shakedown::plan
