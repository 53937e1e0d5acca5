// Real-time policy of the calling thread.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_REALTIME_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_REALTIME_H_

#include <sched.h>

namespace shakedown::runner {

inline constexpr int kHighestFifo = 99;     // Orchestration and calibration.
inline constexpr int kTimekeeperFifo = 96;  // Those who wake the simulated tasks.
inline constexpr int kTaskFifo = 95;        // Simulated tasks that are measured in real time.

// False when it is not allowed; the thread then keeps its policy. Children start ordinary.
inline bool SetFifo(int priority) {
  sched_param parameter = {};
  parameter.sched_priority = priority;
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
}

inline void SetOrdinary() {
  const sched_param parameter = {};
  sched_setscheduler(0, SCHED_OTHER, &parameter);
}

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_REALTIME_H_
