// Who calls. Every call of every service goes through here first.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/database.h"
#include "db/store/tokens.h"

namespace shakedown::service {

// The caller behind an `authorization` header ("Bearer sd_user_…"), whose role must be `role`.
// Unauthenticated: no header, another scheme, no such token. PermissionDenied: a token of the other
// role. No text repeats the token.
absl::StatusOr<store::Principal> Authenticate(store::Database& database,
                                              absl::string_view authorization, store::Role role);

// PermissionDenied unless `agent` is the name of the token's agent: an agent speaks for itself
// alone.
absl::Status CheckAgentName(const store::Principal& principal, absl::string_view agent);

}  // namespace shakedown::service
