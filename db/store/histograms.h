// Latency histograms of load runs, for the files of this folder.
#ifndef SHAKEDOWN_DB_STORE_HISTOGRAMS_H_
#define SHAKEDOWN_DB_STORE_HISTOGRAMS_H_

#include <cstdint>
#include <map>

#include "absl/status/status.h"
#include "db/store/load_runs.h"
#include "db/store/pool.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::store {

// InvalidArgument: what a guest must not send. A histogram has a name, a unit, an iteration that no
// other of its metric has, as many counts as buckets, the buckets ascending, none empty, a maximum
// that lies in or above the last one, and all its numbers fit 62 bits. A load run has at most 2,000
// histograms with 200,000 buckets together.
absl::Status CheckHistograms(const v1::LoadRun& run);

void InsertHistograms(Transaction& tx, int64_t load_run, const v1::LoadRun& run);

// Adds those of `scope` to their load runs, by the runs' ids.
void ReadHistograms(Transaction& tx, const RunScope& scope,
                    const std::map<int64_t, v1::LoadRun*>& runs);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_HISTOGRAMS_H_
