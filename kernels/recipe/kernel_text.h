#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

// Largest catalog file, in bytes: a hundred times the longest there is.
inline constexpr size_t kMaxKernelText = 256 * 1024;

// Parses one catalog entry (text proto; `#` comments allowed). InvalidArgument: every error, one a
// line, each as "FILE:LINE:COLUMN: what" naming the unknown field or bad value. `file` is only
// shown. Syntax only: see CheckKernel.
absl::StatusOr<v1::Kernel> ParseKernel(absl::string_view text, absl::string_view file);

// The entry as a catalog file holds it. ParseKernel gives the same message back.
std::string PrintKernel(const v1::Kernel& kernel);

}  // namespace shakedown::kernels
