// The words that stand in the tables for the protos' enums.
#ifndef SHAKEDOWN_DB_STORE_WORDS_H_
#define SHAKEDOWN_DB_STORE_WORDS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// "measured", "boot_failed", …; empty for UNSPECIFIED and values this program does not know.
std::string OutcomeWord(v1::Outcome outcome);
// UNSPECIFIED for a word that is none.
v1::Outcome OutcomeOf(absl::string_view word);

v1::JobState JobStateOf(absl::string_view word);
v1::WorkState BootStateOf(absl::string_view word);
v1::WorkState BuildStateOf(absl::string_view word);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_WORDS_H_
