// Results as JSON, for people's scripts.
#ifndef SHAKEDOWN_AGENT_RUNNER_JSON_H_
#define SHAKEDOWN_AGENT_RUNNER_JSON_H_

#include <string>

#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::runner {

// In double quotes, escaped; `text` is UTF-8.
std::string JsonString(absl::string_view text);
// Shortest form that reads back as the same number; null for NaN and infinities.
std::string JsonNumber(double value);

// One object with a final newline; names as in the protos.
std::string ToJson(const v1::LoadRun& run);
std::string ToJson(const v1::Identified& identified);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_JSON_H_
