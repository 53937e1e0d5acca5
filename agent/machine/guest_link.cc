#include "agent/machine/guest_link.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMaxUnsent = 4 << 20;
constexpr size_t kReceive = 256 << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<GuestLink>> GuestLink::Listen(const std::string& path,
                                                             bool open_to_all) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(
        absl::StrCat("socket ", path, ": the path has ", path.size(), " bytes, want at most ",
                     sizeof address.sun_path - 1, ": give the agent a folder with a shorter name"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  unlink(path.c_str());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(errno, "socket");
  std::unique_ptr<GuestLink> link(new GuestLink(path, fd));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), open_to_all ? 0666 : 0600) != 0 || listen(fd, 1) != 0) {
    return ErrnoStatus(errno, path);
  }
  return link;
}

std::unique_ptr<GuestLink> GuestLink::Over(Descriptor connection) {
  return std::unique_ptr<GuestLink>(new GuestLink("", -1, connection.Release()));
}

GuestLink::~GuestLink() {
  CloseConnection();
  if (listener_ >= 0) close(listener_);
  if (!path_.empty()) unlink(path_.c_str());
}

void GuestLink::Accept() {
  connection_ = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (connection_ < 0) return;
  close(listener_);  // The file stays: libvirt gives its owner back when the machine ends.
  listener_ = -1;
}

void GuestLink::CloseConnection() {
  if (connection_ >= 0) close(connection_);
  connection_ = -1;
}

std::string GuestLink::Receive() {
  if (connection_ < 0 && listener_ >= 0) Accept();
  if (connection_ < 0) return {};
  std::string bytes(kReceive, '\0');
  const ssize_t got = read(connection_, bytes.data(), bytes.size());
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) CloseConnection();
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return bytes;
}

absl::Status GuestLink::Send(absl::string_view bytes) {
  if (unsent_.size() + bytes.size() > kMaxUnsent) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "guest port: ", unsent_.size(), " bytes are not taken, want at most ", kMaxUnsent));
  }
  unsent_.append(bytes.data(), bytes.size());
  Flush();
  return absl::OkStatus();
}

void GuestLink::Flush() {
  while (HasUnsent()) {
    const ssize_t sent = send(connection_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      if (errno != EAGAIN && errno != EINTR) CloseConnection();
      return;
    }
    unsent_.erase(0, static_cast<size_t>(sent));
  }
}

}  // namespace shakedown::agent
