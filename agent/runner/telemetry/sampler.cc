#include "agent/runner/telemetry/sampler.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

constexpr long kLongestGap = 24 * 3600;  // Steps.
constexpr uint32_t kMostCpus = 64;       // With series of their own.
constexpr uint32_t kMostZones = 32;      // Of thermal_zoneN.

// "cpu.us" and its like are kept as ticks and become shares of "cpu.total".
constexpr char kTicks[] = "ticks";
std::string TicksOf(uint32_t cpu) { return absl::StrCat("ticks", cpu); }

}  // namespace

std::string Sampler::Unit(absl::string_view name) {
  for (absl::string_view share : {".us", ".sy", ".id", ".wa", ".st", ".gu", ".avg10", ".use"}) {
    if (absl::EndsWith(name, share)) return "%";
  }
  for (absl::string_view memory : {".swpd", ".free", ".buff", ".cache"}) {
    if (absl::EndsWith(name, memory)) return "KiB";
  }
  for (absl::string_view flow : {".si", ".so", ".bi", ".bo"}) {
    if (absl::EndsWith(name, flow)) return "KiB/s";
  }
  if (absl::EndsWith(name, ".in") || absl::EndsWith(name, ".cs")) return "1/s";
  if (absl::EndsWith(name, ".r") || absl::EndsWith(name, ".b")) return "1";
  if (absl::EndsWith(name, ".freq")) return "MHz";
  if (absl::StartsWith(name, "thermal.")) return "C";
  if (absl::StartsWith(name, "throttle.")) return "1/s";
  return "ms/s";
}

Sampler::Sampler(Reader reader) : reader_(std::move(reader)) {}
Sampler::Sampler() : Sampler([](const std::string& path) { return ReadFile(path, 4 << 20); }) {}

void Sampler::ReadCpu(Values& v) {
  const absl::StatusOr<std::string> text = reader_("/proc/stat");
  const absl::StatusOr<CpuCounters> cpu = ParseProcStat(text.ok() ? *text : "");
  cpu_ = cpu.ok() ? std::optional(*cpu) : std::nullopt;
  if (!cpu.ok()) return;
  ReadCpus(v, *text);
  v.gauges["vmstat.r"] = static_cast<double>(cpu->running);
  v.gauges["vmstat.b"] = static_cast<double>(cpu->blocked);
  v.counters["vmstat.in"] = static_cast<double>(cpu->interrupts);
  v.counters["vmstat.cs"] = static_cast<double>(cpu->context_switches);
  v.counters["vmstat.us"] = static_cast<double>(cpu->user + cpu->nice - cpu->guest.value_or(0));
  v.counters["vmstat.sy"] = static_cast<double>(cpu->system + cpu->irq + cpu->softirq);
  v.counters["vmstat.id"] = static_cast<double>(cpu->idle);
  v.counters["vmstat.wa"] = static_cast<double>(cpu->iowait);
  v.counters["vmstat.st"] = static_cast<double>(cpu->steal);
  if (cpu->guest) v.counters["vmstat.gu"] = static_cast<double>(*cpu->guest);
  v.counters[kTicks] = static_cast<double>(cpu->Total());
}

void Sampler::ReadCpus(Values& v, absl::string_view stat) {
  const absl::StatusOr<std::vector<OneCpu>> cpus = ParseCpuLines(stat);
  if (!cpus.ok()) return;
  cpus_.clear();
  for (const OneCpu& one : *cpus) {
    cpus_.push_back(one.cpu);
    if (one.cpu >= kMostCpus) continue;
    v.counters[absl::StrCat("cpu", one.cpu, ".use")] = static_cast<double>(one.busy);
    v.counters[TicksOf(one.cpu)] = static_cast<double>(one.total);
  }
}

std::optional<double> Sampler::NumberIn(const std::string& path) {
  if (absent_.count(path) > 0) return std::nullopt;
  const absl::StatusOr<std::string> text = reader_(path);
  double number = 0;
  if (text.ok() && absl::SimpleAtod(absl::StripAsciiWhitespace(*text), &number)) return number;
  if (!started_) absent_.insert(path);
  return std::nullopt;
}

void Sampler::ReadHeat(Values& v) {
  std::optional<double> core, package;
  for (const uint32_t cpu : cpus_) {
    const std::string folder = absl::StrCat("/sys/devices/system/cpu/cpu", cpu);
    for (const auto& [sum, name] : {std::pair(&core, "core"), {&package, "package"}}) {
      const std::optional<double> count =
          NumberIn(absl::StrCat(folder, "/thermal_throttle/", name, "_throttle_count"));
      if (count) *sum = sum->value_or(0) + *count;
    }
    if (cpu >= kMostCpus) continue;
    const std::optional<double> khz = NumberIn(folder + "/cpufreq/scaling_cur_freq");
    if (khz) v.gauges[absl::StrCat("cpu", cpu, ".freq")] = *khz / 1000;
  }
  if (core) v.counters["throttle.core"] = *core;
  if (package) v.counters["throttle.package"] = *package;
  throttled_.reset();
  if (core || package) {
    throttled_ = static_cast<uint64_t>(core.value_or(0) + package.value_or(0));
  }
  for (uint32_t zone = 0; zone < kMostZones; ++zone) {
    const std::optional<double> millis =
        NumberIn(absl::StrCat("/sys/class/thermal/thermal_zone", zone, "/temp"));
    if (millis) v.gauges[absl::StrCat("thermal.zone", zone)] = *millis / 1000;
  }
}

