// Real boots of a real kernel in a real virtual machine.
//   SHAKEDOWN_TEST_KERNEL  a bzImage of the guest configuration
//   SHAKEDOWN_TEST_IMAGE   the guest image with the runner
//   SHAKEDOWN_TEST_INITRAMFS  of a ready kernel; none when not set
//   SHAKEDOWN_TEST_URI     another libvirt URI than the embedded driver's
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/inputs/tree_disk.h"
#include "agent/machine/libvirt_machine.h"
#include "agent/machine/qemu_processes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "6.1.192" and "#1 SMP …" of a bzImage: Documentation/arch/x86/boot.rst, kernel_version.
v1::ExpectedIdentity IdentityOf(const std::string& kernel) {
  const std::string image = ReadFile(kernel).value();
  const auto low = static_cast<unsigned char>(image[0x20E]);
  const auto high = static_cast<unsigned char>(image[0x20F]);
  const std::string text = image.c_str() + 0x200 + low + 256 * high;
  v1::ExpectedIdentity identity;
  identity.set_release(text.substr(0, text.find(' ')));
  identity.set_version(text.substr(text.find('#')));
  return identity;
}

class LibvirtMachineTest : public testing::Test {
 protected:
  void SetUp() override {
    files_.image = Environment("SHAKEDOWN_TEST_KERNEL");
    files_.initramfs = Environment("SHAKEDOWN_TEST_INITRAMFS");
    image_ = Environment("SHAKEDOWN_TEST_IMAGE");
    if (files_.image.empty() || image_.empty()) {
      GTEST_SKIP() << "SHAKEDOWN_TEST_KERNEL and SHAKEDOWN_TEST_IMAGE are not set";
    }
    // libvirt's embedded driver takes one root in the life of a process, so the tests share theirs.
    // A child process works in the folder that its parent gives it.
    folder_ = Environment("SHAKEDOWN_TEST_FOLDER");
    if (folder_.empty()) {
      char path[] = "/tmp/shakedown-e2e-XXXXXX";
      if (shared_folder_.empty()) shared_folder_ = mkdtemp(path);
      folder_ = shared_folder_;
    }
    order_.set_attempt_id(NewUuid());
    order_.set_name("1.1A");
    order_.set_epoch(7);
    *order_.mutable_expected() = IdentityOf(files_.image);
    order_.set_boot_limit_s(120);
    order_.set_run_limit_s(300);
    hooks_.progress = [this](absl::string_view phase, float fraction) {
      EXPECT_GE(fraction, 0);
      EXPECT_LE(fraction, 1);
      if (on_phase_) on_phase_(std::string(phase));
    };
    hooks_.console = [this](absl::string_view bytes) { absl::StrAppend(&console_, bytes); };
    hooks_.cancel = &cancel_;
    machine_ = Make();
  }

