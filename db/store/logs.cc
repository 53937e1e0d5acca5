#include "db/store/logs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// Who writes the stream now. `closed`: its attempt or build has ended.
struct Owner {
  std::string agent;
  int64_t epoch = 0;
  bool closed = false;
};

absl::StatusOr<Owner> FindOwner(Transaction& tx, const std::string& stream) {
  RETURN_IF_ERROR(CheckUuid("log", stream));
  const pqxx::result found = tx.exec_params(
      "SELECT coalesce(agent, ''), coalesce(epoch, 0), state = 'ended' FROM boots WHERE attempt_id "
      "= $1 "
      "UNION ALL "
      "SELECT coalesce(agent, ''), epoch, state NOT IN ('queued', 'running') FROM builds WHERE id "
      "= $1",
      stream);
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat("log ", stream, ": no such boot or build"));
  }
  return Owner{found[0][0].as<std::string>(), found[0][1].as<int64_t>(), found[0][2].as<bool>()};
}

// The log's size, its row locked until the transaction ends.
uint64_t LockLog(Transaction& tx, const std::string& stream, int64_t epoch) {
  tx.exec_params("INSERT INTO logs (stream, epoch) VALUES ($1, $2) ON CONFLICT DO NOTHING", stream,
                 epoch);
  return tx
      .exec_params1("SELECT size FROM logs WHERE stream = $1 AND epoch = $2 FOR UPDATE", stream,
                    epoch)[0]
      .as<uint64_t>();
}

absl::Status CheckPiece(const std::string& stream, uint64_t offset, uint64_t end, size_t size) {
  if (offset != end) {
    return absl::OutOfRangeError(
        absl::StrCat("log ", stream, ": offset ", offset, " is not its end, which is ", end));
  }
  if (end + size > kMaxLogBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("log ", stream, ": has ", end, " bytes, ",
                                                     size, " more would pass ", kMaxLogBytes));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> Append(Transaction& tx, const std::string& stream, int64_t epoch,
                                uint64_t offset, absl::string_view data) {
  const uint64_t end = LockLog(tx, stream, epoch);
  if (data.empty()) return end;
  RETURN_IF_ERROR(CheckPiece(stream, offset, end, data.size()));
  tx.exec_params("INSERT INTO log_chunks (stream, epoch, start, data) VALUES ($1, $2, $3, $4)",
                 stream, epoch, static_cast<int64_t>(end), Bytes(data));
  tx.exec_params("UPDATE logs SET size = size + $3 WHERE stream = $1 AND epoch = $2", stream, epoch,
                 static_cast<int64_t>(data.size()));
  return end + data.size();
}

void ReadChunks(Transaction& tx, const std::string& stream, int64_t epoch, uint64_t offset,
                size_t limit, std::string& data) {
  // The chunk that holds `offset` starts at or before it, by less than a piece.
  const pqxx::result chunks = tx.exec_params(
      "SELECT start, data FROM log_chunks WHERE stream = $1 AND epoch = $2 AND start > $3 AND "
      "start < $4 "
      "ORDER BY start",
      stream, epoch, static_cast<int64_t>(offset) - static_cast<int64_t>(kMaxLogPiece),
      static_cast<int64_t>(offset + limit));
  for (const pqxx::row& row : chunks) {
    const auto start = row[0].as<uint64_t>();
    const std::string bytes = ReadBytes(row[1]);
    const size_t skip = start < offset ? static_cast<size_t>(offset - start) : 0;
    if (skip < bytes.size()) data.append(bytes, skip, limit - data.size());
  }
}

}  // namespace

absl::StatusOr<uint64_t> AppendLog(Database& database, const std::string& agent,
                                   const std::string& stream, int64_t epoch, uint64_t offset,
                                   absl::string_view data) {
  if (data.size() > kMaxLogPiece) {
    return absl::InvalidArgumentError(absl::StrCat("log ", Quoted(stream), ": a piece of ",
                                                   data.size(), " bytes, at most ", kMaxLogPiece,
                                                   " are wanted"));
  }
  uint64_t end = 0;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const Owner owner, FindOwner(tx, stream));
    if (owner.agent != agent || owner.epoch != epoch) {
      return absl::FailedPreconditionError(
          absl::StrCat("log ", stream, ": epoch ", epoch, " of agent ", agent,
                       " is not the lease's, which is ", owner.epoch, " of agent ", owner.agent));
    }
    ASSIGN_OR_RETURN(end, Append(tx, stream, epoch, offset, data));
    return absl::OkStatus();
  }));
  return end;
}

absl::StatusOr<LogPiece> ReadLog(Database& database, const std::string& stream, uint64_t offset,
                                 size_t limit) {
  LogPiece piece;
  const size_t most = std::clamp<size_t>(limit, 1, 4 << 20);
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    piece = LogPiece();
    ASSIGN_OR_RETURN(const Owner owner, FindOwner(tx, stream));
    piece.closed = owner.closed;
    // The latest lease's; while a build waits to be tried again, the log of the try before.
    const pqxx::result log = tx.exec_params(
        "SELECT epoch, size FROM logs WHERE stream = $1 ORDER BY epoch DESC LIMIT 1", stream);
    if (log.empty()) return absl::OkStatus();
    piece.end = log[0][1].as<uint64_t>();
    if (offset < piece.end) {
      ReadChunks(tx, stream, log[0][0].as<int64_t>(), offset, most, piece.data);
    }
    return absl::OkStatus();
  }));
  return piece;
}

}  // namespace shakedown::store
