#include "controller/cli/doctor/examine.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
// A guest image, a kernel's build tree with its objects, a database, some artefacts.
constexpr uint64_t kWantDisk = 15 * kGiB;
constexpr uint64_t kNeedDisk = 4 * kGiB;
// A guest of 1 GiB beside a controller, a database and QEMU's own.
constexpr uint64_t kNeedMemory = 3 * kGiB;

class Report {
 public:
  void Good(const std::string& name, const std::string& found) { Add(name, "good", found, ""); }
  void Note(const std::string& name, const std::string& found, const std::string& mend) {
    Add(name, "note", found, mend);
  }
  void Bad(const std::string& name, const std::string& found, const std::string& mend) {
    Add(name, "bad", found, mend);
  }
  v1::DoctorReport Take() { return std::move(report_); }

 private:
  void Add(const std::string& name, const char* level, const std::string& found,
           const std::string& mend) {
    v1::DoctorReport::Finding* finding = report_.add_findings();
    finding->set_name(name);
    finding->set_level(level);
    finding->set_found(PrintableLine(found, 300));
    finding->set_mend(mend);
  }
  v1::DoctorReport report_;
};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string Size(uint64_t bytes) {
  return absl::StrFormat("%.1f GiB", static_cast<double>(bytes) / static_cast<double>(kGiB));
}

// "MemTotal:  24643712 kB".
uint64_t MemoryOf(const std::string& meminfo) {
  for (absl::string_view line : absl::StrSplit(meminfo, '\n')) {
    if (!absl::ConsumePrefix(&line, "MemTotal:")) continue;
    uint64_t kib = 0;
    absl::ConsumeSuffix(&line, "kB");
    if (absl::SimpleAtoi(line, &kib)) return kib << 10;
  }
  return 0;
}

void Hardware(const HostProbe& probe, Report* report) {
  const std::string cpus = probe.Read("/sys/devices/system/cpu/online").value_or("");
  const size_t count = probe.Glob("/sys/devices/system/cpu/cpu[0-9]*").size();
  if (count >= 2) {
    report->Good("processors", absl::StrCat(count, ", online ", absl::StripSuffix(cpus, "\n")));
  } else {
    report->Note(
        "processors", absl::StrCat(count),
        "a guest shares its one processor with all else: numbers will be noisy; want 2 or more");
  }
  const uint64_t memory = MemoryOf(probe.Read("/proc/meminfo").value_or(""));
  if (memory >= kNeedMemory) {
    report->Good("memory", Size(memory));
  } else {
    report->Bad("memory", memory == 0 ? "not known" : Size(memory),
                "want 3 GiB or more, or smaller machines (--machine … memory=512)");
  }
}

void Kvm(const HostProbe& probe, Report* report) {
  const absl::Status works = probe.Kvm();
  if (works.ok()) {
    report->Good("KVM", "guests run on the processor");
  } else if (absl::IsPermissionDenied(works)) {
    report->Bad("KVM", std::string(works.message()), "usermod -aG kvm USER, then log in again");
  } else {
    report->Note("KVM", std::string(works.message()),
                 "machines are emulated, many times slower, and their numbers are labelled so; "
                 "turn virtualisation on "
                 "in the firmware and run modprobe kvm_intel or kvm_amd; inside a virtual machine "
                 "it is its host's to allow");
  }
}

struct Tool {
  const char* name;
  std::vector<std::string> argv;
  const char* package;
  const char* why;
};

void Tools(const HostProbe& probe, Report* report) {
  const Tool tools[] = {
      {"QEMU", {"qemu-system-x86_64", "--version"}, "qemu-system-x86", "machines"},
      {"qemu-img", {"qemu-img", "--version"}, "qemu-utils", "machines' disks"},
      {"compiler", {"gcc", "--version"}, "gcc", "kernels"},
      {"make", {"make", "--version"}, "make", "kernels"},
      {"flex", {"flex", "--version"}, "flex", "kernels"},
      {"bison", {"bison", "--version"}, "bison", "kernels"},
      {"bc", {"bc", "--version"}, "bc", "kernels"},
      {"ccache", {"ccache", "--version"}, "ccache", "kernels built again"},
      {"mmdebstrap", {"mmdebstrap", "--version"}, "mmdebstrap", "the guest image"},
      {"mke2fs", {"mke2fs", "-V"}, "e2fsprogs", "the guest image"},
  };
  for (const Tool& tool : tools) {
    const absl::StatusOr<std::string> version = probe.Run(tool.argv);
    if (version.ok()) {
      report->Good(tool.name, FirstLine(*version));
    } else {
      report->Bad(tool.name, absl::StrCat("no ", tool.argv[0], ": needed for ", tool.why),
                  absl::StrCat("apt-get install ", tool.package));
    }
  }
}

