// Log bytes of boots and builds, appended at offsets so that a broken stream resumes.
#ifndef SHAKEDOWN_DB_STORE_LOGS_H_
#define SHAKEDOWN_DB_STORE_LOGS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/database.h"

namespace shakedown::store {

inline constexpr uint64_t kMaxLogBytes = 64ull << 20;
inline constexpr size_t kMaxLogPiece = 256 << 10;

// Appends at `offset` of the log of an attempt_id or build_id under `epoch`, and returns its new
// end. Each lease has a log of its own: a build that is tried again starts at 0. Empty `data` only
// asks for the end, at any offset. Also right after the result was recorded. OutOfRange: `offset`
// is not the end (so is a piece sent again); ask with empty `data` where it is. ResourceExhausted:
// past kMaxLogBytes. FailedPrecondition: old epoch, or not this agent's. NotFound: no such attempt
// or build. InvalidArgument: piece too long.
absl::StatusOr<uint64_t> AppendLog(Database& database, const std::string& agent,
                                   const std::string& stream, int64_t epoch, uint64_t offset,
                                   absl::string_view data);

struct LogPiece {
  std::string data;     // From the offset asked for, at most `limit` bytes; empty at the end.
  uint64_t end = 0;     // Bytes there are now.
  bool closed = false;  // The attempt or build has ended: what is here is all, but for late bytes.
};

// Of the latest lease. NotFound: no such attempt or build.
absl::StatusOr<LogPiece> ReadLog(Database& database, const std::string& stream, uint64_t offset,
                                 size_t limit = 1 << 20);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_LOGS_H_
