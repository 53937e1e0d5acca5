// One thread for each machine and build slot: takes an order from the desk, performs it, journals
// its result.
#ifndef SHAKEDOWN_AGENT_SESSION_WORKERS_H_
#define SHAKEDOWN_AGENT_SESSION_WORKERS_H_

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "agent/build/build_slot.h"
#include "agent/machine/machine.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/desk.h"
#include "agent/session/journal.h"
#include "agent/session/log_sender.h"
#include "agent/session/reporter.h"
#include "agent/session/work.h"

namespace shakedown::agent {

struct WorkerParts {
  Desk& desk;
  Journal& journal;
  LogSender& logs;
  ArtefactCache& cache;
  InputCache& inputs;
  Reporter& reporter;
  std::function<void()> wake;  // The farm should hear of a change now.
  std::function<void(const absl::Status&)> fatal;
};

// Ends when the desk has been stopped and no worker runs. Not thread-safe.
class Workers {
 public:
  explicit Workers(WorkerParts parts) : parts_(std::move(parts)) {}
  ~Workers();
  void Add(SeatId seat, Machine* machine);
  void Add(SeatId seat, BuildSlot* slot);

 private:
  void Boot(SeatId seat, Machine& machine, const Assignment& assignment);
  void Build(SeatId seat, BuildSlot& slot, const Assignment& assignment);
  WorkHooks Hooks(SeatId seat, const Assignment& assignment);
  void Conclude(SeatId seat, const WorkKey& key, const std::string& result,
                std::vector<CachedFile> files, const std::function<void()>& journaled_now);

  WorkerParts parts_;
  std::vector<std::thread> threads_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_WORKERS_H_
