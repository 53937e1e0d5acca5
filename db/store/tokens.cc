#include "db/store/tokens.h"

#include <sys/random.h>

#include <cerrno>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "db/store/pool.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kRandomBytes = 32;
constexpr size_t kShortest = 32;  // Of a token made elsewhere: 128 bits even when written in hex.

std::string Word(Role role) { return role == Role::kUser ? "user" : "agent"; }

}  // namespace

absl::StatusOr<std::string> CreateToken(Database& database, Role role, const std::string& name) {
  char random[kRandomBytes];
  if (getrandom(random, sizeof random, 0) != sizeof random) return ErrnoStatus(errno, "getrandom");
  const std::string token = absl::StrCat(
      "sd_", Word(role), "_", absl::BytesToHexString(absl::string_view(random, sizeof random)));
  RETURN_IF_ERROR(AddToken(database, role, name, token));
  return token;
}

absl::Status AddToken(Database& database, Role role, const std::string& name,
                      absl::string_view token) {
  RETURN_IF_ERROR(CheckName(absl::StrCat(Word(role), " name"), name));
  if (token.size() < kShortest) {
    return absl::InvalidArgumentError(absl::StrCat(
        "token of ", name, ": ", token.size(), " bytes long, at least ", kShortest, " are wanted"));
  }
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const std::string digest = Sha256Hex(token);
    tx.exec_params(
        "INSERT INTO tokens (sha256, role, name) VALUES (decode($1, 'hex'), $2, $3) "
        "ON CONFLICT DO NOTHING",
        digest, Word(role), name);
    const pqxx::row row =
        tx.exec_params1("SELECT role, name FROM tokens WHERE sha256 = decode($1, 'hex')", digest);
    if (row[0].as<std::string>() == Word(role) && row[1].as<std::string>() == name) {
      return absl::OkStatus();
    }
    return absl::AlreadyExistsError(
        absl::StrCat("token of ", name, ": is already that of another name"));
  });
}

absl::StatusOr<Principal> CheckToken(Database& database, absl::string_view token) {
  Principal principal;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found = tx.exec_params(
        "SELECT role, name FROM tokens WHERE sha256 = decode($1, 'hex')", Sha256Hex(token));
    if (found.empty()) return absl::UnauthenticatedError("token: not known here");
    principal.role = found[0][0].as<std::string>() == "user" ? Role::kUser : Role::kAgent;
    principal.name = found[0][1].as<std::string>();
    return absl::OkStatus();
  }));
  return principal;
}

absl::Status RevokeTokens(Database& database, Role role, const std::string& name) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result gone =
        tx.exec_params("DELETE FROM tokens WHERE role = $1 AND name = $2", Word(role), name);
    if (gone.affected_rows() > 0) return absl::OkStatus();
    return absl::NotFoundError(absl::StrCat(Word(role), " ", Quoted(name), ": has no token"));
  });
}

}  // namespace shakedown::store
