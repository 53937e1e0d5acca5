#pragma once

#include <string>

#include "controller/plan/check_job.h"
#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with a variant; `where` is "variant B".
void CheckVariant(const v1::Variant& variant, const std::string& where, const Kernels& kernels,
                  Errors& errors);

}  // namespace shakedown::plan
