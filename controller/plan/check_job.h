#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "shakedown/v1/job.pb.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::plan {

// The catalog, by name.
using Kernels = std::map<std::string, v1::Kernel>;

// OK when the job can be planned. Else InvalidArgument with every error in one message, parted by
// "; ", each naming the object, its value and what is wanted. Identical variants are allowed: A
// against A shows the noise.
absl::Status CheckJob(const v1::JobSpec& spec, const Kernels& kernels);

// `spec` (which passed CheckJob) with everything said: attempts, the stopping rule, iterations,
// latt's and interbench's zeros, a title made of the kernels' names. With a control A stands once
// more behind the others. What stays 0 is decided on the machine:
// make's jobs, burn threads, loops per ms.
v1::JobSpec WithDefaults(v1::JobSpec spec);

}  // namespace shakedown::plan
