// Kernels side by side from runs that share nothing but their machine: imported texts, and boots of
// the farm's jobs. For a job's own blocks see make_report.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shakedown/v1/import.pb.h"

namespace shakedown::compare {

// One number of one run.
struct KernelRun {
  std::string kernel;  // The column: "2.6.35-ck1", with tunables "2.6.35 rr_interval=6".
  std::string origin;  // "imports" or "farm".
  std::string metric;
  std::string detail;     // What else must be the same in a row.
  std::string unit;       // So must this: ms and us are never in one row.
  std::string direction;  // "lower", "higher", "" as the text knows it.
  double value = 0;
  bool starred = false;
  int64_t import = 0;  // Of imports.
  std::string boot;    // Of the farm.
};

// Rows in the order in which their metrics come first, those of imports before those of the farm;
// `kernels` are the columns, the baseline first; runs of other kernels are left out. n and median
// are of all runs. Runs of one text may be of one boot, so verdicts (unpaired, all of an origin in
// one family) take each text, and each boot, as one value: a kernel with fewer than four of them on
// a side is "insufficient". Stars are copied and play no part. The same input gives the same
// answer.
v1::CompareKernelsResponse CompareRuns(const std::vector<std::string>& kernels,
                                       const std::vector<KernelRun>& runs);

}  // namespace shakedown::compare
