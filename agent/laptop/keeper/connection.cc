#include "agent/laptop/keeper/connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace shakedown::laptop {
namespace {

constexpr size_t kAtATime = 1 << 20;

}  // namespace

Connection::Connection(Descriptor fd) : fd_(std::move(fd)) {
  fcntl(fd_.get(), F_SETFL, fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
}

void Connection::Receive() {
  char piece[1 << 16];
  for (size_t all = 0; open() && all < kAtATime;) {
    const ssize_t got = read(fd_.get(), piece, sizeof piece);
    if (got > 0) {
      all += static_cast<size_t>(got);
      frames_.Add(absl::string_view(piece, static_cast<size_t>(got)));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      break;
    } else {
      Close();
    }
  }
  if (frames_.skipped_bytes() > 0) Close();
}

void Connection::Send(absl::string_view payload) {
  if (!open()) return;
  unsent_ += EncodeFrame(payload);
  Flush();
}

void Connection::Flush() {
  size_t sent = 0;
  while (open() && sent < unsent_.size()) {
    const ssize_t wrote =
        send(fd_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (wrote > 0) {
      sent += static_cast<size_t>(wrote);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      Close();
      return;
    }
  }
  unsent_.erase(0, sent);
  if (closing_ && unsent_.empty()) Close();
}

void Connection::Close() {
  fd_.Close();
  unsent_.clear();
}

}  // namespace shakedown::laptop
