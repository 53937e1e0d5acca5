#ifndef SHAKEDOWN_AGENT_RUNNER_VERSION_H_
#define SHAKEDOWN_AGENT_RUNNER_VERSION_H_

namespace shakedown::runner {

// Of the loads: grows with every change that can move a number.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_VERSION_H_
