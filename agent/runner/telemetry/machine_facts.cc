#include "agent/runner/telemetry/machine_facts.h"

#include <dirent.h>
#include <time.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

absl::Duration Read(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return absl::DurationFromTimespec(now);
}

std::optional<std::string> Line(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, 4096);
  if (!text.ok()) return std::nullopt;
  return std::string(absl::StripAsciiWhitespace(*text));
}

}  // namespace

void ReadClocks(MachineFacts& facts) {
  constexpr absl::Duration kUndisturbed = absl::Milliseconds(10);
  for (int attempt = 0; attempt < 5; ++attempt) {
    const absl::Duration before = Read(CLOCK_MONOTONIC);
    const absl::Duration boot = Read(CLOCK_BOOTTIME);
    const absl::Duration wall = Read(CLOCK_REALTIME);
    if (Read(CLOCK_MONOTONIC) - before > kUndisturbed) continue;
    facts.suspended = boot - before;
    facts.wall_offset = wall - boot;
    return;
  }
}

std::optional<uint64_t> ReadOomKills(const std::string& root) {
  const absl::StatusOr<std::string> text = ReadFile(root + "/proc/vmstat", 1 << 16);
  const absl::StatusOr<uint64_t> kills = VmstatCounter(text.ok() ? *text : "", "oom_kill");
  return kills.ok() ? std::optional(*kills) : std::nullopt;
}

std::optional<bool> ReadOnAc(const std::string& root) {
  const std::string folder = root + "/sys/class/power_supply";
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return std::nullopt;
  std::optional<bool> on_ac;
  while (const dirent* entry = readdir(entries)) {
    if (entry->d_name[0] == '.') continue;
    const std::string supply = absl::StrCat(folder, "/", entry->d_name);
    const std::optional<std::string> type = Line(supply + "/type");
    // A laptop that is charged through USB-C has its mains there.
    if (!type || (*type != "Mains" && *type != "USB")) continue;
    const std::optional<std::string> online = Line(supply + "/online");
    if (online && !online->empty()) on_ac = on_ac.value_or(false) || *online != "0";
  }
  closedir(entries);
  return on_ac;
}

std::optional<std::string> ReadScheduler(const std::string& root) {
  const std::string folder = root + "/sys/kernel/sched_ext";
  const std::optional<std::string> state = Line(folder + "/state");
  if (!state) return std::nullopt;
  const std::string ops = Line(folder + "/root/ops").value_or("-");
  return absl::StrCat(*state, " ", ops.empty() ? "-" : ops, " ",
                      Line(folder + "/enable_seq").value_or("0"));
}

}  // namespace shakedown::runner
