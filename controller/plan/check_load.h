#pragma once

#include <string>

#include "controller/plan/errors.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Adds what is wrong with a load; `where` is "load 2".
void CheckLoad(const v1::Load& load, const std::string& where, Errors& errors);

// Adds what is wrong with the background activities of a job.
void CheckActivities(const google::protobuf::RepeatedPtrField<v1::Activity>& activities,
                     Errors& errors);

}  // namespace shakedown::plan
