// What a job's looks mean for its report, and what a look says of going on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/compare/statistics/looks.h"
#include "controller/compare/statistics/metric.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// "fixed", "quick", "looks".
std::string StoppingWord(v1::StoppingRule rule);

// When a job of `report`'s rule is looked at, with the level of its primary metrics.
statistics::LookPlan LookPlanOf(const v1::Report& report);

// Which part of a job may be judged now.
struct Judged {
  std::string no_verdict;  // Why none may; empty: this may:
  uint32_t blocks = 0;     // Blocks up to this number.
  uint32_t look = 0;       // Its number, from 1; 0: none was recorded.
  bool final = false;      // The job has ended. Secondary metrics are tested then, once.
};

// A job that goes on may be judged as of its last look, never between two.
Judged JudgedPart(const v1::Report& report);

// The role a metric has in this job: the job's primary metrics are primary and no others, where it
// names any.
statistics::Role RoleIn(const v1::Report& report, const statistics::Metric& metric);

// The job's primary metrics of which there is nothing to judge: never measured, or nobody knows
// which side is better.
std::vector<std::string> UnjudgedPrimaries(const v1::Report& report);

// Sets what `report` says of stopping, looks and repeated blocks, from the job. Before AddVerdicts.
void AddLooks(const v1::ReportData& data, v1::Report* report);

// Blocks of the plan that another one repeats.
std::vector<uint32_t> RepeatedBlocks(const v1::Plan& plan);

// What a look says.
struct LookAnswer {
  enum class Kind {
    kDecided,       // Every primary metric has a verdict that more blocks are not needed for.
    kOpen,          // One at least has none.
    kNoPrimaries,   // There is none to decide about.
    kNoComparison,  // The baseline or every challenger was never measured.
  };
  Kind kind = Kind::kOpen;
  std::string text;  // "make.real B same; latt.wakeup.avg B inconclusive".
};

// Judges all blocks of a job whose boots have all ended, as of a look after `after_blocks` of them.
// A challenger that was never measured, or has not one value of a metric, leaves nothing open: more
// blocks would not give it one. The control (Variant.control) decides nothing.
LookAnswer Look(v1::ReportData data, uint32_t after_blocks);

// The lines of a report's head on stopping, looks, budget, primary metrics of the job's own and
// repeated blocks; empty for a job of a fixed number of blocks that had none of them.
std::string PrintLooks(const v1::Report& report);

// "97.79% for primary metrics (three looks, 5 % together), 95% for others; look 2 after 16 blocks".
std::string LevelText(const v1::Report& report);

// "95% CI", or "CI" where the rows have different levels.
std::string IntervalHead(const v1::ReportLoad& load);

}  // namespace shakedown::compare
