#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

// What `kernels add NAME --from BASE --patch … --config …` adds to BASE.
struct Changes {
  std::string name;
  std::vector<v1::Patch> patches;    // After those of the base.
  std::vector<std::string> options;  // "SCHED_MINE=y"; after those of the base, so they win.
};

// A new entry: `base` with the changes. InvalidArgument: a bad name, an option or patch that
// CheckKernel refuses, a base that is a ready image (nothing in it can be patched or configured),
// no change at all.
absl::StatusOr<v1::Kernel> DeriveKernel(const v1::Kernel& base, const Changes& changes);

}  // namespace shakedown::kernels
