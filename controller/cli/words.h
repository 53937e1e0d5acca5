// Enums, times and amounts as people read them.
#ifndef SHAKEDOWN_CONTROLLER_CLI_WORDS_H_
#define SHAKEDOWN_CONTROLLER_CLI_WORDS_H_

#include <google/protobuf/timestamp.pb.h>

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

// "measured", "farm_failed", …: the words of the statistics and of SQL.
std::string OutcomeWord(v1::Outcome outcome);
// "active", "done", "cancelled".
std::string JobStateWord(v1::JobState state);
// "waiting", "queued", "running", "ended".
// "idle", "needs hands": printable.
std::string MachineStateWord(const v1::MachineView& machine);
std::string WorkStateWord(v1::WorkState state);

// "12 s", "3 min 5 s", "2 h 10 min"; negative is read as 0.
std::string LengthText(absl::Duration length);
// For grids: "0:12", "3:05", "2:10:00".
std::string ClockText(absl::Duration length);
// "2026-11-30 13:40" in `zone`; "" when not set.
std::string TimeText(const google::protobuf::Timestamp& time, absl::TimeZone zone);
// "3 min 5 s" between two times; "" when either is not set.
std::string TookText(const google::protobuf::Timestamp& from,
                     const google::protobuf::Timestamp& to);
// Between two times; 0 when either is not set.
absl::Duration Between(const google::protobuf::Timestamp& from,
                       const google::protobuf::Timestamp& to);
// "1 boot", "2 boots".
std::string Count(size_t n, absl::string_view one, absl::string_view many);
// "43%"; what is not in 0 to 1 is brought there.
std::string Percent(float fraction);

// Where a kernel comes from: "linux-source-6.12", "linux-2.6.35.tar.bz2", "ready linux-image-…",
// "git 0123456789ab of …".
std::string SourceText(const v1::Kernel& kernel);
// "debian-6.1 nohz=off": kernel, boot parameters, tunables of variant `index`; "?" when there is
// none.
std::string VariantText(const v1::JobSpec& spec, uint32_t index);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_WORDS_H_
