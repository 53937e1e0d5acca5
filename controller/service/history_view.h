#pragma once

#include <vector>

#include "db/store/regressions.h"
#include "db/store/series.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::service {

// The series of every class that the request asks for, with their changes, control and drift.
// `known`: of this series. Series without a point are left out.
std::vector<v1::HistorySeries> HistoryOf(const store::SeriesRow& row,
                                         const store::SeriesContent& content,
                                         const std::vector<store::KnownRegression>& known,
                                         const v1::GetHistoryRequest& request);

}  // namespace shakedown::service
