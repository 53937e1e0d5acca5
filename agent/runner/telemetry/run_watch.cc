#include "agent/runner/telemetry/run_watch.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace shakedown::runner {
namespace {

constexpr size_t kMostWarnings = 20;  // CPUs that go offline take a series or two each.

}  // namespace

MachineFacts RunWatch::Facts(bool all) const {
  MachineFacts facts;
  ReadClocks(facts);
  facts.throttled = sampler_.throttled();
  if (sampler_.cpu()) {
    facts.cpu_ticks = sampler_.cpu()->Total();
    facts.steal_ticks = sampler_.cpu()->steal;
  }
  facts.scheduler = ReadScheduler();
  if (!all) return facts;
  facts.oom_kills = ReadOomKills();
  facts.on_ac = ReadOnAc();
  return facts;
}

void RunWatch::Sample(absl::Duration now, bool all) {
  const bool first = !std::exchange(started_, true);
  all = all || first || now >= next_scan_;
  sampler_.Sample(now);
  MachineFacts facts = Facts(all);
  if (all) {
    const std::vector<TaskStat> tasks = ScanTasks();
    if (!tasks.empty()) facts.foreign_ticks = ForeignTicks(tasks, own_);
    if (first) {
      top_.Start(tasks, now);
    } else {
      top_.Add(tasks, now);
    }
    next_scan_ = now + Top::kEvery;
  }
  rules_.See(facts);
}

void RunWatch::Report(v1::LoadRun& run) {
  for (v1::Series& series : sampler_.Take()) *run.add_series() = std::move(series);
  for (v1::TopSnapshot& snapshot : top_.Take()) *run.add_top() = std::move(snapshot);
  for (v1::Disturbance& found : rules_.Found()) *run.add_disturbances() = std::move(found);
  const std::vector<std::string> warnings = sampler_.warnings();
  const size_t told = std::min(warnings.size(), kMostWarnings);
  for (size_t i = 0; i < told; ++i) run.add_warnings(warnings[i]);
  if (warnings.size() > told) {
    run.add_warnings(absl::StrCat("telemetry: ", warnings.size() - told, " more series were lost"));
  }
}

}  // namespace shakedown::runner
