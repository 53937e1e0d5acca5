#include "agent/machine/libvirt_machine.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/machine/boot_run.h"
#include "agent/machine/domain_spec.h"
#include "agent/machine/embedded_driver.h"
#include "agent/machine/ended_boot.h"
#include "agent/machine/guest_disk.h"
#include "agent/machine/hypervisor.h"
#include "agent/machine/qemu_processes.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/kvm.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMaxSocketPath = 107;  // sockaddr_un::sun_path without its NUL.

absl::Status CheckRange(absl::string_view what, uint32_t value, uint32_t low, uint32_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " ", value, ": want ", low, " to ", high));
}

absl::Status CheckOptions(const LibvirtMachineOptions& options) {
  RETURN_IF_ERROR(CheckName("machine", options.name));
  RETURN_IF_ERROR(CheckRange("vcpus", options.vcpus, 1, 64));
  RETURN_IF_ERROR(CheckRange("memory", options.memory_mib, 128, 1 << 20));
  RETURN_IF_ERROR(EmbeddedRoot(options.uri).status());
  for (const std::string& path : {options.work_folder, options.image}) {
    if (absl::StartsWith(path, "/")) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("path ", Quoted(path), ": want an absolute path"));
  }
  const std::string socket = absl::StrCat(options.work_folder, "/", options.name, "/console.sock");
  if (socket.size() > kMaxSocketPath) {
    return absl::InvalidArgumentError(
        absl::StrCat("machine ", options.name, ": the path ", socket, " has ", socket.size(),
                     " bytes, want at most ", kMaxSocketPath, ": take a shorter state folder"));
  }
  for (const std::string& tag : options.tags) RETURN_IF_ERROR(CheckName("tag", tag));
  return CheckGuestImage(options.image);
}

std::string HostProcessor() {
  const absl::StatusOr<std::string> cpuinfo = ReadFile("/proc/cpuinfo");
  if (!cpuinfo.ok()) return {};
  for (const absl::string_view line : absl::StrSplit(*cpuinfo, '\n')) {
    if (!absl::StartsWith(line, "model name")) continue;
    return PrintableLine(line.substr(line.find(':') + 1));
  }
  return {};
}

// The recipe's key that deploy/guest/build-image writes beside the image; empty for other images.
std::string ImageKey(const std::string& image) {
  std::filesystem::path path(image);
  const absl::StatusOr<std::string> key = ReadFile(path.replace_extension(".key"), 256);
  return key.ok() ? PrintableLine(*key) : std::string();
}

class LibvirtMachine : public Machine {
 public:
  LibvirtMachine(LibvirtMachineOptions options, bool kvm, Clock& clock)
      : options_(std::move(options)),
        kvm_(kvm),
        clock_(clock),
        folder_(absl::StrCat(options_.work_folder, "/", options_.name)),
        // '@' is in no machine's name, so that "vm1" never takes what belongs to "vm10".
        prefix_(absl::StrCat("shakedown-", options_.name, "@")) {
    info_.name = options_.name;
    info_.tags = {"vm", kvm_ ? "kvm" : "tcg"};
    info_.tags.insert(info_.tags.end(), options_.tags.begin(), options_.tags.end());
    info_.facts = {{"accelerator", kvm_ ? "kvm" : "tcg"},
                   {"vcpus", absl::StrCat(options_.vcpus)},
                   {"memory_mib", absl::StrCat(options_.memory_mib)},
                   {"image", ImageKey(options_.image)},
                   {"host_cpu", HostProcessor()},
                   {"libvirt", options_.uri}};
  }
  ~LibvirtMachine() override {
    if (lock_ >= 0) close(lock_);
  }

  const MachineInfo& Info() const override { return info_; }

  std::string Problem() const override {
    return PrintableLine(CheckGuestImage(options_.image).message(), 400);
  }

  absl::StatusOr<v1::BootResult> RunBoot(const v1::BootOrder& order, const KernelFiles& files,
                                         const BootHooks& hooks) override {
    const absl::Status kernel = CheckKernelImage(files.image);
    if (absl::IsInvalidArgument(kernel)) return BootFailed(order, kernel);
    RETURN_IF_ERROR(kernel);
    const absl::StatusOr<std::string> line = CommandLine(order, kvm_);
    if (!line.ok()) return BootFailed(order, line.status());
    RETURN_IF_ERROR(Prepare());
    RETURN_IF_ERROR(CheckGuestImage(options_.image));
    DomainSpec spec = SpecOf(files, *line);
    RETURN_IF_ERROR(AddInputs(order, files, spec));
    absl::StatusOr<v1::BootResult> result = Boot(order, spec, hooks);
    const absl::Status removed = RemoveFiles();
    if (!result.ok()) {
      hypervisor_
          .reset();  // The next boot makes a new connection: libvirt may have been restarted.
      return Annotate(result.status(), absl::StrCat("machine ", options_.name));
    }
    RETURN_IF_ERROR(removed);
    AddFacts(*result);
    return result;
  }

  absl::Status CleanUp(const std::set<std::string>&) override {
    RETURN_IF_ERROR(Prepare());
    absl::StatusOr<std::vector<std::string>> left = hypervisor_->List(prefix_, folder_);
    RETURN_IF_ERROR(left.status());
    absl::Status first;
    for (const std::string& name : *left) first.Update(hypervisor_->Remove(name));
    first.Update(EndQemuProcesses(prefix_, folder_, clock_));
    first.Update(RemoveFiles());
    return Annotate(first, absl::StrCat("machine ", options_.name, ": clean up"));
  }

