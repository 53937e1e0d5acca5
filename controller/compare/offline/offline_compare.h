// `shakedown compare BASE.csv CHALLENGER.csv`: the farm's verdicts on anyone's numbers.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_OFFLINE_COMPARE_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_OFFLINE_COMPARE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/compare/statistics/verdict.h"

namespace shakedown::offline {

struct OfflineOptions {
  std::string base_name = "BASE";  // For messages and the header.
  std::string challenger_name = "CHALLENGER";
  std::vector<std::string> metrics;             // See declaration.h; they win over '#' lines.
  double level = statistics::kSingleLookLevel;  // Above 0.5, below 1.
  bool classic = false;                         // Stars by the 2010 rule instead of verdicts.
  bool json = false;
};

struct OfflineRow {
  statistics::Candidate candidate;  // Its effect is always there.
  statistics::Judgement judgement;
};

struct OfflineResult {
  std::string base_name;
  std::string challenger_name;
  double level;
  bool classic;
  bool paired;
  std::vector<OfflineRow> rows;    // In the order of BASE's columns.
  std::vector<std::string> notes;  // What was left out or assumed, one sentence each.
};

// InvalidArgument: what is wrong where in which file or option.
absl::StatusOr<OfflineResult> CompareOffline(absl::string_view base_csv,
                                             absl::string_view challenger_csv,
                                             const OfflineOptions& options);

// Plain ASCII, at most 78 columns, ends with a newline.
std::string PrintText(const OfflineResult& result);
// One object: "metrics" with an entry a metric, and what holds for all of them.
std::string PrintJson(const OfflineResult& result);

// All of it: two texts in, the answer out.
absl::StatusOr<std::string> RunOfflineCompare(absl::string_view base_csv,
                                              absl::string_view challenger_csv,
                                              const OfflineOptions& options);

}  // namespace shakedown::offline

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_OFFLINE_COMPARE_H_
