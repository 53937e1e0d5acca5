#include "controller/cli/doctor/examine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "absl/strings/match.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;

// A host in good health until a test makes it ill.
class FakeHost : public HostProbe {
 public:
  std::map<std::string, std::string> files = {
      {"/sys/devices/system/cpu/online", "0-3\n"},
      {"/proc/meminfo", "MemTotal:       16384000 kB\nMemFree: 1 kB\n"}};
  std::map<std::string, std::vector<std::string>> globs = {
      {"/sys/devices/system/cpu/cpu[0-9]*", {"cpu0", "cpu1", "cpu2", "cpu3"}},
      {"/usr/lib/*/libvirt/connection-driver/libvirt_driver_qemu.so",
       {"/usr/lib/x/libvirt/connection-driver/libvirt_driver_qemu.so"}},
      {"/usr/lib/postgresql/*/bin/postgres", {"/usr/lib/postgresql/15/bin/postgres"}},
  };
  std::set<std::string> missing;  // Programs.
  bool kept = true;
  uint64_t free = uint64_t{100} << 30;
  absl::Status sandbox, kvm;

  absl::StatusOr<std::string> Read(const std::string& path) const override {
    const auto found = files.find(path);
    if (found == files.end()) return absl::NotFoundError(path);
    return found->second;
  }
  absl::Status Kvm() const override { return kvm; }
  std::vector<std::string> Glob(const std::string& pattern) const override {
    const auto found = globs.find(pattern);
    return found == globs.end() ? std::vector<std::string>() : found->second;
  }
  absl::StatusOr<std::string> Run(const std::vector<std::string>& argv) const override {
    if (missing.count(argv[0]) > 0) return absl::NotFoundError(argv[0]);
    if (argv[0] == "bwrap" && !sandbox.ok()) return sandbox;
    return argv[0] + " version 1.2\nmore\n";
  }
  absl::StatusOr<uint64_t> FreeBytes(const std::string&) const override { return free; }
  absl::StatusOr<bool> ClockIsKept() const override { return kept; }
};

v1::DoctorReport::Finding Of(const FakeHost& host, const std::string& name) {
  const v1::DoctorReport report = ExamineHost(host, "/var/lib/shakedown");
  for (const v1::DoctorReport::Finding& finding : report.findings()) {
    if (absl::StartsWith(finding.name(), name)) return finding;
  }
  ADD_FAILURE() << "no finding " << name;
  return {};
}

TEST(ExamineHost, FindsNothingWrongWithAGoodOne) {
  const v1::DoctorReport report = ExamineHost(FakeHost(), "/x");
  for (const v1::DoctorReport::Finding& finding : report.findings()) {
    EXPECT_EQ(finding.level(), "good") << finding.ShortDebugString();
    EXPECT_EQ(finding.mend(), "");
  }
  EXPECT_FALSE(AnyBad(ExamineHost(FakeHost(), "/x")));
  EXPECT_EQ(Of(FakeHost(), "QEMU").found(), "qemu-system-x86_64 version 1.2");
}

TEST(ExamineHost, TellsSlowFromBroken) {
  FakeHost host;
  host.kvm = absl::NotFoundError("/dev/kvm: No such file or directory");
  EXPECT_EQ(Of(host, "KVM").level(), "note");
  EXPECT_FALSE(AnyBad(ExamineHost(host, "/x")));
  host.kvm = absl::PermissionDeniedError("/dev/kvm: Permission denied");
  EXPECT_EQ(Of(host, "KVM").level(), "bad");
  EXPECT_THAT(Of(host, "KVM").mend(), HasSubstr("usermod -aG kvm"));
}

TEST(ExamineHost, NamesThePackageOfWhatIsMissing) {
  FakeHost host;
  host.missing = {"flex", "bwrap"};
  host.globs.erase("/usr/lib/postgresql/*/bin/postgres");
  EXPECT_EQ(Of(host, "flex").mend(), "apt-get install flex");
  EXPECT_EQ(Of(host, "sandbox").mend(), "apt-get install bubblewrap");
  EXPECT_THAT(Of(host, "PostgreSQL").mend(), HasSubstr("postgresql-15"));
  host.missing.clear();
  host.sandbox = absl::InternalError("bwrap: exit code 1: No permissions to create new namespace");
  EXPECT_THAT(Of(host, "sandbox").mend(), HasSubstr("unprivileged_userns_clone"));
}

TEST(ExamineHost, CountsDiskMemoryAndProcessors) {
  FakeHost host;
  host.free = uint64_t{5} << 30;
  EXPECT_EQ(Of(host, "disk").level(), "note");
  host.free = uint64_t{1} << 30;
  EXPECT_EQ(Of(host, "disk").level(), "bad");
  host.files["/proc/meminfo"] = "MemTotal:  1000000 kB\n";
  EXPECT_EQ(Of(host, "memory").level(), "bad");
  host.files["/proc/meminfo"] = "nonsense";
  EXPECT_EQ(Of(host, "memory").found(), "not known");
  host.globs["/sys/devices/system/cpu/cpu[0-9]*"] = {"cpu0"};
  EXPECT_EQ(Of(host, "processors").level(), "note");
  host.kept = false;
  EXPECT_EQ(Of(host, "clock").level(), "note");
}

TEST(ExamineHost, SaysWhichGovernorsThereAre) {
  FakeHost host;
  const std::string pattern = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor";
  host.globs[pattern] = {"/a", "/b"};
  host.files["/a"] = "powersave\n";
  host.files["/b"] = "performance\n";
  EXPECT_EQ(Of(host, "frequency").found(), "governor performance, powersave");
  host.files["/a"] = "performance\n";
  EXPECT_EQ(Of(host, "frequency").level(), "good");
}

}  // namespace
}  // namespace shakedown::cli