  void TearDown() override {
    if (machine_ == nullptr) return;
    EXPECT_TRUE(machine_->CleanUp({}).ok());
    EXPECT_TRUE(FindQemuProcesses("shakedown-vm1@", folder_).empty());
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/w/vm1")) {
      left.push_back(entry.path().filename());
    }
    EXPECT_THAT(left, testing::ElementsAre("lock"));
  }

  static void TearDownTestSuite() {
    if (!shared_folder_.empty()) std::filesystem::remove_all(shared_folder_);
  }

  // The same program as another process, running one of the disabled "tests" in `folder`.
  static pid_t StartChild(const std::string& name, const std::string& folder) {
    const std::string filter = absl::StrCat("--gtest_filter=*DISABLED_", name);
    setenv("SHAKEDOWN_TEST_FOLDER", folder.c_str(), 1);
    const pid_t child = fork();
    if (child == 0) {
      // What a child that is to fail says must not read as a failure of the test.
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDOUT_FILENO);
      execl("/proc/self/exe", "e2e", "--gtest_also_run_disabled_tests", filter.c_str(), nullptr);
      _exit(127);
    }
    unsetenv("SHAKEDOWN_TEST_FOLDER");
    return child;
  }

  std::unique_ptr<Machine> Make() {
    LibvirtMachineOptions options;
    options.name = "vm1";
    options.uri = Environment("SHAKEDOWN_TEST_URI");
    if (options.uri.empty()) options.uri = absl::StrCat("qemu:///embed?root=", folder_, "/libvirt");
    options.silence_limit = silence_;
    options.memory_mib = 512;
    options.image = image_;
    options.work_folder = folder_ + "/w";
    absl::StatusOr<std::unique_ptr<Machine>> machine = MakeLibvirtMachine(options, SystemClock());
    EXPECT_TRUE(machine.ok()) << machine.status();
    return *std::move(machine);
  }

  // latt around one short command.
  void AddLatt(std::vector<std::string> command) {
    v1::LattLoad* latt = order_.add_loads()->mutable_latt();
    latt->set_clients(2);
    for (std::string& word : command) latt->add_command(std::move(word));
  }

  // Gives the guest a tree as a disk.
  void AddInput(const std::string& name, const std::vector<fakes::TarItem>& items) {
    const std::string tar = absl::StrCat(folder_, "/", name, ".tar");
    fakes::WriteTar(tar, items);
    v1::Input* input = order_.add_inputs();
    input->set_name(name);
    input->mutable_archive()->set_sha256(Sha256File(tar).value());
    const std::string unpacked = absl::StrCat(folder_, "/", name), disk = unpacked + ".img";
    ASSERT_TRUE(std::filesystem::create_directory(unpacked));
    const absl::StatusOr<UnpackedTree> tree = UnpackTree(tar, unpacked, {}, nullptr);
    ASSERT_TRUE(tree.ok()) << tree.status();
    ASSERT_EQ(MakeTreeDisk(*tree, input->archive().sha256(), disk, nullptr), absl::OkStatus());
    files_.input_disks.push_back(disk);
  }

  absl::StatusOr<v1::BootResult> Boot() {
    absl::StatusOr<v1::BootResult> result = machine_->RunBoot(order_, files_, hooks_);
    if (result.ok()) {
      EXPECT_EQ(result->attempt_id(), order_.attempt_id());
      EXPECT_EQ(result->epoch(), 7);
      EXPECT_LE(result->console_tail().size(), 4096u);
    }
    return result;
  }

  inline static std::string shared_folder_;
  KernelFiles files_;
  std::string image_, folder_, console_;
  v1::BootOrder order_;
  BootHooks hooks_;
  std::atomic<bool> cancel_ = false;
  std::function<void(const std::string&)> on_phase_;
  absl::Duration silence_ = absl::Seconds(120);
  std::unique_ptr<Machine> machine_;
};

TEST_F(LibvirtMachineTest, BootsProvesAndMeasures) {
  std::vector<std::string> phases;
  on_phase_ = [&](const std::string& phase) {
    if (phases.empty() || phases.back() != phase) phases.push_back(phase);
  };
  int most_samples = 0, last_samples = -1;
  hooks_.live = [&](const v1::LiveTelemetry& live) {
    last_samples = live.at_ms_size();
    most_samples = std::max(most_samples, last_samples);
    EXPECT_EQ(live.lines_size() > 5, last_samples > 0);
  };
  v1::Tunable* tunable = order_.add_tunables();
  tunable->set_name("kernel.sched_autogroup_enabled");
  tunable->set_value("0");
  order_.add_boot_parameters("shakedown.mark=1");
  AddInput("linux-6.12", {{'0', "linux-6.12/Makefile", "all: vmlinux\n"}});
  AddLatt({"sh", "-ec",
           "cd /run/shakedown/inputs/linux-6.12; grep -q vmlinux Makefile; "
           "if touch x 2>/dev/null; then exit 1; fi; "
           "grep ' /run/shakedown/inputs/linux-6.12 ext4 ro,nosuid,nodev' /proc/mounts; sleep 2"});
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->outcome(), v1::OUTCOME_MEASURED) << result->reason() << "\n" << console_;
  EXPECT_EQ(result->reason(), "");
  EXPECT_EQ(result->identity().release(), order_.expected().release());
  EXPECT_EQ(result->identity().tunables(0).value(), "0");
  EXPECT_THAT(result->identity().command_line(), HasSubstr("shakedown.mark=1"));
  EXPECT_EQ(result->load_runs_size(), 1);
  EXPECT_GT(result->load_runs(0).measurements_size(), 0);
  EXPECT_GT(result->boot_ms(), 0u);
  EXPECT_EQ(result->fingerprint().facts().count("vm.accelerator"), 1u);
  EXPECT_THAT(console_, HasSubstr("Linux version"));
  EXPECT_GE(most_samples, 1) << "while the load ran";
  EXPECT_EQ(last_samples, 0) << "once it had ended";
  EXPECT_THAT(phases, testing::IsSupersetOf({"booting", "latt 1/1"}));
}

