#pragma once

#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with the setup steps, and with them beside the variants: a step that sets what
// a variant sets would make the variants alike.
void CheckSetup(const v1::JobSpec& spec, Errors& errors);

// Adds what is wrong with a sched_ext scheduler; `where` is "variant B".
void CheckSchedExt(const v1::SchedExt& scheduler, const std::string& where, Errors& errors);

}  // namespace shakedown::plan
