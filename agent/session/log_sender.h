// Sends the logs of running work to the farm, without ever holding up the work.
#ifndef SHAKEDOWN_AGENT_SESSION_LOG_SENDER_H_
#define SHAKEDOWN_AGENT_SESSION_LOG_SENDER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/session/backoff.h"
#include "agent/session/farm_client.h"
#include "agent/session/journal.h"
#include "agent/session/log_buffer.h"
#include "agent/session/waiter.h"

namespace shakedown::agent {

struct LogSenderOptions {
  std::string folder;  // For bytes that wait for the farm; owned by the sender.
  LogLimits limits;
  // Bytes wait this long for more, so that a chatty console is not one call a line.
  absl::Duration linger = absl::Milliseconds(300);
  BackoffLimits backoff;
  Random random;
  // True while nothing is to be sent (a machine is measured in the dark). Null: never.
  std::function<bool()> quiet;
  // Work of an earlier process that is taken up again: its log has no gap. Null: never.
  std::function<bool(const WorkKey&)> goes_on;
  // The journal failed: the agent must end.
  std::function<void(const absl::Status&)> fatal;
};

// Thread-safe.
class LogSender {
 public:
  virtual ~LogSender() = default;  // Ends its thread; unsent bytes in memory are lost.
  // Starts a log of journaled work: the farm's log of this id goes on where it ends.
  virtual absl::Status Open(const WorkKey& key) = 0;
  // Adds bytes; takes no longer than a write to a file. Nothing for a log that is not open.
  virtual void Write(const WorkKey& key, absl::string_view bytes) = 0;
  // Sends what is left of a log and closes it, in the caller's thread. OK: the farm has it all, or
  // wants no more of it. Others: try again later.
  virtual absl::Status Finish(const WorkKey& key) = 0;
  // The farm answers again: send now.
  virtual void Nudge() = 0;
};

// Takes up the logs that an earlier process left in the folder for the journal's work; they want a
// Finish(). Removes other files. The references outlive the sender.
absl::StatusOr<std::unique_ptr<LogSender>> MakeLogSender(LogSenderOptions options, FarmClient& farm,
                                                         Journal& journal,
                                                         const WaiterFactory& waiters);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_LOG_SENDER_H_
