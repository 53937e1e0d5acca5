#include "agent/runner/setup/fingerprint.h"

#include <cpuid.h>
#include <dirent.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/runner/setup/kernel_config.h"
#include "agent/runner/telemetry/proc_text.h"
#include "agent/runner/version.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::runner {
namespace {

class Facts {
 public:
  explicit Facts(v1::Fingerprint& fingerprint) : facts_(*fingerprint.mutable_facts()) {}

  void Set(const std::string& name, absl::string_view value) {
    // A kernel under test wrote it: bound it and keep it printable.
    std::string clean(absl::StripAsciiWhitespace(value.substr(0, 2000)));
    std::replace_if(
        clean.begin(), clean.end(), [](char c) { return !absl::ascii_isprint(c); }, '?');
    facts_[name] = clean;
  }

  void File(const std::string& name, const std::string& path) {
    const absl::StatusOr<std::string> text = ReadFile(path, 1 << 16);
    if (!absl::IsNotFound(text.status())) Set(name, text.ok() ? *text : "");
  }

 private:
  google::protobuf::Map<std::string, std::string>& facts_;
};

std::string Signature() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kHypervisorPresent = 1u << 31;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & kHypervisorPresent) == 0) return "none";
  __cpuid(0x40000000, a, b, c, d);
  char name[13] = {};
  std::memcpy(name, &b, 4);
  std::memcpy(name + 4, &c, 4);
  std::memcpy(name + 8, &d, 4);
  return name;
}

void AddCpu(Facts& facts) {
  const absl::StatusOr<std::string> info = ReadFile("/proc/cpuinfo", 16 << 20);
  facts.Set("cpu.model", info.ok() ? FieldOf(*info, "model name") : "");
  facts.Set("cpu.microcode", info.ok() ? FieldOf(*info, "microcode") : "");
  facts.File("cpu.online", "/sys/devices/system/cpu/online");
  facts.File("cpu.smt", "/sys/devices/system/cpu/smt/active");
  facts.File("cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.Set("hypervisor", Signature());
}

void AddMemory(Facts& facts) {
  const absl::StatusOr<std::string> info = ReadFile("/proc/meminfo", 1 << 16);
  for (const auto& [name, key] : {std::pair("memory_kib", "MemTotal"), {"swap_kib", "SwapTotal"}}) {
    const absl::StatusOr<uint64_t> kib = MeminfoKib(info.ok() ? *info : "", key);
    facts.Set(name, kib.ok() ? absl::StrCat(*kib) : "");
  }
}

void AddMitigations(Facts& facts) {
  const std::string folder = "/sys/devices/system/cpu/vulnerabilities";
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  std::vector<std::string> lines;
  while (const dirent* entry = readdir(entries)) {
    if (entry->d_name[0] == '.') continue;
    const absl::StatusOr<std::string> text =
        ReadFile(absl::StrCat(folder, "/", entry->d_name), 4096);
    lines.push_back(absl::StrCat(entry->d_name, ": ",
                                 text.ok() ? absl::StripAsciiWhitespace(*text) : "unreadable"));
  }
  closedir(entries);
  std::sort(lines.begin(), lines.end());
  facts.Set("mitigations", absl::StrJoin(lines, "; "));
}

void AddKernel(Facts& facts) {
  facts.File("clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.File("autogroup", "/proc/sys/kernel/sched_autogroup_enabled");
  facts.File("kernel.preempt_mode", "/sys/kernel/debug/sched/preempt");
  const absl::StatusOr<std::string> packed = ReadFile("/proc/config.gz", 4 << 20);
  if (!packed.ok()) return;
  const absl::StatusOr<std::string> config = Gunzip(*packed);
  if (!config.ok()) return;
  for (const auto& [name, value] : ConfigFacts(*config)) facts.Set(name, value);
}

void AddToolchain(Facts& facts) {
  Command gcc;
  gcc.argv = {"gcc", "-dumpfullversion"};
  gcc.limit = absl::Seconds(30);
  const absl::StatusOr<std::string> version = RunForOutput(gcc);
  if (!absl::IsNotFound(version.status())) facts.Set("gcc", version.ok() ? *version : "");
  facts.Set("latt.zlib", zlibVersion());
  facts.Set("runner.version", kVersion);
}

}  // namespace

v1::Fingerprint ReadFingerprint() {
  v1::Fingerprint fingerprint;
  Facts facts(fingerprint);
  AddCpu(facts);
  AddMemory(facts);
  AddKernel(facts);
  AddMitigations(facts);
  AddToolchain(facts);
  return fingerprint;
}

}  // namespace shakedown::runner