TEST_F(LibvirtMachineTest, EveryLoadGivesItsNumbers) {
  order_.set_run_limit_s(900);
  order_.add_loads()->mutable_make();
  v1::LattLoad* latt = order_.add_loads()->mutable_latt();
  latt->mutable_make();
  v1::InterbenchLoad* interbench = order_.add_loads()->mutable_interbench();
  interbench->add_benchmarks("Video");
  interbench->add_loads("Burn");
  interbench->set_seconds(10);
  Clock& clock = SystemClock();
  std::string last;
  absl::Duration since = clock.Elapsed();
  on_phase_ = [&](const std::string& phase) {
    if (phase == last) return;
    if (!last.empty()) GTEST_LOG_(INFO) << last << ": " << clock.Elapsed() - since;
    last = phase;
    since = clock.Elapsed();
  };
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->outcome(), v1::OUTCOME_MEASURED) << result->reason() << "\n" << console_;
  GTEST_LOG_(INFO) << last << ": " << clock.Elapsed() - since;
  ASSERT_EQ(result->load_runs_size(), 3);
  GTEST_LOG_(INFO) << "make said:\n" << result->load_runs(0).output();
  const std::string kinds[] = {"make.", "latt.", "interbench."};
  for (int i = 0; i < 3; ++i) {
    bool found = false;
    for (const v1::Measurement& measurement : result->load_runs(i).measurements()) {
      found |= absl::StartsWith(measurement.metric(), kinds[i]) && measurement.value() > 0;
    }
    EXPECT_TRUE(found) << result->load_runs(i).ShortDebugString().substr(0, 2000);
  }
}

TEST_F(LibvirtMachineTest, AnotherKernelIsWrongAndMeasuresNothing) {
  order_.mutable_expected()->set_release("9.9.9-not-this-one");
  AddLatt({"sleep", "1"});
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_WRONG_KERNEL);
  EXPECT_THAT(result->reason(), HasSubstr("kernel release: wanted \"9.9.9-not-this-one\", found"));
  EXPECT_EQ(result->load_runs_size(), 0);
}

TEST_F(LibvirtMachineTest, AKernelWithoutItsRootDiskFailsToBoot) {
  order_.add_boot_parameters("root=/dev/nonexistent");
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_BOOT_FAILED);
  if (files_.initramfs.empty()) {
    EXPECT_THAT(result->reason(), HasSubstr("VFS: Unable to mount root fs"));
    EXPECT_THAT(result->console_tail(), HasSubstr("Kernel panic"));
  } else {
    EXPECT_THAT(result->reason(), HasSubstr("/dev/nonexistent"));
  }
}

TEST_F(LibvirtMachineTest, APanicInMidRunIsAFinding) {
  AddLatt({"sh", "-c", "echo c > /proc/sysrq-trigger"});
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_PANICKED);
  EXPECT_EQ(result->reason(), "Kernel panic - not syncing: sysrq triggered crash");
  EXPECT_EQ(result->load_runs_size(), 0);
}

TEST_F(LibvirtMachineTest, ASilentHangAfterBootIsAHang) {
  order_.add_boot_parameters("init=/bin/cat");
  order_.set_boot_limit_s(30);
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_HUNG);
  EXPECT_THAT(result->reason(), HasSubstr("no hello from the runner within 30 s, though init was"));
}

TEST_F(LibvirtMachineTest, AGuestThatFallsSilentInMidRunHangs) {
  machine_.reset();
  silence_ = absl::Seconds(15);
  machine_ = Make();
  AddLatt({"sh", "-c", "kill -STOP -1"});  // All but process 1, so the runner's service, too.
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_HUNG);
  EXPECT_THAT(result->reason(), HasSubstr("no word from the runner for 15 s in latt 1/1"));
}

