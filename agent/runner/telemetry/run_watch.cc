#include "agent/runner/telemetry/run_watch.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace shakedown::runner {
namespace {

// One sample is a message a second through the guest's port: a few hundred bytes.
constexpr absl::string_view kTold[] = {"vmstat.r",
                                       "vmstat.b",
                                       "vmstat.us",
                                       "vmstat.sy",
                                       "vmstat.id",
                                       "vmstat.wa",
                                       "vmstat.in",
                                       "vmstat.cs",
                                       "psi.cpu.some.avg10",
                                       "psi.io.some.avg10",
                                       "psi.memory.some.avg10",
                                       "sched.run_delay"};

void AddValue(absl::string_view name, double value, v1::TelemetrySample& sample) {
  v1::TelemetrySample::Value* added = sample.add_values();
  added->set_name(std::string(name));
  added->set_unit(Sampler::Unit(name));
  added->set_value(value);
}

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
  if (first) begun_ = now;
  last_ = now;
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

bool RunWatch::Tell(v1::TelemetrySample& sample) const {
  if (sampler_.newest().empty()) return false;
  sample.set_at_ms(static_cast<uint32_t>(absl::ToInt64Milliseconds(last_ - begun_)));
  double mhz = 0;
  int cpus = 0;
  std::optional<double> hottest;
  for (const auto& [name, value] : sampler_.newest()) {
    if (absl::StartsWith(name, "cpu") && absl::EndsWith(name, ".freq")) {
      mhz += value;
      ++cpus;
    } else if (absl::StartsWith(name, "thermal.")) {
      hottest = std::max(value, hottest.value_or(value));
    } else if (std::find(std::begin(kTold), std::end(kTold), name) != std::end(kTold)) {
      AddValue(name, value, sample);
    }
  }
  if (cpus > 0) AddValue("cpu.freq", mhz / cpus, sample);
  if (hottest) AddValue("thermal.hottest", *hottest, sample);
  return true;
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
