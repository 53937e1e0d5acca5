// How many blocks a job has, by its stopping rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Blocks after which a job is looked at, repeated ones not counted: 8, 16, 24; 8; or its fixed
// number. statistics/looks.h has the levels.
std::vector<uint32_t> LooksOf(const v1::JobSpec& spec);

// Blocks that the job is stored with, and the most it may come to, without repetitions.
inline uint32_t FirstBlocks(const v1::JobSpec& spec) { return LooksOf(spec).front(); }
inline uint32_t MostBlocks(const v1::JobSpec& spec) { return LooksOf(spec).back(); }

// How many blocks of `planned` may be repeated: half of them, rounded up, and two at least. A
// machine that loses more than that is not fit to measure on.
uint32_t MostRepeats(uint32_t planned);

// Blocks of the plan that repeat no other.
uint32_t PlannedBlocks(const v1::Plan& plan);

// "8 blocks, one look", "looks after 8, 16 and 24 blocks".
std::string StoppingText(const v1::JobSpec& spec);

// "40 s", "12 min", "1 h 30 min", "2 days 4 h": no more than two units, of which the smaller is
// rounded.
std::string SpanText(uint64_t seconds);

}  // namespace shakedown::plan
