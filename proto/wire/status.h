// Errors are values: helpers to pass them up with the object they were about.
#ifndef SHAKEDOWN_PROTO_WIRE_STATUS_H_
#define SHAKEDOWN_PROTO_WIRE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// `status` with "what: " before its message; code and payloads kept. OK stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view what);

// The error of the system call that has just failed, from errno value `error`:
// "what: No space left on device". ENOSPC, EDQUOT: ResourceExhausted; ENOENT: NotFound;
// EEXIST: AlreadyExists; EACCES, EPERM, EROFS: PermissionDenied; else Unavailable.
absl::Status ErrnoStatus(int error, absl::string_view what);

}  // namespace shakedown

#define SHAKEDOWN_CONCAT_INNER_(a, b) a##b
#define SHAKEDOWN_CONCAT_(a, b) SHAKEDOWN_CONCAT_INNER_(a, b)

// Returns from the function when `expr` (absl::Status) is an error.
#define RETURN_IF_ERROR(expr)                           \
  do {                                                  \
    if (absl::Status status_ = (expr); !status_.ok()) { \
      return status_;                                   \
    }                                                   \
  } while (false)

// ASSIGN_OR_RETURN(auto x, F()): the value of a StatusOr, or returns its error.
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_IMPL_(SHAKEDOWN_CONCAT_(status_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                           \
  if (!tmp.ok()) return tmp.status();          \
  lhs = *std::move(tmp)

#endif  // SHAKEDOWN_PROTO_WIRE_STATUS_H_
