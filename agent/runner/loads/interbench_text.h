// What interbench prints, byte for byte, in pieces as they come. Pure.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_TEXT_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/runner/loads/interbench_plan.h"

namespace shakedown::runner {

// `datestamp`: YYYYMMDDhhmm, local time. `comment`: empty for none. plan.loops_per_ms is the one
// that is used.
std::string FormatInterbenchHead(const InterbenchPlan& plan, absl::string_view release,
                                 absl::string_view datestamp, absl::string_view comment);
std::string FormatTaskHead(const InterbenchPlan& plan, const NamedTask& task);
std::string FormatRow(const InterbenchPlan& plan, const NamedTask& task,
                      const NamedBackground& load, const TaskResult& result);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_INTERBENCH_TEXT_H_