void Sampler::ReadMemory(Values& v) {
  const absl::StatusOr<std::string> file = reader_("/proc/meminfo");
  const std::string meminfo = file.ok() ? *file : "";
  for (const auto& [name, key] :
       {std::pair("vmstat.free", "MemFree"), {"vmstat.buff", "Buffers"}}) {
    const absl::StatusOr<uint64_t> kib = MeminfoKib(meminfo, key);
    if (kib.ok()) v.gauges[name] = static_cast<double>(*kib);
  }
  const absl::StatusOr<uint64_t> total = MeminfoKib(meminfo, "SwapTotal");
  const absl::StatusOr<uint64_t> unused = MeminfoKib(meminfo, "SwapFree");
  if (total.ok() && unused.ok() && *total >= *unused) {
    v.gauges["vmstat.swpd"] = static_cast<double>(*total - *unused);
  }
  // As vmstat counts it since procps 3.3.10; kernels before 2.6.19 do not part the slabs.
  const absl::StatusOr<uint64_t> cached = MeminfoKib(meminfo, "Cached");
  const absl::StatusOr<uint64_t> slabs = MeminfoKib(meminfo, "SReclaimable");
  if (cached.ok()) {
    v.gauges["vmstat.cache"] = static_cast<double>(*cached + (slabs.ok() ? *slabs : 0));
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
    if (!text.ok()) continue;
    for (const std::string kind : {"some", "full"}) {
      const absl::StatusOr<Pressure> pressure = ParsePressure(*text, kind);
      if (!pressure.ok()) continue;  // "full" of the CPU: since Linux 5.13.
      const std::string name = absl::StrCat("psi.", resource, ".", kind);
      v.gauges[name + ".avg10"] = pressure->avg10;
      v.counters[name + ".stall"] = static_cast<double>(pressure->total_us) / 1e3;
    }
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
  ReadHeat(v);
  return v;
}

void Sampler::Start(const Values& values) {
  for (const auto* sources : {&values.gauges, &values.counters}) {
    for (const auto& [name, unused] : *sources) {
      if (absl::StartsWith(name, kTicks)) continue;
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
  absl::string_view cpu = series.name();
  uint32_t number = 0;
  const bool single = absl::ConsumePrefix(&cpu, "cpu") && absl::ConsumeSuffix(&cpu, ".use") &&
                      absl::SimpleAtoi(cpu, &number);
  const std::optional<double> ticks = growth(single ? TicksOf(number) : kTicks);
  if (!ticks) return std::nullopt;
  if (*ticks == 0) return single ? std::optional(0.0) : std::nullopt;  // Its tick stands still.
  return std::min(100.0, 100 * *grown / *ticks);
}

void Sampler::Push(const std::string& name, v1::Series& series, double value) {
  auto& [sum, count] = open_[name];
  sum += value;
  if (++count < folded_) return;
  series.add_values(sum / static_cast<double>(count));
  sum = 0;
  count = 0;
}

// All series are equally long, so all are full at one time.
void Sampler::Fold() {
  if (series_.empty() || series_.begin()->second.values_size() < kMostSteps) return;
  folded_ *= 2;
  for (auto& [name, series] : series_) {
    v1::Series half;
    for (int i = 0; i + 1 < series.values_size(); i += 2) {
      half.add_values((series.values(i) + series.values(i + 1)) / 2);
    }
    series.mutable_values()->Swap(half.mutable_values());
    series.set_step_ms(2 * series.step_ms());
  }
}

void Sampler::Sample(absl::Duration now) {
  Values values = Read();
  const bool first = !std::exchange(started_, true);
  if (first) Start(values);
  const double seconds = first ? 0 : absl::ToDoubleSeconds(now - last_);
  const long steps = std::lround(seconds / absl::ToDoubleSeconds(kStep));
  if (!first && steps <= 0) return;  // Too early: the next call covers this time too.
  newest_.clear();
  for (auto it = series_.begin(); !first && it != series_.end();) {
    v1::Series& series = it->second;
    const std::optional<double> value = ValueOf(series, values, seconds);
    if (!value) {
      warnings_.push_back(
          absl::StrCat("telemetry: ", series.name(), " could not be read all the time: left out"));
      it = series_.erase(it);
      continue;
    }
    ++it;
    newest_.emplace_back(series.name(), *value);
  }
  for (long i = 0; i < std::min(steps, kLongestGap); ++i) {
    for (const auto& [name, value] : newest_) Push(name, series_[name], value);
    Fold();
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
