// Power orders of the farm: each is done once, whatever becomes of this process meanwhile.
#ifndef SHAKEDOWN_AGENT_SESSION_POWER_DESK_H_
#define SHAKEDOWN_AGENT_SESSION_POWER_DESK_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/machine/power_control.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::agent {

// Thread-safe. One thread of its own switches, an order at a time.
class PowerDesk {
 public:
  virtual ~PowerDesk() = default;  // Stops what is under way; the next start tells the farm.
  // What can be switched and what has been done and is not acknowledged.
  virtual void Describe(v1::SyncRequest& request) = 0;
  // The farm's answer to `request`, which acknowledges what was told in it. Orders are on the disk
  // before they are begun; one that is known is not begun again. An error is the disk's, and fatal.
  virtual absl::Status Take(const v1::SyncRequest& request, const v1::SyncResponse& response) = 0;
  // Called, from the desk's thread, when there is something to tell; empty: nobody is.
  virtual void OnNews(std::function<void()> news) = 0;
};

// `path`: the file of orders, in a folder that is there. What was begun and not ended by an earlier
// process is told as failed and never begun again. DataLoss: a damaged file, named.
absl::StatusOr<std::unique_ptr<PowerDesk>> OpenPowerDesk(
    std::string path, std::map<std::string, std::unique_ptr<PowerControl>> switches);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_POWER_DESK_H_
