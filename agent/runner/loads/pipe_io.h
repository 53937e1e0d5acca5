// Whole messages over pipes between processes of a load.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PIPE_IO_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PIPE_IO_H_

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace shakedown::runner {

// Blocks until all is read or written; false at the other side's end or an error, which errno has.
inline bool ReadAll(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

inline bool WriteAll(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t wrote = write(fd, at, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += wrote;
    size -= static_cast<size_t>(wrote);
  }
  return true;
}

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PIPE_IO_H_
