#include "agent/laptop/boot/copy_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kPiece = 1 << 20;

absl::StatusOr<Descriptor> OpenStranger(const std::string& path) {
  // Non-blocking: a named pipe without a writer must not hold us.
  // No link on the whole way: its folders are a stranger's, too.
  struct open_how how = {};
  how.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  Descriptor fd(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (fd.get() < 0 && errno == ELOOP) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a link, want a regular file"));
  }
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, path);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": want a regular file"));
  }
  return fd;
}

// What the file holds is not told: whoever named the path may not be allowed to read it.
absl::Status CheckWanted(const std::string& path, const v1::Artefact& wanted, uint64_t size,
                         const std::string& digest) {
  if (size != wanted.size()) {
    return absl::DataLossError(
        absl::StrCat(path, ": another size than the order says, ", wanted.size(), " bytes"));
  }
  if (digest == wanted.sha256()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, ": another SHA-256 than the order says, ", wanted.sha256()));
}

}  // namespace

absl::StatusOr<std::string> CopyFile(Disk& disk, const std::string& from, const std::string& to,
                                     const std::optional<v1::Artefact>& wanted, uint64_t limit) {
  ASSIGN_OR_RETURN(const Descriptor source, OpenStranger(from));
  RETURN_IF_ERROR(disk.Create(to, 0600));
  Sha256 sum;
  uint64_t size = 0;
  std::vector<char> buffer(kPiece);
  for (;;) {
    const ssize_t got = read(source.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, from);
    if (got == 0) break;
    const absl::string_view piece(buffer.data(), static_cast<size_t>(got));
    size += piece.size();
    if (size > limit || (wanted && size > wanted->size())) {
      const uint64_t most = wanted ? wanted->size() : limit;
      return absl::Status(wanted ? absl::StatusCode::kDataLoss : absl::StatusCode::kOutOfRange,
                          absl::StrCat(from, ": more than ", most, " bytes"));
    }
    sum.Add(piece);
    RETURN_IF_ERROR(disk.Append(to, piece));
  }
  const std::string digest = sum.Finish();
  if (wanted) RETURN_IF_ERROR(CheckWanted(from, *wanted, size, digest));
  RETURN_IF_ERROR(disk.Sync(to));
  ASSIGN_OR_RETURN(const std::string back, DigestOnDisk(to));
  if (back == digest) return digest;
  return absl::DataLossError(
      absl::StrCat(to, ": reads back as ", back, ", was written as ", digest));
}

absl::StatusOr<std::string> DigestOnDisk(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  return Sha256File(path);
}

uint64_t SizeOf(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)
             ? static_cast<uint64_t>(info.st_size)
             : 0;
}

}  // namespace shakedown::laptop
