#pragma once

#include <map>
#include <string>
#include <vector>

#include "db/store/kernel_runs.h"

namespace shakedown::service {

// The texts that the numbers of each kernel are of; kernels with their tunables.
using TextsByKernel = std::map<std::string, std::vector<store::ImportFacts>>;

// What differs beside the kernel, as far as the texts say: a line a fact. `kernels` in the order in
// which they are told.
std::vector<std::string> FactWarnings(const std::vector<std::string>& kernels,
                                      const TextsByKernel& texts);

// Kernels whose numbers are of several sources: a line each.
std::vector<std::string> PoolingWarnings(const std::vector<std::string>& kernels,
                                         const TextsByKernel& texts);

}  // namespace shakedown::service
