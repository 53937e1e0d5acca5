#pragma once

#include "db/store/reports.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::service {

// The store's report data as the message that controller/compare reads.
v1::ReportData ToReportData(const store::ReportData& data);

}  // namespace shakedown::service
