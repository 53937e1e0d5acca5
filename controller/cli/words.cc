#include "controller/cli/words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "controller/plan/text.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

// "OUTCOME_FARM_FAILED" → "farm_failed". A number of a newer farm is shown as it is.
std::string Word(absl::string_view name, absl::string_view prefix, int value) {
  if (!absl::ConsumePrefix(&name, prefix)) return absl::StrCat("state ", value);
  return absl::AsciiStrToLower(name);
}

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

// What comes after the last slash: mirrors differ, the archive's name says what it is.
absl::string_view FileName(absl::string_view location) {
  return location.substr(location.rfind('/') + 1);
}

bool IsSet(const google::protobuf::Timestamp& time) { return time.seconds() != 0; }

}  // namespace

std::string OutcomeWord(v1::Outcome outcome) {
  return Word(v1::Outcome_Name(outcome), "OUTCOME_", outcome);
}

std::string JobStateWord(v1::JobState state) {
  return Word(v1::JobState_Name(state), "JOB_STATE_", state);
}

std::string WorkStateWord(v1::WorkState state) {
  return Word(v1::WorkState_Name(state), "WORK_STATE_", state);
}

std::string MachineStateWord(const v1::MachineView& machine) {
  return absl::StrReplaceAll(PrintableLine(machine.state()), {{"_", " "}});
}

std::string LengthText(absl::Duration length) {
  const int64_t s = std::max<int64_t>(0, absl::ToInt64Seconds(length));
  if (s < 60) return absl::StrCat(s, " s");
  if (s < 3600) {
    return s % 60 == 0 ? absl::StrCat(s / 60, " min") : absl::StrCat(s / 60, " min ", s % 60, " s");
  }
  const int64_t min = s / 60;
  return min % 60 == 0 ? absl::StrCat(min / 60, " h")
                       : absl::StrCat(min / 60, " h ", min % 60, " min");
}

std::string ClockText(absl::Duration length) {
  const int64_t s = std::max<int64_t>(0, absl::ToInt64Seconds(length));
  if (s < 3600) return absl::StrFormat("%d:%02d", s / 60, s % 60);
  return absl::StrFormat("%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}

std::string TimeText(const google::protobuf::Timestamp& time, absl::TimeZone zone) {
  return IsSet(time) ? absl::FormatTime("%Y-%m-%d %H:%M", ToTime(time), zone) : "";
}

absl::Duration Between(const google::protobuf::Timestamp& from,
                       const google::protobuf::Timestamp& to) {
  return IsSet(from) && IsSet(to) ? ToTime(to) - ToTime(from) : absl::ZeroDuration();
}

std::string TookText(const google::protobuf::Timestamp& from,
                     const google::protobuf::Timestamp& to) {
  return IsSet(from) && IsSet(to) ? LengthText(ToTime(to) - ToTime(from)) : "";
}

std::string Count(size_t n, absl::string_view one, absl::string_view many) {
  return absl::StrCat(n, " ", n == 1 ? one : many);
}

std::string Percent(float fraction) {
  // The comparison is false for NaN, too.
  const float sane = fraction >= 0 ? std::min(fraction, 1.0F) : 0.0F;
  return absl::StrCat(static_cast<int>(sane * 100), "%");
}

std::string SourceText(const v1::Kernel& kernel) {
  switch (kernel.source_case()) {
    case v1::Kernel::kDebianSource:
      return absl::StrCat(kernel.debian_source().package(),
                          kernel.debian_source().version().empty() ? "" : " ",
                          kernel.debian_source().version());
    case v1::Kernel::kTarball:
      return std::string(FileName(kernel.tarball().location()));
    case v1::Kernel::kGit:
      return absl::StrCat("git ", kernel.git().commit().substr(0, 12), " of ",
                          kernel.git().location());
    case v1::Kernel::kLocalTree:
      return absl::StrCat("tree ", kernel.local_tree().path());
    case v1::Kernel::kDebianImage:
      return absl::StrCat("ready ", kernel.debian_image().package(),
                          kernel.debian_image().version().empty() ? "" : " ",
                          kernel.debian_image().version());
    case v1::Kernel::SOURCE_NOT_SET:
      break;
  }
  return "none";
}

std::string VariantText(const v1::JobSpec& spec, uint32_t index) {
  if (index >= static_cast<uint32_t>(spec.variants_size())) return "?";
  return plan::PrintVariant(spec.variants(static_cast<int>(index)));
}

}  // namespace shakedown::cli
