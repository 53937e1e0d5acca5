#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

struct Finding {
  enum class Severity { kNote, kError };
  Severity severity;
  std::string where;  // The file or kernel it is about.
  std::string what;   // One line: field, value, what is wanted.
};

// Everything wrong with an entry that shows without looking outside it, in the order of its fields.
// Notes: things that are right but stop a build (`unbuildable`, an unknown digest). Used by lint,
// by whoever accepts a new entry and again by the build slot, which trusts no order.
std::vector<Finding> CheckKernel(const v1::Kernel& kernel, absl::string_view where);

// True when no finding is an error.
bool Passes(const std::vector<Finding>& findings);

// "WHERE: error: WHAT" lines.
std::string PrintFindings(const std::vector<Finding>& findings);

// A file name in kernels/configs: letters, digits, . _ - and the ending .config; no path.
bool IsFragmentName(absl::string_view name);

}  // namespace shakedown::kernels
