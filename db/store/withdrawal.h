// Imports and notes that a person has withdrawn.
#ifndef SHAKEDOWN_DB_STORE_WITHDRAWAL_H_
#define SHAKEDOWN_DB_STORE_WITHDRAWAL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::store {

// Columns of a view; they are read by ReadWithdrawal.
#define SHAKEDOWN_WITHDRAWAL_COLUMNS \
  SHAKEDOWN_MICROS("withdrawn_at") " AS withdrawn, withdrawn_by, withdrawn_why"

// Leaves the view as it is when it was not withdrawn.
template <typename View>
void ReadWithdrawal(const pqxx::row& row, View& view) {
  if (row["withdrawn"].is_null()) return;
  v1::Withdrawal& withdrawal = *view.mutable_withdrawn();
  *withdrawal.mutable_at() = ReadTime(row["withdrawn"]);
  withdrawal.set_by(row["withdrawn_by"].template as<std::string>());
  withdrawal.set_why(row["withdrawn_why"].template as<std::string>());
}

// InvalidArgument: no reason, one that is too long, NUL or no UTF-8 in it.
inline absl::Status CheckWhyWithdrawn(const std::string& why) {
  constexpr size_t kMost = 4096;
  if (!why.empty() && why.size() <= kMost && Text(why) == why) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("reason of ", why.size(), " bytes: want 1 to ",
                                                 kMost, " bytes of UTF-8 without NUL"));
}

inline absl::Status CannotWithdrawShipped(absl::string_view what, int64_t number) {
  return absl::FailedPreconditionError(absl::StrCat(
      what, " ", number, ": came with the program; only what a person added can be withdrawn"));
}

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_WITHDRAWAL_H_