TEST_F(LibvirtMachineTest, AFullDiskOnTheHostIsTheFarmsFailure) {
  const std::string work = folder_ + "/w/vm1";
  std::filesystem::create_directories(work);
  machine_.reset();  // Its lock is in the folder that is about to be covered.
  if (mount("tmpfs", work.c_str(), "tmpfs", 0, "size=8m") != 0) {
    GTEST_SKIP() << "no right to mount a small file system";
  }
  machine_ = Make();
  AddLatt({"sh", "-c", "dd if=/dev/zero of=/big bs=1M count=64 && sync"});
  const absl::StatusOr<v1::BootResult> result = Boot();
  EXPECT_TRUE(absl::IsResourceExhausted(result.status())) << result.status();
  EXPECT_TRUE(machine_->CleanUp({}).ok());
  machine_.reset();
  EXPECT_EQ(umount(work.c_str()), 0);
}

TEST_F(LibvirtMachineTest, AFileThatIsNoKernelFailsToBoot) {
  files_.image = "/etc/hostname";
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_BOOT_FAILED);
  EXPECT_THAT(result->reason(), HasSubstr("no bzImage"));
  EXPECT_TRUE(machine_->CleanUp({}).ok());
}

TEST_F(LibvirtMachineTest, AKilledQemuIsTheFarmsFailure) {
  AddLatt({"sleep", "100"});
  on_phase_ = [&](const std::string& phase) {
    if (!absl::StartsWith(phase, "latt")) return;
    for (const pid_t pid : FindQemuProcesses("shakedown-vm1@", folder_)) kill(pid, SIGKILL);
  };
  const absl::StatusOr<v1::BootResult> result = Boot();
  EXPECT_TRUE(absl::IsUnavailable(result.status())) << result.status();
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("QEMU died in latt 1/1"));
  // And the next boot works.
  on_phase_ = nullptr;
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/w/vm1/overlay.qcow2"));
  order_.clear_loads();
  const absl::StatusOr<v1::BootResult> again = Boot();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->outcome(), v1::OUTCOME_MEASURED) << again->reason();
}

TEST_F(LibvirtMachineTest, ACancelEndsTheBootWithinSeconds) {
  absl::Time cancelled;
  on_phase_ = [&](const std::string&) {
    if (cancel_.exchange(true)) return;
    cancelled = absl::Now();
  };
  const absl::StatusOr<v1::BootResult> result = Boot();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_LT(absl::Now() - cancelled, absl::Seconds(20));
}

// Not a test: the agent that TheNextAgentEndsWhatAKilledOneLeft kills.
TEST_F(LibvirtMachineTest, DISABLED_BootsUntilKilled) {
  AddLatt({"sleep", "1000"});
  on_phase_ = [&](const std::string& phase) {
    if (phase != "latt 1/1") return;
    EXPECT_TRUE(WriteFileAtomically(folder_ + "/running", "").ok());
  };
  Boot().IgnoreError();
}

// Not a test: the agent that comes after it.
TEST_F(LibvirtMachineTest, DISABLED_CleansUp) {
  const absl::Status cleaned = machine_->CleanUp({});
  EXPECT_TRUE(cleaned.ok()) << cleaned;
}

TEST_F(LibvirtMachineTest, TheNextAgentEndsWhatAKilledOneLeft) {
  char path[] = "/tmp/shakedown-e2e-XXXXXX";
  const std::string folder = mkdtemp(path);
  const pid_t killed = StartChild("BootsUntilKilled", folder);
  Clock& clock = SystemClock();
  const absl::Duration until = clock.Elapsed() + absl::Seconds(150);
  while (!std::filesystem::exists(folder + "/running") && clock.Elapsed() < until) {
    clock.Sleep(absl::Milliseconds(100));
  }
  int code = 0;
  waitpid(StartChild("CleansUp", folder), &code, 0);
  EXPECT_NE(code, 0) << "two drive one machine";
  kill(killed, SIGKILL);
  waitpid(killed, nullptr, 0);
  ASSERT_EQ(FindQemuProcesses("shakedown-vm1@", folder).size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder + "/w/vm1/overlay.qcow2"));
  waitpid(StartChild("CleansUp", folder), &code, 0);
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(FindQemuProcesses("shakedown-vm1@", folder).empty());
  EXPECT_FALSE(std::filesystem::exists(folder + "/w/vm1/overlay.qcow2"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shakedown::agent
