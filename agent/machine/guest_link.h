// A Unix socket to a runner: one that QEMU connects to, for one of a guest's ports, or one that is
// connected already.
#ifndef SHAKEDOWN_AGENT_MACHINE_GUEST_LINK_H_
#define SHAKEDOWN_AGENT_MACHINE_GUEST_LINK_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wire/descriptor.h"

namespace shakedown::agent {

// Takes one connection, the first, and listens no longer; removes its file at the end. Never
// blocks. One owner, not thread-safe.
class GuestLink {
 public:
  // Listens at `path` (what was there is removed). InvalidArgument: the path is longer than a
  // socket's may be. `open_to_all`: QEMU runs as another user.
  static absl::StatusOr<std::unique_ptr<GuestLink>> Listen(const std::string& path,
                                                           bool open_to_all);
  // Over a connection that is made already, not blocking; owns it.
  static std::unique_ptr<GuestLink> Over(Descriptor connection);
  ~GuestLink();
  GuestLink(const GuestLink&) = delete;

  int fd() const { return connection_ >= 0 ? connection_ : listener_; }  // For poll(); -1: closed.
  bool HasUnsent() const { return connection_ >= 0 && !unsent_.empty(); }
  // What has come, at most 256 KiB at a time; empty: nothing now. Accepts the connection first.
  std::string Receive();
  // What can not be sent now waits. ResourceExhausted: the guest has not read 4 MiB.
  absl::Status Send(absl::string_view bytes);
  void Flush();

 private:
  GuestLink(std::string path, int listener, int connection = -1)
      : path_(std::move(path)), listener_(listener), connection_(connection) {}
  void Accept();
  void CloseConnection();

  const std::string path_;
  int listener_ = -1, connection_ = -1;
  std::string unsent_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_GUEST_LINK_H_
