#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The A/A control: A once more, which the farm adds as the last variant of a job that asks for it.
// Whatever a comparison finds between the two is noise.

// Its index among the variants; nothing when the job has none.
std::optional<int> ControlVariant(const v1::ReportData& data);

// The job as if it had none: no variant, boot or place in the order tells that it is there.
v1::ReportData WithoutControl(const v1::ReportData& data);

// A against the control, each machine by itself, with all blocks of the job and one look at 95 %.
// A false alarm is an interval that leaves out 0. A machine fails when a primary metric gives one
// whose estimate is large. Below 6 blocks a machine has no test. Needs a control.
v1::ReportControl JudgeControl(const v1::ReportData& data);

// Why nothing that was measured on `machine` is compared: "A/A control failed on vm1: make.real
// +7.0%". Empty: no reason. Of the empty name: set when that holds for every machine that the
// control was on.
std::string WithheldOn(const v1::ReportControl& control, absl::string_view machine);

// Sets `noise` of the metrics: `past`, and what the job's own control adds to it.
void AddNoise(const v1::ReportData& data, v1::Report* report);

}  // namespace shakedown::compare
