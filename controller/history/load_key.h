// Which load a number is of: the benchmark with its arguments, and what the job did beside it.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_LOAD_KEY_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_LOAD_KEY_H_

#include <string>
#include <vector>

#include "shakedown/v1/job.pb.h"

namespace shakedown::history {

struct LoadKey {
  // Of the load's, the background's and the setup's protos; a load that a job holds twice counts
  // on. 64 hex digits.
  std::string sha256;
  std::string text;  // "make jobs=4, beside audio, setup governor performance".
};

// One a load of the job, in order. No two are equal.
std::vector<LoadKey> LoadKeysOf(const v1::JobSpec& spec);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_LOAD_KEY_H_
