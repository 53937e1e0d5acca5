// latt's client processes.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_CLIENTS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_CLIENTS_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/runner/loads/latt.h"

namespace shakedown::runner {

// Forked one after the other, each confirmed; ended and reaped by the destructor. The process that
// starts them has a single thread. One owner.
class LattClients {
 public:
  LattClients() = default;
  ~LattClients();
  LattClients(const LattClients&) = delete;

  absl::Status Start(uint32_t count, size_t work_bytes);
  // Wakes all in order, waits for every answer and adds their latencies. Unavailable: a client
  // died. Internal: a client could not do its work.
  // `trace`: when set, is given a line for each.
  absl::Status Round(LattStats& stats, const std::function<void(absl::string_view)>& trace = {});

 private:
  struct Client {
    pid_t pid = -1;
    int request = -1;  // Our ends.
    int reply = -1;
  };
  absl::Status StartOne(size_t work_bytes);

  std::vector<Client> clients_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LATT_CLIENTS_H_
