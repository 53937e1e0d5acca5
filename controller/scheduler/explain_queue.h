// Why a job of the queue does not run, and when it will. Pure.
#ifndef SHAKEDOWN_CONTROLLER_SCHEDULER_EXPLAIN_QUEUE_H_
#define SHAKEDOWN_CONTROLLER_SCHEDULER_EXPLAIN_QUEUE_H_

#include <vector>

#include "shakedown/v1/detail.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::scheduler {

// Sets reason and starts_in_s. `entries` begin with the job that is served first: of a later page
// starts_in_s is a lower bound. An estimate: jobs are served in their order, each on all machines
// that it may use.
void ExplainQueue(const std::vector<v1::MachineView>& machines,
                  std::vector<v1::QueueEntry>& entries);

}  // namespace shakedown::scheduler

#endif  // SHAKEDOWN_CONTROLLER_SCHEDULER_EXPLAIN_QUEUE_H_
