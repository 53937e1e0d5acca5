#pragma once

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The report of a job, also of one that has not ended: each boot gives one value a metric (the
// median of its measured iterations, warm-ups left out), each variant the median of its boots. Only
// measured boots give values; every other attempt is listed with its reason. Verdicts, survival and
// comparability as judge_report.h and comparability.h have them; an A/A control, once the job has
// ended, as control.h has it, and nowhere else. The same data give the same bytes.
v1::Report MakeReport(const v1::ReportData& data);

}  // namespace shakedown::compare
