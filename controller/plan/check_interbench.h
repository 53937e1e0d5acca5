#pragma once

#include <string>

#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with load.interbench(); `where` is "load 2: interbench".
void CheckInterbench(const v1::Load& load, const std::string& where, Errors& errors);

}  // namespace shakedown::plan
