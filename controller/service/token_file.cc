#include "controller/service/token_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "controller/service/store_call.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::Status CreateEmpty(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("token file ", path));
  close(fd);
  return absl::OkStatus();
}

}  // namespace

absl::Status CreateTokenFile(store::Database& database, store::Role role, const std::string& name,
                             const std::string& path) {
  RETURN_IF_ERROR(CheckName("token name", name));
  RETURN_IF_ERROR(CreateEmpty(path));
  const absl::StatusOr<std::string> token =
      FromStore([&] { return store::CreateToken(database, role, name); });
  const absl::Status written =
      token.ok() ? WriteFileAtomically(path, absl::StrCat(*token, "\n"), 0600) : token.status();
  if (!written.ok()) unlink(path.c_str());
  return written;
}

}  // namespace shakedown::service
