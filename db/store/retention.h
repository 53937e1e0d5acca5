// What is kept of old boots and builds beside their measurements, which are kept for ever.
#ifndef SHAKEDOWN_DB_STORE_RETENTION_H_
#define SHAKEDOWN_DB_STORE_RETENTION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "db/store/database.h"

namespace shakedown::store {

// What is left of a log that is thinned: its first and its last bytes, and a line that says so.
inline constexpr size_t kKeptLogHead = 16 << 10;
inline constexpr size_t kKeptLogTail = 64 << 10;
// Series that are as coarse or coarser are left alone.
inline constexpr uint32_t kThinnedStepMs = 60000;

struct RetentionBatch {
  int boots = 0;   // Gone through,
  int builds = 0;  // likewise;
  int series = 0;  // thinned,
  int tops = 0;    // dropped,
  int logs = 0;    // thinned.
  bool Done() const { return boots + builds == 0; }
};

// Goes on with boots and builds that ended more than `keep` ago, a short transaction of at most
// `most` of each kind. Telemetry series become three of one value a minute: NAME.min, NAME.median,
// NAME.max; lists of busy tasks are dropped; long logs of measured boots and of builds that were
// built are cut in the middle. Measurements, histograms (values are made of them), outputs, facts,
// disturbances and the logs of what failed stay as they are. Any number of controllers may call it
// at once; each boot is gone through once.
absl::StatusOr<RetentionBatch> ThinOld(Database& database, absl::Duration keep, int most = 20);

// The piece that counts, for tests: values each `step_ms` → smallest, median and largest of each
// kThinnedStepMs, NaN where there is none. `step_ms` is not 0.
struct ThinnedSeries {
  std::vector<double> min, median, max;
};
ThinnedSeries ThinSeries(const std::vector<double>& values, uint32_t step_ms);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_RETENTION_H_
