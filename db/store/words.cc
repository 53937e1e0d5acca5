#include "db/store/words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace shakedown::store {
namespace {
constexpr absl::string_view kPrefix = "OUTCOME_";
}  // namespace

std::string OutcomeWord(v1::Outcome outcome) {
  if (outcome == v1::OUTCOME_UNSPECIFIED || !v1::Outcome_IsValid(outcome)) return "";
  const std::string& name = v1::Outcome_Name(outcome);
  return absl::AsciiStrToLower(absl::StripPrefix(name, kPrefix));
}

v1::Outcome OutcomeOf(absl::string_view word) {
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  v1::Outcome_Parse(absl::StrCat(kPrefix, absl::AsciiStrToUpper(word)), &outcome);
  return outcome;
}

v1::JobState JobStateOf(absl::string_view word) {
  if (word == "active") return v1::JOB_STATE_ACTIVE;
  if (word == "done") return v1::JOB_STATE_DONE;
  return v1::JOB_STATE_CANCELLED;
}

v1::WorkState BootStateOf(absl::string_view word) {
  if (word == "waiting") return v1::WORK_STATE_WAITING;
  if (word == "queued") return v1::WORK_STATE_QUEUED;
  if (word == "running") return v1::WORK_STATE_RUNNING;
  return v1::WORK_STATE_ENDED;
}

v1::WorkState BuildStateOf(absl::string_view word) {
  if (word == "queued") return v1::WORK_STATE_QUEUED;
  if (word == "running") return v1::WORK_STATE_RUNNING;
  return v1::WORK_STATE_ENDED;
}

}  // namespace shakedown::store
