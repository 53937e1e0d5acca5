// What a job says that is allowed and seldom meant.
#ifndef SHAKEDOWN_CONTROLLER_PLAN_REMARKS_H_
#define SHAKEDOWN_CONTROLLER_PLAN_REMARKS_H_

#include <string>
#include <vector>

#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// One sentence each, without a full stop, for people: two variants that are the same, a load that
// stands twice, setup steps that no machine which may take the job can do. `spec` has passed
// CheckJob() and WithDefaults(); `machines` are the farm's. Empty: nothing to remark.
std::vector<std::string> RemarksOn(const v1::JobSpec& spec,
                                   const std::vector<v1::MachineView>& machines);

}  // namespace shakedown::plan

#endif  // SHAKEDOWN_CONTROLLER_PLAN_REMARKS_H_
