#include "controller/service/auth.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/service/store_call.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

constexpr size_t kLongestToken = 256;

const char* NameOf(store::Role role) { return role == store::Role::kAgent ? "agent" : "user"; }

}  // namespace

absl::StatusOr<store::Principal> Authenticate(store::Database& database,
                                              absl::string_view authorization, store::Role role) {
  constexpr absl::string_view kScheme = "bearer ";
  if (!absl::StartsWithIgnoreCase(authorization, kScheme) ||
      authorization.size() > kScheme.size() + kLongestToken) {
    return absl::UnauthenticatedError("no token, want metadata \"authorization: Bearer TOKEN\"");
  }
  const absl::string_view token = absl::StripAsciiWhitespace(authorization.substr(kScheme.size()));
  const absl::StatusOr<store::Principal> principal =
      FromStore([&] { return store::CheckToken(database, token); });
  if (!principal.ok()) return principal.status();
  if (principal->role != role) {
    return absl::PermissionDeniedError(
        absl::StrCat("the token of ", NameOf(principal->role), " ", Quoted(principal->name),
                     ": this call wants a token of role ", NameOf(role)));
  }
  return principal;
}

absl::Status CheckAgentName(const store::Principal& principal, absl::string_view agent) {
  if (agent == principal.name) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("agent ", Quoted(agent),
                                                  ": the token is for agent ",
                                                  Quoted(principal.name), ", want that name"));
}

}  // namespace shakedown::service
