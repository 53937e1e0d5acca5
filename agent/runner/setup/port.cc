#include "agent/runner/setup/port.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kClass[] = "/sys/class/virtio-ports";
constexpr size_t kMostUnsent = 64 << 20;
constexpr absl::Duration kLookAgain = absl::Milliseconds(50);

std::vector<std::string> PortNodes(const std::string& folder) {
  std::vector<std::string> nodes;
  if (DIR* entries = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(entries)) {
      if (entry->d_name[0] != '.') nodes.emplace_back(entry->d_name);
    }
    closedir(entries);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

absl::StatusOr<std::string> FindPort(absl::string_view name, absl::Duration limit, Clock& clock,
                                     const std::string& root) {
  const std::string folder = absl::StrCat(root, kClass);
  const absl::Duration until = clock.Elapsed() + limit;
  for (;;) {
    std::vector<std::string> seen;
    for (const std::string& node : PortNodes(folder)) {
      const absl::StatusOr<std::string> text =
          ReadFile(absl::StrCat(folder, "/", node, "/name"), 4096);
      if (!text.ok()) continue;  // A port without a name.
      const absl::string_view found = absl::StripAsciiWhitespace(*text);
      if (found == name) return absl::StrCat(root, "/dev/", node);
      seen.emplace_back(found);
    }
    if (clock.Elapsed() >= until) {
      return absl::NotFoundError(absl::StrCat(
          "virtio port ", name, ": not there within ", absl::FormatDuration(limit),
          "; ports: ", seen.empty() ? "none" : absl::CHexEscape(absl::StrJoin(seen, ", "))));
    }
    clock.Sleep(kLookAgain);
  }
}

Port::Port(int fd, Kind kind) : fd_(fd), kind_(kind) {
  fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

Port::~Port() { close(fd_); }

absl::Status Port::Send(absl::string_view bytes) {
  if (unsent_.size() + bytes.size() > kMostUnsent) {
    return absl::ResourceExhaustedError(
        absl::StrCat("port to the agent: ", unsent_.size(), " bytes wait unsent"));
  }
  absl::StrAppend(&unsent_, bytes);
  return Flush();
}

absl::Status Port::Flush() {
  size_t sent = 0;
  absl::Status status;
  while (sent < unsent_.size()) {
    const ssize_t wrote = write(fd_, unsent_.data() + sent, unsent_.size() - sent);
    if (wrote > 0) {
      sent += static_cast<size_t>(wrote);
    } else if (wrote == 0 || errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      status = ErrnoStatus(errno, "port to the agent");
      break;
    }
  }
  unsent_.erase(0, sent);
  return status;
}

absl::StatusOr<std::string> Port::Receive() {
  std::string bytes;
  char piece[1 << 14];
  for (;;) {
    const ssize_t got = read(fd_, piece, sizeof piece);
    if (got > 0) {
      bytes.append(piece, static_cast<size_t>(got));
    } else if (got == 0 && kind_ == Kind::kSocket && bytes.empty()) {
      return absl::CancelledError("socket to the agent: closed");
    } else if (got == 0 || errno == EAGAIN) {
      return bytes;
    } else if (errno != EINTR) {
      return ErrnoStatus(errno, "port to the agent");
    }
  }
}

}  // namespace shakedown::runner
