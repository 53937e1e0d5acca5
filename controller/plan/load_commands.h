// A load as lines for a person's shell.
#pragma once

#include <string>
#include <vector>

#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

struct LoadCommands {
  // Lines that run it; words quoted. They use $RUNNER (shakedown-runner) $TREE (the kernel tree
  // that make builds) and $targets (its own list), and the folder $saved.
  std::vector<std::string> lines;
  std::string original;  // The same with the program that the load is modelled on. Empty: none.
};

LoadCommands CommandsOf(const v1::Load& load);

// Words of a command, quoted.
std::string QuotedWords(const google::protobuf::RepeatedPtrField<std::string>& words);

}  // namespace shakedown::plan
