#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::service {

// history::RegressionMail of the regression with what its paired job says, as far as there is one.
absl::StatusOr<std::string> MailOf(store::Database& database, const v1::RegressionView& regression);

}  // namespace shakedown::service
