// Background activities as one line of text.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// One of these, words as SplitWords parts them:
//   audio [name=NAME] [nice=N]
//   video [name=NAME] [nice=N]
//   command [name=NAME] [nice=N] [--] PROGRAM [ARGUMENT…]
// InvalidArgument names the word and what is wanted.
absl::StatusOr<v1::Activity> ParseActivity(absl::string_view text);

// A text that ParseActivity reads back into the same activity.
std::string PrintActivity(const v1::Activity& activity);

}  // namespace shakedown::plan
