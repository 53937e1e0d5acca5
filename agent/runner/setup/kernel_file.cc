#include "agent/runner/setup/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {

absl::Status WriteKernelFile(const std::string& path, absl::string_view value) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_TRUNC);
  if (fd < 0) return ErrnoStatus(errno, path);
  const ssize_t wrote = write(fd, value.data(), value.size());
  const int error = errno;
  close(fd);
  if (wrote == static_cast<ssize_t>(value.size())) return absl::OkStatus();
  return ErrnoStatus(wrote < 0 ? error : EIO, absl::StrCat(path, ": writing ", Quoted(value)));
}

absl::StatusOr<std::string> ReadKernelFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, 1 << 16));
  return std::string(absl::StripAsciiWhitespace(text));
}

}  // namespace shakedown::runner
