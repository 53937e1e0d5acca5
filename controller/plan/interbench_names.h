#pragma once

#include <array>
#include <string>

#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// The tasks interbench measures and the loads it measures them under, in its own spelling and
// order.
inline constexpr std::array<absl::string_view, 5> kInterbenchBenchmarks = {"Audio", "Video", "X",
                                                                           "Gaming", "Custom"};
inline constexpr std::array<absl::string_view, 10> kInterbenchLoads = {
    "None", "Video", "X", "Burn", "Write", "Read", "Ring", "Compile", "Memload", "Custom"};

bool IsInterbenchBenchmark(absl::string_view name);
bool IsInterbenchLoad(absl::string_view name);

// "video" → "Video": interbench takes its labels in any case. A name it does not know stays as it
// is.
std::string CanonicalInterbenchName(absl::string_view name);

// How many pairs a load measures: a task never meets itself. An empty list is the default's, which
// WithDefaults (check_job.h) fills in.
uint32_t InterbenchPairs(const v1::InterbenchLoad& bench);

}  // namespace shakedown::plan
