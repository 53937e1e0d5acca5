#include "db/store/job_blocks.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"

namespace shakedown::store {
namespace {

absl::Status Bad(uint32_t block, uint32_t place, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("job: block ", block, " at place ", place, "; ", want));
}

}  // namespace

absl::Status CheckBlocks(const google::protobuf::RepeatedPtrField<v1::PlannedBlock>& blocks,
                         uint32_t first, int variants) {
  uint32_t place = first;
  for (const v1::PlannedBlock& block : blocks) {
    const std::set<uint32_t> distinct(block.variants().begin(), block.variants().end());
    const bool each_once = block.variants_size() == variants &&
                           static_cast<int>(distinct.size()) == variants &&
                           static_cast<int>(*distinct.rbegin()) == variants - 1;
    if (!each_once || block.block() != place) {
      return Bad(block.block(), place, "blocks are numbered from 1 and hold each variant once");
    }
    if (block.replaces() >= block.block()) {
      return Bad(block.block(), place, "a repeated block is one before it");
    }
    ++place;
  }
  return absl::OkStatus();
}

void InsertBlocks(Transaction& tx, int64_t job,
                  const google::protobuf::RepeatedPtrField<v1::PlannedBlock>& planned) {
  std::vector<int64_t> numbers, replaced, blocks, variants, positions;
  for (const v1::PlannedBlock& block : planned) {
    numbers.push_back(block.block());
    replaced.push_back(block.replaces());
    for (int i = 0; i < block.variants_size(); ++i) {
      blocks.push_back(block.block());
      variants.push_back(block.variants(i));
      positions.push_back(i);
    }
  }
  tx.exec_params(
      "INSERT INTO blocks (job, block, replaces) SELECT $1, p.block, nullif(p.replaces, 0) "
      "FROM unnest($2::int[], $3::int[]) AS p (block, replaces)",
      job, Int64Array(numbers), Int64Array(replaced));
  tx.exec_params(
      "INSERT INTO boots (attempt_id, job, block, variant, attempt, position, state, outcome, "
      "reason, ended_at) "
      "SELECT gen_random_uuid(), $1, p.block, p.variant, 1, p.position, "
      "CASE b.state WHEN 'built' THEN 'queued' WHEN 'queued' THEN 'waiting' "
      "WHEN 'running' THEN 'waiting' ELSE 'ended' END, "
      "CASE b.state WHEN 'failed' THEN 'build_failed' WHEN 'farm_failed' THEN 'farm_failed' "
      "WHEN 'cancelled' THEN 'cancelled' END, "
      "CASE WHEN b.state IN ('failed', 'farm_failed', 'cancelled') THEN "
      "coalesce((SELECT e.reason FROM boots e WHERE e.job = $1 AND e.variant = p.variant "
      "AND e.leased_at IS NULL AND e.state = 'ended' ORDER BY e.block LIMIT 1), '') ELSE '' END, "
      "CASE WHEN b.state IN ('failed', 'farm_failed', 'cancelled') THEN now() END "
      "FROM unnest($2::int[], $3::int[], $4::int[]) AS p (block, variant, position) "
      "JOIN variants v ON v.job = $1 AND v.variant = p.variant JOIN builds b ON b.id = v.build",
      job, Int64Array(blocks), Int64Array(variants), Int64Array(positions));
}

void UpdateBlockTime(Transaction& tx, int64_t job) {
  // Whole blocks say it best, with what lies between their boots; before one is through, its boots
  // do. What the farm failed or somebody stopped is no measure.
  tx.exec_params(
      "WITH counted AS (SELECT block, leased_at, ended_at FROM boots WHERE job = $1 "
      "  AND state = 'ended' AND leased_at IS NOT NULL "
      "  AND outcome NOT IN ('farm_failed', 'cancelled')), "
      "whole AS (SELECT extract(epoch FROM max(ended_at) - min(leased_at)) AS seconds FROM counted "
      "  GROUP BY block HAVING count(*) = (SELECT count(*) FROM variants WHERE job = $1)) "
      "UPDATE jobs SET block_s = coalesce("
      "  (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FROM whole), "
      "  (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM ended_at - "
      "leased_at)) * (SELECT count(*) FROM variants WHERE job = $1) FROM counted), block_s) "
      "WHERE id = $1 AND budget_s > 0",
      job);
}

}  // namespace shakedown::store
