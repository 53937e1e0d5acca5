#include "agent/runner/telemetry/sampler.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

constexpr size_t kMostSteps = 24 * 3600;  // A series is at most a day long.

std::string Unit(absl::string_view name) {
  for (absl::string_view share : {".us", ".sy", ".id", ".wa", ".st", ".avg10"}) {
    if (absl::EndsWith(name, share)) return "%";
  }
  for (absl::string_view memory : {".free", ".buff", ".cache"}) {
    if (absl::EndsWith(name, memory)) return "KiB";
  }
  for (absl::string_view flow : {".si", ".so", ".bi", ".bo"}) {
    if (absl::EndsWith(name, flow)) return "KiB/s";
  }
  if (absl::EndsWith(name, ".in") || absl::EndsWith(name, ".cs")) return "1/s";
  if (absl::EndsWith(name, ".r") || absl::EndsWith(name, ".b")) return "1";
  return "ms/s";
}

// "cpu.us" and its like are kept as ticks and become shares of "cpu.total".
constexpr char kTicks[] = "ticks";

}  // namespace

Sampler::Sampler(Reader reader) : reader_(std::move(reader)) {}
Sampler::Sampler() : Sampler([](const std::string& path) { return ReadFile(path, 4 << 20); }) {}

Sampler::Values Sampler::Read() {
  Values v;
  if (const auto text = reader_("/proc/stat"); text.ok()) {
    if (const auto cpu = ParseProcStat(*text); cpu.ok()) {
      v.gauges["vmstat.r"] = static_cast<double>(cpu->running);
      v.gauges["vmstat.b"] = static_cast<double>(cpu->blocked);
      v.counters["vmstat.in"] = static_cast<double>(cpu->interrupts);
      v.counters["vmstat.cs"] = static_cast<double>(cpu->context_switches);
      v.counters["vmstat.us"] = static_cast<double>(cpu->user + cpu->nice);
      v.counters["vmstat.sy"] = static_cast<double>(cpu->system + cpu->irq + cpu->softirq);
      v.counters["vmstat.id"] = static_cast<double>(cpu->idle);
      v.counters["vmstat.wa"] = static_cast<double>(cpu->iowait);
      v.counters["vmstat.st"] = static_cast<double>(cpu->steal);
      v.counters[kTicks] = static_cast<double>(cpu->Total());
    }
  }
  if (const auto text = reader_("/proc/meminfo"); text.ok()) {
    for (const auto& [name, key] : {std::pair("vmstat.free", "MemFree"),
                                    {"vmstat.buff", "Buffers"},
                                    {"vmstat.cache", "Cached"}}) {
      if (const auto kib = MeminfoKib(*text, key); kib.ok())
        v.gauges[name] = static_cast<double>(*kib);
    }
  }
  if (const auto text = reader_("/proc/vmstat"); text.ok()) {
    const double page_kib = static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
    // pgpgin and pgpgout count KiB, pswpin and pswpout pages.
    for (const auto& [name, key, kib] : {std::tuple("vmstat.bi", "pgpgin", 1.0),
                                         {"vmstat.bo", "pgpgout", 1.0},
                                         {"vmstat.si", "pswpin", page_kib},
                                         {"vmstat.so", "pswpout", page_kib}}) {
      if (const auto n = VmstatCounter(*text, key); n.ok())
        v.counters[name] = kib * static_cast<double>(*n);
    }
  }
  for (const std::string resource : {"cpu", "io", "memory"}) {
    const auto text = reader_("/proc/pressure/" + resource);
    const auto pressure = ParsePressure(text.ok() ? *text : "");
    if (!pressure.ok()) continue;
    v.gauges[absl::StrCat("psi.", resource, ".some.avg10")] = pressure->avg10;
    v.counters[absl::StrCat("psi.", resource, ".some.stall")] =
        static_cast<double>(pressure->total_us) / 1e3;
  }
  if (const auto text = reader_("/proc/schedstat"); text.ok()) {
    if (const auto delay = TotalRunDelay(*text); delay.ok()) {
      v.counters["sched.run_delay"] = absl::ToDoubleMilliseconds(*delay);
    }
  }
  return v;
}

void Sampler::Sample(absl::Duration now) {
  Values values = Read();
  if (!std::exchange(started_, true)) {
    for (const auto* names : {&values.gauges, &values.counters}) {
      for (const auto& [name, unused] : *names) {
        if (name == kTicks) continue;
        v1::Series& series = series_[name];
        series.set_name(name);
        series.set_unit(Unit(name));
        series.set_step_ms(static_cast<uint32_t>(absl::ToInt64Milliseconds(kStep)));
      }
    }
    before_ = std::move(values);
    last_ = now;
    return;
  }
  const double seconds = absl::ToDoubleSeconds(now - last_);
  const auto steps = static_cast<size_t>(std::lround(seconds / absl::ToDoubleSeconds(kStep)));
  if (steps == 0 || seconds <= 0) return;  // Too early: the next call covers this time too.
  const double ticks = values.counters.count(kTicks) > 0 && before_.counters.count(kTicks) > 0
                           ? values.counters[kTicks] - before_.counters[kTicks]
                           : 0;
  for (auto it = series_.begin(); it != series_.end();) {
    auto& [name, series] = *it;
    double value = 0;
    bool there = true;
    if (values.gauges.count(name) > 0) {
      value = values.gauges[name];
    } else if (values.counters.count(name) > 0) {
      // A counter may step back by a tick (iowait); a rate below 0 has no meaning.
      const double grown = std::max(0.0, values.counters[name] - before_.counters[name]);
      const bool share = series.unit() == "%";
      there = !share || ticks > 0;
      value = share ? 100 * grown / ticks : grown / seconds;
    } else {
      there = false;
    }
    if (!there) {
      warnings_.push_back(
          absl::StrCat("telemetry: ", name, " could not be read all the time: left out"));
      it = series_.erase(it);
      continue;
    }
    for (size_t i = 0; i < steps && static_cast<size_t>(series.values_size()) < kMostSteps; ++i) {
      series.add_values(value);
    }
    ++it;
  }
  before_ = std::move(values);
  last_ = now;
}

std::vector<v1::Series> Sampler::Take() {
  std::vector<v1::Series> all;
  for (auto& [name, series] : series_) {
    if (series.values_size() > 0) all.push_back(std::move(series));
  }
  series_.clear();
  return all;
}

}  // namespace shakedown::runner
