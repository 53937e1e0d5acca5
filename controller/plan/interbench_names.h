#pragma once

#include <array>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::plan {

// The tasks interbench measures and the loads it measures them under, in its own spelling and
// order.
inline constexpr std::array<absl::string_view, 4> kInterbenchBenchmarks = {"Audio", "Video", "X",
                                                                           "Gaming"};
inline constexpr std::array<absl::string_view, 8> kInterbenchLoads = {
    "None", "Video", "X", "Burn", "Write", "Read", "Compile", "Memload"};

bool IsInterbenchBenchmark(absl::string_view name);
bool IsInterbenchLoad(absl::string_view name);

// "video" → "Video": interbench takes its labels in any case. A name it does not know stays as it
// is.
std::string CanonicalInterbenchName(absl::string_view name);

}  // namespace shakedown::plan
