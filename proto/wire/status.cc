#include "proto/wire/status.h"

#include <cerrno>
#include <string>
#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace shakedown {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return absl::StatusCode::kResourceExhausted;
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

}  // namespace

absl::Status Annotate(const absl::Status& status, absl::string_view what) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(what, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view type_url, const absl::Cord& payload) {
    annotated.SetPayload(type_url, payload);
  });
  return annotated;
}

absl::Status ErrnoStatus(int error, absl::string_view what) {
  return absl::Status(CodeOf(error),
                      absl::StrCat(what, ": ", std::generic_category().message(error)));
}

}  // namespace shakedown
