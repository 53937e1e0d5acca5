#include "agent/runner/telemetry/disturbance_rules.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace shakedown::runner {
namespace {

// By how much a counter has grown; a step back is none.
uint64_t Growth(uint64_t before, uint64_t now) { return now > before ? now - before : 0; }

std::string Seconds(absl::Duration d) {
  return absl::StrFormat("%.1f s", absl::ToDoubleSeconds(d));
}

v1::Disturbance Make(const std::string& rule, std::string fact) {
  v1::Disturbance disturbance;
  disturbance.set_rule(rule);
  disturbance.set_fact(std::move(fact));
  return disturbance;
}

}  // namespace

std::optional<double> DisturbanceRules::Share::Percent() const {
  if (of == 0) return std::nullopt;
  return 100 * static_cast<double>(ticks) / static_cast<double>(of);
}

// The latest words about a rule are the whole of it.
void DisturbanceRules::Add(const std::string& rule, std::string fact) {
  found_[rule] = std::move(fact);
}

template <typename Counter>
void DisturbanceRules::SeeCounter(std::optional<Counter> now, std::optional<Counter>& first,
                                  const std::string& rule, const char* what) {
  if (!now) return;
  if (!first) first = now;
  if (*now > *first) Add(rule, absl::StrCat(what, " ", *now - *first, " times, 0 are allowed"));
}

void DisturbanceRules::See(const MachineFacts& now) {
  SeeCounter(now.throttled, first_.throttled, "throttled", "thermal throttling");
  SeeCounter(now.oom_kills, first_.oom_kills, "oom", "the kernel killed for want of memory");
  if (now.suspended) {
    if (!first_.suspended) first_.suspended = now.suspended;
    const absl::Duration slept = *now.suspended - *first_.suspended;
    if (slept > kMostSuspended) {
      Add("suspended", absl::StrCat("suspended for ", Seconds(slept), ", at most ",
                                    Seconds(kMostSuspended), " is allowed"));
    }
  }
  if (now.wall_offset) {
    const absl::Duration step = *now.wall_offset - last_.wall_offset.value_or(*now.wall_offset);
    if (absl::AbsDuration(step) > kMostClockStep && found_.count("clock_stepped") == 0) {
      Add("clock_stepped", absl::StrCat("the wall clock was set by ", Seconds(step), ", at most ",
                                        Seconds(kMostClockStep), " is allowed"));
    }
    last_.wall_offset = now.wall_offset;
  }
  if (now.on_ac) {
    if (last_.on_ac.value_or(false) && !*now.on_ac) {
      Add("ac_lost", "mains power was lost, it is wanted throughout");
    }
    last_.on_ac = now.on_ac;
  }
  if (now.scheduler) {
    if (!first_.scheduler) first_.scheduler = now.scheduler;
    if (*now.scheduler != *first_.scheduler) {
      Add("scheduler_changed", absl::StrCat("sched_ext was \"", *first_.scheduler, "\", is \"",
                                            *now.scheduler, "\" (state, program, activations)"));
    }
  }
  if (now.cpu_ticks && now.steal_ticks) {
    if (last_.cpu_ticks && last_.steal_ticks) {
      steal_.of += Growth(*last_.cpu_ticks, *now.cpu_ticks);
      steal_.ticks += Growth(*last_.steal_ticks, *now.steal_ticks);
    }
    last_.cpu_ticks = now.cpu_ticks;
    last_.steal_ticks = now.steal_ticks;
  }
  if (now.cpu_ticks && now.foreign_ticks) {
    if (ticks_at_foreign_) {
      foreign_.of += Growth(*ticks_at_foreign_, *now.cpu_ticks);
      foreign_.ticks += Growth(*last_.foreign_ticks, *now.foreign_ticks);
    }
    ticks_at_foreign_ = now.cpu_ticks;
    last_.foreign_ticks = now.foreign_ticks;
  }
}

void DisturbanceRules::AddShare(const Share& share, double most, const char* rule, const char* what,
                                std::vector<v1::Disturbance>& found) const {
  const std::optional<double> percent = share.Percent();
  if (!percent || *percent <= most || share.ticks <= kGrainTicks) return;
  found.push_back(
      Make(rule, absl::StrFormat("%s %.1f %%, at most %g %% is allowed", what, *percent, most)));
}

std::vector<v1::Disturbance> DisturbanceRules::Found() const {
  std::vector<v1::Disturbance> found;
  // What says most about the machine first: the first is the boot's reason.
  for (const char* rule :
       {"scheduler_changed", "suspended", "throttled", "ac_lost", "oom", "clock_stepped"}) {
    const auto at = found_.find(rule);
    if (at != found_.end()) found.push_back(Make(rule, at->second));
  }
  AddShare(steal_, kMostStealPercent, "steal", "steal", found);
  AddShare(foreign_, kMostForeignPercent, "foreign_cpu",
           "CPU use of processes that are not the load's:", found);
  return found;
}

std::optional<double> DisturbanceRules::foreign_percent() const { return foreign_.Percent(); }
std::optional<double> DisturbanceRules::steal_percent() const { return steal_.Percent(); }

}  // namespace shakedown::runner
