#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::service {

inline constexpr size_t kMaxPatch = 8 << 20;
inline constexpr int kMaxPatches = 64;

// The entry that a request asks for, checked. `base` is the entry named by `request.from`; unused
// when that is empty. The patches' digests are set; their contents are the caller's to store.
// InvalidArgument: everything that kernels/recipe refuses, patch names that are paths, sizes.
absl::StatusOr<v1::Kernel> MakeKernel(const v1::AddKernelRequest& request, const v1::Kernel& base);

}  // namespace shakedown::service
