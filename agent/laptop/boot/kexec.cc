#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/boot_loader.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

// The running kernel holds the next one in memory: gone after any reset, so it can start but once.
class Kexec : public BootLoader {
 public:
  Kexec(std::string root, Host& host) : root_(std::move(root)), host_(host) {}

  std::string Name() const override { return "kexec"; }
  std::string Folder() const override { return root_ + "/boot"; }
  Host::RebootKind Way() const override { return Host::RebootKind::kKexec; }

  std::string Problem() const override {
    if (!Exists(root_ + "/sbin/kexec") && !Exists(root_ + "/usr/sbin/kexec")) {
      return "/usr/sbin/kexec: not there, want the package kexec-tools";
    }
    if (SecureBootIsOn(root_)) {
      return "Secure Boot is on: kexec is locked down; turn it off in the firmware's setup";
    }
    if (Value("/sys/kernel/kexec_loaded").empty()) {
      return "/sys/kernel/kexec_loaded: not there: the running kernel has no kexec";
    }
    if (Value("/proc/sys/kernel/kexec_load_disabled") == "1") {
      return "/proc/sys/kernel/kexec_load_disabled: is 1 until the next reboot, want 0";
    }
    const std::string lockdown = Value("/sys/kernel/security/lockdown");
    if (absl::StrContains(lockdown, "[integrity]") ||
        absl::StrContains(lockdown, "[confidentiality]")) {
      return absl::StrCat("/sys/kernel/security/lockdown: is ", PrintableLine(lockdown),
                          ", want [none]");
    }
    if (Loaded() && !Exists(Mark())) {
      return "/sys/kernel/kexec_loaded: is 1: somebody else has loaded a kernel (kexec -u)";
    }
    return "";
  }

  absl::Status AddEntry(const BootEntry&) override { return absl::OkStatus(); }

  absl::Status ArmOnce(const BootEntry& entry) override {
    RETURN_IF_ERROR(Disarm());
    RETURN_IF_ERROR(ReplaceFile(host_.disk(), Mark(), entry.attempt_id, 0644));
    Tool tool{.argv = {"kexec", "-a", "-l", entry.image,
                       absl::StrCat("--command-line=", entry.command_line)}};
    if (!entry.initramfs.empty()) {
      tool.argv.push_back(absl::StrCat("--initrd=", entry.initramfs));
    }
    return host_.Run(tool).status();
  }

  absl::StatusOr<std::string> ReadArmed() override {
    return Loaded() ? Value("/run/shakedown-kexec") : std::string();
  }

  absl::Status Disarm() override {
    if (!Exists(Mark())) return absl::OkStatus();
    if (Loaded()) RETURN_IF_ERROR(host_.Run({.argv = {"kexec", "-u"}}).status());
    return host_.disk().Remove(Mark());
  }

  absl::Status RemoveEntry() override { return absl::OkStatus(); }

 private:
  std::string Value(const char* path) const {
    const absl::StatusOr<std::string> text = ReadFile(absl::StrCat(root_, path), 4096);
    return text.ok() ? std::string(absl::StripAsciiWhitespace(*text)) : std::string();
  }
  bool Loaded() const { return Value("/sys/kernel/kexec_loaded") == "1"; }

  // Says that the loaded kernel is ours; in /run it is as short-lived as that.
  std::string Mark() const { return root_ + "/run/shakedown-kexec"; }

  const std::string root_;
  Host& host_;
};

}  // namespace

std::unique_ptr<BootLoader> MakeKexec(const std::string& root, Host& host) {
  return std::make_unique<Kexec>(std::string(absl::StripSuffix(root, "/")), host);
}

}  // namespace shakedown::laptop
