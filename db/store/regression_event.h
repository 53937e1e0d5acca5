// States of regressions in words, and their memory: one event a change, with the state that
// followed.
#ifndef SHAKEDOWN_DB_STORE_REGRESSION_EVENT_H_
#define SHAKEDOWN_DB_STORE_REGRESSION_EVENT_H_

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "db/store/sql.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::store {

inline constexpr char kStatePrefix[] = "REGRESSION_STATE_";

// "suspected", …, "wont_fix".
inline std::string RegressionStateWord(v1::RegressionState state) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::RegressionState_Name(state), kStatePrefix));
}
inline v1::RegressionState RegressionStateOf(absl::string_view word) {
  v1::RegressionState state = v1::REGRESSION_STATE_UNSPECIFIED;
  v1::RegressionState_Parse(absl::StrCat(kStatePrefix, absl::AsciiStrToUpper(word)), &state);
  return state;
}

// After the row was changed, which locks it.
inline void AddEvent(Transaction& tx, int64_t regression, absl::string_view by,
                     absl::string_view why) {
  tx.exec_params(
      "INSERT INTO regression_events (regression, ordinal, by, state, why) "
      "SELECT r.id, 1 + (SELECT count(*) FROM regression_events WHERE regression = r.id), $2, "
      "r.state, $3 FROM regressions r WHERE r.id = $1",
      regression, Text(by), Text(why));
}

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_REGRESSION_EVENT_H_
