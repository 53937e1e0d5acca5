// What a metric is, as people write it: "make.real:lower:ratio:s".
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_DECLARATION_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_DECLARATION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/compare/statistics/metric.h"

namespace shakedown::offline {

struct Declaration {
  statistics::Metric metric;
  bool has_role = false;  // The text said which.
};

// NAME:lower|higher:ratio|difference:UNIT, then any of :resolution=, :floor=, :delta_rel=,
// :delta_abs= (numbers from 0; delta_rel as a part, 0.05) and :role=primary|secondary|info.
// InvalidArgument: the text, the part that is wrong, and what is wanted.
absl::StatusOr<Declaration> ParseDeclaration(absl::string_view text);

// Whether a comment line ('#' cut off) declares a metric: "metric " in front, or its second part
// between colons is a direction. Returns the declaration's text; empty: a mere comment.
absl::string_view DeclarationInComment(absl::string_view comment);

}  // namespace shakedown::offline

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_DECLARATION_H_
