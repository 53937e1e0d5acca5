#include "proto/wire/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

absl::Status WriteAll(int fd, absl::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t wrote = write(fd, content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return ErrnoStatus(errno, path);
    content.remove_prefix(static_cast<size_t>(wrote));
  }
  return absl::OkStatus();
}

absl::Status WriteAndSync(const std::string& path, absl::string_view content, mode_t mode) {
  const Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  RETURN_IF_ERROR(WriteAll(fd.get(), content, path));
  return fsync(fd.get()) == 0 ? absl::OkStatus() : ErrnoStatus(errno, path);
}

// The folder that holds `path`.
std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  std::string content;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, path);
    if (got == 0) return content;
    if (content.size() + static_cast<size_t>(got) > limit) {
      return absl::OutOfRangeError(
          absl::StrCat(path, ": longer than ", limit, " bytes, want at most that"));
    }
    content.append(buffer.data(), static_cast<size_t>(got));
  }
}

absl::Status SyncFolder(const std::string& folder) {
  const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || fsync(fd.get()) != 0) return ErrnoStatus(errno, folder);
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view content, mode_t mode) {
  const std::string beside = absl::StrCat(path, ".", NewUuid(), ".tmp");
  absl::Status written = WriteAndSync(beside, content, mode);
  if (written.ok() && rename(beside.c_str(), path.c_str()) != 0) {
    written = ErrnoStatus(errno, path);
  }
  if (!written.ok()) {
    unlink(beside.c_str());
    return written;
  }
  return SyncFolder(FolderOf(path));
}

}  // namespace shakedown
