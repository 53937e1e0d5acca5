#pragma once

#include "controller/plan/check_job.h"
#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with the setup steps, and with them beside the variants: a step that sets what
// a variant sets would make the variants alike, and one that sets what a kernel has pinned would
// make it another kernel.
void CheckSetup(const v1::JobSpec& spec, const Kernels& kernels, Errors& errors);

// Adds what is wrong with a sched_ext scheduler; `where` is "variant B".
void CheckSchedExt(const v1::SchedExt& scheduler, const std::string& where, Errors& errors);

}  // namespace shakedown::plan
