// The loops per ms of a person's runs: given, kept in a file of the working directory, or measured.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOOPS_FILE_H_
#define SHAKEDOWN_AGENT_RUNNER_LOOPS_FILE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

inline constexpr char kLoopsFile[] = "interbench.loops_per_ms";

struct LoopsWish {
  uint64_t given = 0;  // 0: not.
  bool force = false;  // Measure, whatever is known.
  std::string folder = ".";
};
// The first of: forced measurement, given, the file (a bare decimal), measurement. What is not from
// the file is written to it; a file that can not be written, or holds something else, is only said.
absl::StatusOr<uint64_t> LoopsPerMs(const LoopsWish& wish,
                                    const std::function<absl::StatusOr<uint64_t>()>& measure,
                                    const std::function<void(absl::string_view)>& say);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOOPS_FILE_H_
