#pragma once

#include <string>
#include <vector>

#include "db/store/import_series.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::service {

// The series of imported results that the request asks for, with the texts that each point is of.
// As measured, without changes: see imported_series.h. Counts of notes are left out.
std::vector<v1::HistorySeries> ImportedHistoryOf(const store::ImportedHistory& history,
                                                 const v1::GetHistoryRequest& request);

}  // namespace shakedown::service
