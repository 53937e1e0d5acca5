// The way to the agent: a virtio-serial port, or a socket.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_PORT_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_PORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {

inline constexpr char kPortName[] = "org.shakedown.runner.0";

// The device node (/dev/vport1p1) of the port `name`; waits for it up to `limit`. NotFound after
// that, naming the ports that are there. `root`: before the paths, for tests.
absl::StatusOr<std::string> FindPort(absl::string_view name, absl::Duration limit, Clock& clock,
                                     const std::string& root = "");

// A byte stream that never blocks: what the other side does not take waits in memory, at most 64
// MiB. One owner, not thread-safe.
class Port {
 public:
  // A virtio port without a listener on the host waits for the next one; a socket whose other end
  // is closed stays so.
  enum class Kind { kVirtio, kSocket };
  // Takes `fd` (O_NONBLOCK is set on it) and closes it at the end.
  explicit Port(int fd, Kind kind = Kind::kVirtio);
  ~Port();
  Port(const Port&) = delete;

  int fd() const { return fd_; }
  bool HasUnsent() const { return !unsent_.empty(); }

  // ResourceExhausted when the other side has taken nothing for 64 MiB: `bytes` are dropped.
  absl::Status Send(absl::string_view bytes);
  absl::Status Flush();  // As far as possible now.
  // What has come; empty when nothing has, also while nobody is connected on the host. Cancelled:
  // the other end of a socket is closed, and everything from it has been received.
  absl::StatusOr<std::string> Receive();

 private:
  int fd_;
  const Kind kind_;
  std::string unsent_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_PORT_H_
