#include "agent/runner/telemetry/sampler.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/telemetry/proc_text.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

constexpr int kMostSteps = 24 * 3600;  // A series is at most a day long.

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

void Sampler::ReadCpu(Values& v) {
  const absl::StatusOr<std::string> text = reader_("/proc/stat");
  const absl::StatusOr<CpuCounters> cpu = ParseProcStat(text.ok() ? *text : "");
  if (!cpu.ok()) return;
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

void Sampler::ReadMemory(Values& v) {
  const absl::StatusOr<std::string> meminfo = reader_("/proc/meminfo");
  for (const auto& [name, key] : {std::pair("vmstat.free", "MemFree"),
                                  {"vmstat.buff", "Buffers"},
                                  {"vmstat.cache", "Cached"}}) {
    const absl::StatusOr<uint64_t> kib = MeminfoKib(meminfo.ok() ? *meminfo : "", key);
    if (kib.ok()) v.gauges[name] = static_cast<double>(*kib);
  }
  const absl::StatusOr<std::string> vmstat = reader_("/proc/vmstat");
  const double page_kib = static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
  // pgpgin and pgpgout count KiB, pswpin and pswpout pages.
  for (const auto& [name, key, kib] : {std::tuple("vmstat.bi", "pgpgin", 1.0),
                                       {"vmstat.bo", "pgpgout", 1.0},
                                       {"vmstat.si", "pswpin", page_kib},
                                       {"vmstat.so", "pswpout", page_kib}}) {
    const absl::StatusOr<uint64_t> count = VmstatCounter(vmstat.ok() ? *vmstat : "", key);
    if (count.ok()) v.counters[name] = kib * static_cast<double>(*count);
  }
}

void Sampler::ReadWaiting(Values& v) {
  for (const std::string resource : {"cpu", "io", "memory"}) {
    const absl::StatusOr<std::string> text = reader_("/proc/pressure/" + resource);
    const absl::StatusOr<Pressure> pressure = ParsePressure(text.ok() ? *text : "");
    if (!pressure.ok()) continue;
    v.gauges[absl::StrCat("psi.", resource, ".some.avg10")] = pressure->avg10;
    v.counters[absl::StrCat("psi.", resource, ".some.stall")] =
        static_cast<double>(pressure->total_us) / 1e3;
  }
  const absl::StatusOr<std::string> text = reader_("/proc/schedstat");
  const absl::StatusOr<absl::Duration> delay = TotalRunDelay(text.ok() ? *text : "");
  if (delay.ok()) v.counters["sched.run_delay"] = absl::ToDoubleMilliseconds(*delay);
}

Sampler::Values Sampler::Read() {
  Values v;
  ReadCpu(v);
  ReadMemory(v);
  ReadWaiting(v);
  return v;
}

void Sampler::Start(const Values& values) {
  for (const auto* sources : {&values.gauges, &values.counters}) {
    for (const auto& [name, unused] : *sources) {
      if (name == kTicks) continue;
      v1::Series& series = series_[name];
      series.set_name(name);
      series.set_unit(Unit(name));
      series.set_step_ms(static_cast<uint32_t>(absl::ToInt64Milliseconds(kStep)));
    }
  }
}

std::optional<double> Sampler::ValueOf(const v1::Series& series, const Values& now,
                                       double seconds) const {
  if (const auto gauge = now.gauges.find(series.name()); gauge != now.gauges.end()) {
    return gauge->second;
  }
  // By how much a counter has grown. It may step back by a tick (iowait): a rate below 0 has no
  // meaning.
  const auto growth = [&](const std::string& name) -> std::optional<double> {
    const auto counter = now.counters.find(name);
    const auto before = before_.counters.find(name);
    if (counter == now.counters.end() || before == before_.counters.end()) return std::nullopt;
    return std::max(0.0, counter->second - before->second);
  };
  const std::optional<double> grown = growth(series.name());
  if (!grown || series.unit() != "%") return grown ? std::optional(*grown / seconds) : std::nullopt;
  const std::optional<double> ticks = growth(kTicks);
  if (!ticks || *ticks == 0) return std::nullopt;
  return 100 * *grown / *ticks;
}

void Sampler::Sample(absl::Duration now) {
  Values values = Read();
  const bool first = !std::exchange(started_, true);
  if (first) Start(values);
  const double seconds = first ? 0 : absl::ToDoubleSeconds(now - last_);
  const long steps = std::lround(seconds / absl::ToDoubleSeconds(kStep));
  if (!first && steps <= 0) return;  // Too early: the next call covers this time too.
  for (auto it = series_.begin(); !first && it != series_.end();) {
    v1::Series& series = it->second;
    const std::optional<double> value = ValueOf(series, values, seconds);
    if (!value) {
      warnings_.push_back(
          absl::StrCat("telemetry: ", series.name(), " could not be read all the time: left out"));
      it = series_.erase(it);
      continue;
    }
    for (long i = 0; i < steps && series.values_size() < kMostSteps; ++i) series.add_values(*value);
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
