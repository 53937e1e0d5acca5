#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::compare {

// `text` as one word of a POSIX shell.
std::string ShellWord(absl::string_view text);

// The command that submits the same job again, block order included: "shakedown submit",
// "--baseline a", …,
// "--seed 7". Joined by blanks it is a line for a shell.
// A load that no flag can hold makes it "shakedown submit JOBFILE" with a comment.
std::vector<std::string> RepeatCommand(const v1::JobView& job);

}  // namespace shakedown::compare
