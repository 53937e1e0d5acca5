#include "controller/plan/make_plan.h"

#include <numeric>
#include <vector>

#include "controller/plan/split_mix.h"
#include "controller/plan/stopping.h"

namespace shakedown::plan {
namespace {

using Row = std::vector<uint32_t>;

// Row r, position p of the Williams square of order k: (r + 0, 1, k-1, 2, k-2, …) mod k.
Row WilliamsRow(uint32_t k, uint32_t r) {
  Row row(k);
  for (uint32_t p = 0; p < k; ++p) {
    const uint32_t step = p % 2 == 1 ? (p + 1) / 2 : (k - p / 2) % k;
    row[p] = (r + step) % k;
  }
  return row;
}

std::vector<Row> WilliamsSquare(uint32_t k, bool mirrored) {
  std::vector<Row> rows;
  for (uint32_t r = 0; r < k; ++r) {
    Row row = WilliamsRow(k, r);
    if (mirrored) row = Row(row.rbegin(), row.rend());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

v1::Plan MakePlan(const v1::JobSpec& spec, uint64_t seed) {
  return MakeOrder(spec, seed, FirstBlocks(spec));
}

v1::Plan MakeOrder(const v1::JobSpec& spec, uint64_t seed, uint32_t blocks) {
  const uint32_t k = static_cast<uint32_t>(spec.variants_size());
  v1::Plan plan;
  plan.set_order_seed(seed);
  if (k == 0) return plan;
  SplitMix64 random(seed);
  std::vector<uint32_t> labels(k);
  std::iota(labels.begin(), labels.end(), 0u);
  std::vector<Row> run;
  for (uint32_t b = 0; b < blocks; ++b) {
    const uint32_t run_number = b / k;
    if (b % k == 0) {
      const bool mirrored = k % 2 == 1 && run_number % 2 == 1;
      if (!mirrored)
        random.Shuffle(labels);  // A mirrored run keeps the labels of the one before it.
      run = WilliamsSquare(k, mirrored);
      random.Shuffle(run);
    }
    v1::PlannedBlock* block = plan.add_blocks();
    block->set_block(b + 1);
    for (uint32_t index : run[b % k]) block->add_variants(labels[index]);
  }
  return plan;
}

}  // namespace shakedown::plan
