#pragma once

#include <string>

#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with a load; `where` is "load 2".
void CheckLoad(const v1::Load& load, const std::string& where, Errors& errors);

}  // namespace shakedown::plan
