#pragma once

#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with the stopping rule, the number of blocks, the time budget, the primary
// metrics and the control of a job as a person submits it.
void CheckStopping(const v1::JobSpec& spec, Errors& errors);

}  // namespace shakedown::plan
