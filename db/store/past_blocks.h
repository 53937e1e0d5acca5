// How jobs with the same loads have varied before.
#ifndef SHAKEDOWN_DB_STORE_PAST_BLOCKS_H_
#define SHAKEDOWN_DB_STORE_PAST_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::store {

// A stored A/A control in one metric.
struct PastControl {
  int64_t job = 0;
  std::string machine;
  uint32_t load = 0;
  std::string metric;
  uint32_t blocks = 0;
  double sd = 0;  // Of one block's difference, in the metric's scale.
};

// Two boots of one block: each the median of its measured iterations.
struct PastBlock {
  int64_t job = 0;
  uint32_t variant = 0;  // Of the challenger; A is the other.
  std::string machine;
  uint32_t load = 0;
  std::string metric;
  double base = 0;
  double challenger = 0;
};

struct PastSpread {
  std::vector<PastControl> controls;  // By job, machine, load and metric, as the blocks.
  std::vector<PastBlock> blocks;
};

// Of the last 20 jobs with exactly these loads, in these metrics, on these machines. Blocks whose
// boots were on different machines are left out.
absl::StatusOr<PastSpread> PastSpreadOf(Database& database,
                                        const google::protobuf::RepeatedPtrField<v1::Load>& loads,
                                        const std::vector<std::string>& metrics,
                                        const std::vector<std::string>& machines);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_PAST_BLOCKS_H_
