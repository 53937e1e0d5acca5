#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The report in the form that `request` asks for. InvalidArgument: a format, asterisk or layout
// that is not known, with those that are.
absl::StatusOr<std::string> RenderReport(const v1::Report& report,
                                         const v1::GetReportRequest& request);

}  // namespace shakedown::compare
