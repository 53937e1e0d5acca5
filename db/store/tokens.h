// Who may call. The database holds only the SHA-256 of a token.
#ifndef SHAKEDOWN_DB_STORE_TOKENS_H_
#define SHAKEDOWN_DB_STORE_TOKENS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/database.h"

namespace shakedown::store {

enum class Role { kUser, kAgent };

struct Principal {
  Role role = Role::kUser;
  std::string name;
};

// A new token of 256 random bits, "sd_user_…" or "sd_agent_…": shown once, never again. A name may
// have several. InvalidArgument: the name is not one (proto/wire/ids.h CheckName).
absl::StatusOr<std::string> CreateToken(Database& database, Role role, const std::string& name);

// Makes a token that exists outside (a file from an earlier start) valid. Again: OK.
// AlreadyExists: valid, but for somebody else. InvalidArgument: shorter than 32 bytes.
absl::Status AddToken(Database& database, Role role, const std::string& name,
                      absl::string_view token);

// Unauthenticated: no such token (the text does not repeat it).
absl::StatusOr<Principal> CheckToken(Database& database, absl::string_view token);

// Ends every token of that name. NotFound: it has none.
absl::Status RevokeTokens(Database& database, Role role, const std::string& name);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_TOKENS_H_