 private:
  DomainSpec SpecOf(const KernelFiles& files, const std::string& command_line) const {
    DomainSpec spec;
    // The same for each boot: libvirt keeps one log for each name.
    spec.name = absl::StrCat(prefix_, "boot");
    spec.kvm = kvm_;
    spec.vcpus = options_.vcpus;
    spec.memory_mib = options_.memory_mib;
    spec.kernel = files.image;
    spec.initramfs = files.initramfs;
    spec.command_line = command_line;
    spec.overlay = absl::StrCat(folder_, "/overlay.qcow2");
    spec.image = options_.image;
    spec.console_socket = absl::StrCat(folder_, "/console.sock");
    spec.runner_socket = absl::StrCat(folder_, "/runner.sock");
    return spec;
  }

  static absl::Status AddInputs(const v1::BootOrder& order, const KernelFiles& files,
                                DomainSpec& spec) {
    if (files.input_disks.size() != static_cast<size_t>(order.inputs_size())) {
      return absl::InternalError(absl::StrCat("boot ", order.name(), ": ", order.inputs_size(),
                                              " inputs and ", files.input_disks.size(), " disks"));
    }
    for (int i = 0; i < order.inputs_size(); ++i) {
      spec.inputs.push_back({files.input_disks[static_cast<size_t>(i)], SerialOf(order.inputs(i))});
    }
    return absl::OkStatus();
  }

  absl::StatusOr<v1::BootResult> Boot(const v1::BootOrder& order, const DomainSpec& spec,
                                      const BootHooks& hooks) {
    RETURN_IF_ERROR(hypervisor_->Remove(spec.name));
    RemoveLog(spec.name);
    RETURN_IF_ERROR(MakeOverlay(options_.image, spec.overlay));
    const bool other_user = absl::StrContains(options_.uri, ":///system");
    BootRun run(order, spec, other_user, options_.silence_limit, hooks, HostWatch(prefix_, folder_),
                *hypervisor_, clock_);
    return run.Run();
  }

  static v1::BootResult BootFailed(const v1::BootOrder& order, const absl::Status& why) {
    return EndedBoot(order, v1::OUTCOME_BOOT_FAILED, why.message());
  }

  // The last boot's log of an embedded driver, which would only grow. The others' are rotated.
  void RemoveLog(const std::string& name) const {
    const absl::StatusOr<std::string> root = EmbeddedRoot(options_.uri);
    if (!root.ok() || root->empty()) return;
    unlink(absl::StrCat(*root, "/log/qemu/", name, ".log").c_str());
  }

  // The folder, the lock on it, the connection.
  absl::Status Prepare() {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) return ErrnoStatus(error.value(), folder_);
    RETURN_IF_ERROR(Lock());
    if (hypervisor_ != nullptr) return absl::OkStatus();
    absl::StatusOr<std::unique_ptr<Hypervisor>> hypervisor = ConnectHypervisor(options_.uri);
    RETURN_IF_ERROR(Annotate(hypervisor.status(), absl::StrCat("machine ", options_.name)));
    hypervisor_ = *std::move(hypervisor);
    return absl::OkStatus();
  }

  absl::Status Lock() {
    if (lock_ >= 0) return absl::OkStatus();
    const std::string path = absl::StrCat(folder_, "/lock");
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return ErrnoStatus(errno, path);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      close(fd);
      return absl::FailedPreconditionError(absl::StrCat(
          "machine ", options_.name, ": another process drives it (", path, " is locked)"));
    }
    lock_ = fd;
    return absl::OkStatus();
  }

  absl::Status RemoveFiles() {
    for (const char* name : {"overlay.qcow2", "console.sock", "runner.sock"}) {
      const std::string path = absl::StrCat(folder_, "/", name);
      if (unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, path);
    }
    return absl::OkStatus();
  }

  // What is known here is told by us, whatever the guest says.
  void AddFacts(v1::BootResult& result) const {
    auto& facts = *result.mutable_fingerprint()->mutable_facts();
    for (const auto& [name, value] : info_.facts) {
      if (name != "libvirt") facts[absl::StrCat("vm.", name)] = value;
    }
  }

  const LibvirtMachineOptions options_;
  const bool kvm_;
  Clock& clock_;
  const std::string folder_, prefix_;
  MachineInfo info_;
  std::unique_ptr<Hypervisor> hypervisor_;
  int lock_ = -1;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Machine>> MakeLibvirtMachine(LibvirtMachineOptions options,
                                                            Clock& clock) {
  RETURN_IF_ERROR(CheckOptions(options));
  using Accelerator = LibvirtMachineOptions::Accelerator;
  bool kvm = false;
  if (options.accelerator != Accelerator::kTcg) {
    const absl::Status works = CheckKvm();
    kvm = works.ok();
    if (!kvm && options.accelerator == Accelerator::kKvm) {
      return absl::FailedPreconditionError(
          absl::StrCat("machine ", options.name, ": KVM: ", std::string(works.message())));
    }
  }
  return std::make_unique<LibvirtMachine>(std::move(options), kvm, clock);
}

}  // namespace shakedown::agent
