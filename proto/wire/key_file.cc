#include "proto/wire/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

constexpr size_t kMostBytes = 1000;

}  // namespace

absl::StatusOr<SigningKey> ReadSigningKey(const std::string& path) {
  const std::string what = absl::StrCat("key file ", path);
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, what);
  if ((info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(what, ": others may use it; want mode 0600 (chmod 600 ", path, ")"));
  }
  absl::StatusOr<std::string> content = ReadFile(path, kMostBytes);
  if (!content.ok()) return Annotate(content.status(), "key file");
  absl::StatusOr<SigningKey> key = KeyFromSecret(absl::StripAsciiWhitespace(*content));
  if (!key.ok()) return Annotate(key.status(), what);
  return key;
}

absl::Status WriteSigningKey(const std::string& path, const SigningKey& key) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("key file ", path));
  close(fd);
  const absl::Status written = WriteFileAtomically(path, absl::StrCat(key.secret, "\n"), 0600);
  if (!written.ok()) unlink(path.c_str());
  return written;
}

}  // namespace shakedown
