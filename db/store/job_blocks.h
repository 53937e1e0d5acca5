// A job's blocks in SQL, for the files of this folder.
#ifndef SHAKEDOWN_DB_STORE_JOB_BLOCKS_H_
#define SHAKEDOWN_DB_STORE_JOB_BLOCKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "db/store/pool.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::store {

// A job of `jobs` may begin another block: there is no budget, nothing has begun yet, or one more
// ends in time by the estimate.
#define SHAKEDOWN_TIME_LEFT                                                          \
  "(budget_s = 0 OR started_at IS NULL OR now() + block_s * interval '1 second' <= " \
  "started_at + budget_s * interval '1 second')"

// OK when `blocks` are numbered from `first` on, hold each of so many variants once, and repeat
// earlier blocks only. Else InvalidArgument that names the block.
absl::Status CheckBlocks(const google::protobuf::RepeatedPtrField<v1::PlannedBlock>& blocks,
                         uint32_t first, int variants);

// Stores blocks with the first attempt of each boot: queued when its kernel is built, waiting while
// that is under way, ended like the job's other boots of a build that is over without an image. The
// job's builds are locked by the caller, or can not end meanwhile.
void InsertBlocks(Transaction& tx, int64_t job,
                  const google::protobuf::RepeatedPtrField<v1::PlannedBlock>& blocks);

// Brings jobs.block_s up to what the job's own blocks took; nothing before the first boot has
// ended.
void UpdateBlockTime(Transaction& tx, int64_t job);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_JOB_BLOCKS_H_