void Libvirt(const HostProbe& probe, Report* report) {
  const std::vector<std::string> driver =
      probe.Glob("/usr/lib/*/libvirt/connection-driver/libvirt_driver_qemu.so");
  if (driver.empty()) {
    report->Bad("libvirt", "its QEMU driver is not there",
                "apt-get install libvirt-daemon-driver-qemu");
  } else {
    report->Good("libvirt", driver.front());
  }
}

void Postgres(const HostProbe& probe, Report* report) {
  const std::vector<std::string> found = probe.Glob("/usr/lib/postgresql/*/bin/postgres");
  if (found.empty()) {
    report->Bad("PostgreSQL", "no server is installed",
                "apt-get install postgresql-15, or give the controller a --database elsewhere");
    return;
  }
  report->Good("PostgreSQL",
               FirstLine(probe.Run({found.back(), "--version"}).value_or(found.back())));
}

void Sandbox(const HostProbe& probe, Report* report) {
  const absl::StatusOr<std::string> tried =
      probe.Run({"bwrap", "--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", "/bin/true"});
  if (tried.ok()) {
    report->Good("sandbox", "bubblewrap works");
  } else if (absl::IsNotFound(tried.status())) {
    report->Bad("sandbox", "no bwrap: nothing is built without a sandbox",
                "apt-get install bubblewrap");
  } else {
    report->Bad("sandbox", FirstLine(std::string(tried.status().message())),
                "builds are refused: as root, sysctl kernel.unprivileged_userns_clone=1; in a "
                "container, it needs user namespaces");
  }
}

void Disk(const HostProbe& probe, const std::string& state, Report* report) {
  const absl::StatusOr<uint64_t> free = probe.FreeBytes(state);
  const std::string name = absl::StrCat("disk at ", state);
  if (!free.ok()) {
    report->Bad(name, std::string(free.status().message()), "want a folder on a disk");
  } else if (*free < kNeedDisk) {
    report->Bad(name, absl::StrCat(Size(*free), " free"),
                "free some: a guest image and one kernel's build need 4 GiB");
  } else if (*free < kWantDisk) {
    report->Note(name, absl::StrCat(Size(*free), " free"),
                 "enough to begin; several kernels want 15 GiB");
  } else {
    report->Good(name, absl::StrCat(Size(*free), " free"));
  }
}

void Clock(const HostProbe& probe, Report* report) {
  const absl::StatusOr<bool> kept = probe.ClockIsKept();
  if (kept.ok() && *kept) {
    report->Good("clock", "kept right");
  } else {
    report->Note("clock",
                 kept.ok() ? "nobody keeps it right" : std::string(kept.status().message()),
                 "durations do not depend on it, but dates and TLS do: timedatectl set-ntp true, "
                 "or apt-get install systemd-timesyncd");
  }
}

void Governor(const HostProbe& probe, Report* report) {
  std::set<std::string> governors;
  for (const std::string& path :
       probe.Glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")) {
    governors.insert(std::string(absl::StripSuffix(probe.Read(path).value_or("?"), "\n")));
  }
  if (governors.empty()) {
    report->Good("frequency", "not this system's to choose");
  } else if (governors.size() == 1 && *governors.begin() == "performance") {
    report->Good("frequency", "governor performance");
  } else {
    report->Note("frequency", absl::StrCat("governor ", absl::StrJoin(governors, ", ")),
                 "machines of this host vary with its load: --setup 'governor performance' in jobs "
                 "of laptops; here: cpupower frequency-set -g performance");
  }
}

}  // namespace

v1::DoctorReport ExamineHost(const HostProbe& probe, const std::string& state) {
  Report report;
  Hardware(probe, &report);
  Kvm(probe, &report);
  Libvirt(probe, &report);
  Postgres(probe, &report);
  Tools(probe, &report);
  Sandbox(probe, &report);
  Disk(probe, state, &report);
  Clock(probe, &report);
  Governor(probe, &report);
  return report.Take();
}

bool AnyBad(const v1::DoctorReport& report) {
  return std::any_of(
      report.findings().begin(), report.findings().end(),
      [](const v1::DoctorReport::Finding& finding) { return finding.level() == "bad"; });
}

}  // namespace shakedown::cli
