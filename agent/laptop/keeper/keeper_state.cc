#include "agent/laptop/keeper/keeper_state.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/text_proto.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kMaxFile = 64 << 10;
constexpr absl::Duration kClockMayStep = absl::Hours(1);

std::string Today(absl::Time now, absl::TimeZone zone) {
  return absl::FormatCivilTime(absl::ToCivilDay(now, zone));
}

}  // namespace

absl::StatusOr<StateFile> StateFile::Open(std::string path) {
  v1::KeeperState state;
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxFile);
  if (absl::IsNotFound(text.status())) return StateFile(std::move(path), std::move(state));
  if (!text.ok()) return text.status();
  const absl::Status parsed = ParseTextProto(*text, path, &state, 1);
  if (parsed.ok()) return StateFile(std::move(path), std::move(state));
  return absl::DataLossError(
      absl::StrCat(parsed.message(), " (remove the file: pause and today's boots are forgotten)"));
}

absl::Status StateFile::Change(const std::function<void(v1::KeeperState&)>& change) {
  v1::KeeperState changed = state_;
  change(changed);
  std::string text;
  google::protobuf::TextFormat::PrintToString(changed, &text);
  RETURN_IF_ERROR(WriteFileAtomically(path_, text, 0600));
  state_ = std::move(changed);
  return absl::OkStatus();
}

bool IsPaused(const v1::KeeperState& state, absl::Time now) {
  if (!state.paused()) return false;
  return state.paused_until() == 0 || now < absl::FromUnixSeconds(state.paused_until());
}

absl::Duration RefusalLeft(const v1::KeeperState& state, absl::Time now, absl::Duration longest) {
  const absl::Duration left = absl::FromUnixSeconds(state.refused_until()) - now;
  return std::clamp(left, absl::ZeroDuration(), longest);
}

uint32_t BootsToday(const v1::KeeperState& state, absl::Time now, absl::TimeZone zone) {
  return state.boots_date() >= Today(now, zone) ? state.boots() : 0;
}

void CountBoot(v1::KeeperState& state, absl::Time now, absl::TimeZone zone) {
  state.set_boots(BootsToday(state, now, zone) + 1);
  state.set_boots_date(std::max(state.boots_date(), Today(now, zone)));
  state.set_latest_s(std::max(state.latest_s(), absl::ToUnixSeconds(now)));
}

std::string ClockProblem(const v1::KeeperState& state, absl::Time now) {
  const absl::Time latest = absl::FromUnixSeconds(state.latest_s());
  if (now >= latest - kClockMayStep) return "";
  const auto text = [](absl::Time time) {
    return absl::FormatTime("%Y-%m-%d %H:%M", time, absl::UTCTimeZone());
  };
  return absl::StrCat("clock: ", text(now), " UTC, but it has been ", text(latest),
                      " already: set it right (if it was wrong then: shakedown-laptop resume)");
}

}  // namespace shakedown::laptop
