#include "db/store/artefacts.h"

#include "absl/strings/str_cat.h"
#include "db/store/pool.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

absl::Status CheckDigest(const std::string& sha256) {
  if (IsSha256Hex(sha256)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("artefact ", Quoted(sha256), ": 64 lower-case hex digits are wanted"));
}

}  // namespace

absl::Status AddArtefact(Database& database, const std::string& sha256, uint64_t size) {
  RETURN_IF_ERROR(CheckDigest(sha256));
  return Write(database, [&](Transaction& tx) -> absl::Status {
    tx.exec_params(
        "INSERT INTO artefacts (sha256, size) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING",
        sha256, static_cast<int64_t>(size));
    const auto known =
        tx.exec_params1("SELECT size FROM artefacts WHERE sha256 = $1", sha256)[0].as<uint64_t>();
    if (known == size) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("artefact ", sha256, ": has ", known, " bytes, not ", size));
  });
}

absl::StatusOr<std::optional<uint64_t>> FindArtefact(Database& database,
                                                     const std::string& sha256) {
  RETURN_IF_ERROR(CheckDigest(sha256));
  std::optional<uint64_t> size;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    const pqxx::result found =
        tx.exec_params("SELECT size FROM artefacts WHERE sha256 = $1", sha256);
    if (found.empty()) {
      size.reset();
    } else {
      size = found[0][0].as<uint64_t>();
    }
    return absl::OkStatus();
  }));
  return size;
}

absl::Status ForgetArtefact(Database& database, const std::string& sha256) {
  RETURN_IF_ERROR(CheckDigest(sha256));
  return Write(database, [&](Transaction& tx) -> absl::Status {
    if (tx.exec_params("DELETE FROM artefacts WHERE sha256 = $1", sha256).affected_rows() > 0) {
      return absl::OkStatus();
    }
    return absl::NotFoundError(absl::StrCat("artefact ", sha256, ": not here"));
  });
}

}  // namespace shakedown::store
