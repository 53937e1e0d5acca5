#pragma once

#include <string>

#include "db/store/bisects.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::service {

// Sets what a trial's job, which has ended, came to: ending, differences, boots and why. Pairs are
// the blocks in which both variants were measured; without one it is the kernels' failure when one
// of them never was measured by its own fault, else the farm's.
void ReadBisectResult(const v1::ReportData& data, const std::string& metric,
                      store::BisectTrial* trial);

}  // namespace shakedown::service
