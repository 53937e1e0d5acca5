#pragma once

#include <string>

#include "controller/compare/print_options.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The section on a job's A/A control: for each machine whether it holds, the primary metrics and
// the false alarms, with `all` every metric. Empty without one.
std::string PrintControl(const v1::Report& report, const PrintOptions& options);

// "vm1 1 of 57": false alarms of all tests that A/A controls have made on each machine, over the
// metrics of this report. Empty without any.
std::string FalseAlarmsText(const v1::Report& report);

}  // namespace shakedown::compare
