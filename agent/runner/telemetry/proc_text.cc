#include "agent/runner/telemetry/proc_text.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

using Words = std::vector<absl::string_view>;

Words SplitLine(absl::string_view line) { return absl::StrSplit(line, ' ', absl::SkipEmpty()); }

absl::StatusOr<uint64_t> Number(absl::string_view word, absl::string_view what) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(word, &number)) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", Quoted(word), ", want a number"));
  }
  return number;
}

absl::StatusOr<Words> LineOf(absl::string_view text, absl::string_view name,
                             absl::string_view file) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    Words words = SplitLine(line);
    if (!words.empty() && words[0] == name) return words;
  }
  return absl::InvalidArgumentError(absl::StrCat(file, ": no line ", name));
}

absl::StatusOr<uint64_t> Counter(absl::string_view text, absl::string_view name,
                                 absl::string_view file) {
  ASSIGN_OR_RETURN(const Words words, LineOf(text, name, file));
  const std::string what = absl::StrCat(file, ": ", name);
  if (words.size() < 2) return absl::InvalidArgumentError(absl::StrCat(what, ": no value"));
  return Number(words[1], what);
}

}  // namespace

absl::StatusOr<CpuCounters> ParseProcStat(absl::string_view text) {
  constexpr absl::string_view kFile = "/proc/stat";
  CpuCounters counters;
  ASSIGN_OR_RETURN(const Words cpu, LineOf(text, "cpu", kFile));
  uint64_t* const fields[] = {&counters.user,   &counters.nice, &counters.system,  &counters.idle,
                              &counters.iowait, &counters.irq,  &counters.softirq, &counters.steal};
  if (cpu.size() <= std::size(fields)) {
    return absl::InvalidArgumentError(
        absl::StrCat(kFile, ": cpu: ", cpu.size() - 1, " fields, want at least 8"));
  }
  for (size_t i = 0; i < std::size(fields); ++i) {
    ASSIGN_OR_RETURN(*fields[i], Number(cpu[i + 1], "/proc/stat: cpu"));
  }
  if (constexpr size_t kGuest = 9, kGuestNice = 10; cpu.size() > kGuestNice) {
    ASSIGN_OR_RETURN(const uint64_t guest, Number(cpu[kGuest], "/proc/stat: cpu guest"));
    ASSIGN_OR_RETURN(const uint64_t nice, Number(cpu[kGuestNice], "/proc/stat: cpu guest_nice"));
    counters.guest = guest + nice;
  }
  ASSIGN_OR_RETURN(counters.interrupts, Counter(text, "intr", kFile));
  ASSIGN_OR_RETURN(counters.context_switches, Counter(text, "ctxt", kFile));
  ASSIGN_OR_RETURN(counters.running, Counter(text, "procs_running", kFile));
  ASSIGN_OR_RETURN(counters.blocked, Counter(text, "procs_blocked", kFile));
  return counters;
}

absl::StatusOr<std::vector<OneCpu>> ParseCpuLines(absl::string_view text) {
  constexpr size_t kIdle = 4, kIoWait = 5, kSteal = 8;
  std::vector<OneCpu> cpus;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "cpu")) break;  // They stand first.
    const Words words = SplitLine(line);
    OneCpu one;
    if (words[0] == "cpu") continue;
    if (words.size() <= kSteal || !absl::SimpleAtoi(words[0].substr(3), &one.cpu)) {
      return absl::InvalidArgumentError(
          absl::StrCat("/proc/stat: ", Quoted(line), ", want \"cpuN\" and 8 numbers"));
    }
    for (size_t i = 1; i <= kSteal; ++i) {
      ASSIGN_OR_RETURN(const uint64_t ticks, Number(words[i], "/proc/stat: cpuN"));
      one.total += ticks;
      if (i != kIdle && i != kIoWait) one.busy += ticks;
    }
    cpus.push_back(one);
  }
  return cpus;
}

absl::StatusOr<double> IdlePercent(const CpuCounters& before, const CpuCounters& after) {
  if (after.Total() <= before.Total()) {
    return absl::FailedPreconditionError("/proc/stat: no CPU tick between two reads");
  }
  // iowait may step back between CPUs; the sum with idle hardly does, and never counts below 0.
  const uint64_t start = before.idle + before.iowait;
  const uint64_t end = after.idle + after.iowait;
  const double idle = end > start ? static_cast<double>(end - start) : 0;
  return 100 * idle / static_cast<double>(after.Total() - before.Total());
}

absl::StatusOr<uint64_t> VmstatCounter(absl::string_view text, absl::string_view name) {
  return Counter(text, name, "/proc/vmstat");
}

absl::StatusOr<Pressure> ParsePressure(absl::string_view text, absl::string_view kind) {
  ASSIGN_OR_RETURN(const Words words, LineOf(text, kind, "pressure"));
  Pressure pressure;
  bool has_average = false, has_total = false;
  for (absl::string_view word : words) {
    if (absl::ConsumePrefix(&word, "avg10=")) has_average = absl::SimpleAtod(word, &pressure.avg10);
    if (absl::ConsumePrefix(&word, "total="))
      has_total = absl::SimpleAtoi(word, &pressure.total_us);
  }
  if (has_average && has_total) return pressure;
  return absl::InvalidArgumentError(
      absl::StrCat("pressure: ", Quoted(text), ", want \"", kind, " avg10=N … total=N\""));
}

absl::StatusOr<absl::Duration> TotalRunDelay(absl::string_view text) {
  constexpr size_t kRunDelay =
      8;  // cpuN and 9 numbers: yields, 0, schedules, idles, 2 wake-ups, time, delay, slices.
  uint64_t version = 0;
  uint64_t total = 0;
  size_t cpus = 0;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    const std::string where = absl::StrCat("/proc/schedstat: line ", line_number);
    const Words words = SplitLine(line);
    if (words.size() == 2 && words[0] == "version") {
      ASSIGN_OR_RETURN(version, Number(words[1], where));
      if (version < 15 || version > 17) {
        return absl::UnimplementedError(
            absl::StrCat(where, ": version ", version, ", want 15 to 17"));
      }
    }
    if (words.empty() || !absl::StartsWith(words[0], "cpu")) continue;
    if (version == 0) return absl::InvalidArgumentError(absl::StrCat(where, ": no version before"));
    if (words.size() <= kRunDelay) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": ", words.size() - 1, " numbers, want 9"));
    }
    ASSIGN_OR_RETURN(const uint64_t delay, Number(words[kRunDelay], where));
    total += delay;
    ++cpus;
  }
  if (cpus == 0) return absl::InvalidArgumentError("/proc/schedstat: no cpu line");
  return absl::Nanoseconds(static_cast<int64_t>(total));
}

std::string FieldOf(absl::string_view text, absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, key)) continue;
    line = absl::StripLeadingAsciiWhitespace(line);
    if (absl::ConsumePrefix(&line, ":")) return std::string(absl::StripAsciiWhitespace(line));
  }
  return "";
}

absl::StatusOr<uint64_t> MeminfoKib(absl::string_view meminfo, absl::string_view key) {
  const std::string field = FieldOf(meminfo, key);
  uint64_t kib = 0;
  if (!absl::SimpleAtoi(absl::StripSuffix(field, " kB"), &kib)) {
    return absl::InvalidArgumentError(
        absl::StrCat("/proc/meminfo: ", key, ": \"", field, "\", want a number of kB"));
  }
  return kib;
}

}  // namespace shakedown::runner
