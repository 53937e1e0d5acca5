#include "agent/runner/setup/settle.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/setup/kernel_file.h"

namespace shakedown::runner {
namespace {

constexpr int kMostZones = 32;

// Why it does not hold; nothing: it does.
std::optional<std::string> Lack(const v1::Settle& wanted, const SettleReading& now,
                                absl::Duration waited) {
  if (wanted.max_load() > 0 && now.load.value_or(0) > wanted.max_load()) {
    return absl::StrFormat("load %.2f, at most %g is wanted", *now.load, wanted.max_load());
  }
  if (wanted.max_celsius() > 0 && now.celsius.value_or(0) > wanted.max_celsius()) {
    return absl::StrFormat("%.1f C, at most %g C is wanted", *now.celsius, wanted.max_celsius());
  }
  if (waited < absl::Seconds(wanted.seconds())) {
    return absl::StrFormat("%d s, %d s are wanted", absl::ToInt64Seconds(waited), wanted.seconds());
  }
  return std::nullopt;
}

}  // namespace

SettleReading ReadForSettle(const std::string& root) {
  SettleReading reading;
  const absl::StatusOr<std::string> loads = ReadKernelFile(root + "/proc/loadavg");
  double number = 0;
  if (loads.ok() && absl::SimpleAtod(loads->substr(0, loads->find(' ')), &number)) {
    reading.load = number;
  }
  for (int zone = 0; zone < kMostZones; ++zone) {
    const absl::StatusOr<std::string> millis =
        ReadKernelFile(absl::StrCat(root, "/sys/class/thermal/thermal_zone", zone, "/temp"));
    if (!millis.ok() || !absl::SimpleAtod(*millis, &number)) continue;
    reading.celsius = std::max(reading.celsius.value_or(-273.15), number / 1000);
  }
  return reading;
}

bool Settler::Step(const SettleReading& reading, absl::Duration now) {
  const absl::Duration waited = now - start_;
  bool rest = true;
  warnings_.clear();
  for (const v1::Settle& wanted : wanted_) {
    const std::optional<std::string> lack = Lack(wanted, reading, waited);
    if (!lack) continue;
    const absl::Duration limit = wanted.limit_s() == 0 ? kLimit : absl::Seconds(wanted.limit_s());
    if (waited >= limit) {
      warnings_.push_back(absl::StrCat("settle: not reached within ", absl::FormatDuration(limit),
                                       ": ", *lack, ": the run began on a machine not at rest"));
      continue;
    }
    text_ = absl::StrCat("settling: ", *lack);
    rest = false;
  }
  return rest;
}

}  // namespace shakedown::runner
