// Results become summaries that series are made of.
#pragma once

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "db/store/summaries.h"

namespace shakedown::service {

// What history keeps of a boot, by the rules of controller/history. Of an outcome that says nothing
// of the kernel, or of a job that is none: an empty summary.
store::BootSummary SummaryOf(const store::UnsummarisedBoot& boot);

// Summarises what waits, at most some hundreds at a time; any number of controllers may do so at
// once, each result is summarised once. Returns how many were here. An error is the first one, of
// one result; the others have had their turn.
absl::StatusOr<int> SummariseBoots(store::Database& database);

}  // namespace shakedown::service
