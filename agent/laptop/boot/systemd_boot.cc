#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/boot_loader.h"
#include "agent/laptop/boot/firmware.h"
#include "agent/laptop/boot/mounts.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

// Without a default of its own systemd-boot takes the first of its list: entries with a sort-key
// come before those without, those in falling order of their names (before version 250: rising, and
// it takes the last). In its order of versions nothing but "~" and the end comes before "-", so
// this entry is never the one (src/boot/efi/boot.c, config_entry_compare; strverscmp_improved).
constexpr absl::string_view kPrefix = "-shakedown-";
constexpr absl::string_view kSuffix = ".conf";
constexpr absl::string_view kOneShot = "LoaderEntryOneShot";
constexpr unsigned kFeatureOneShot = 1 << 3;  // EFI_LOADER_FEATURE_ENTRY_ONESHOT.
// Where Debian, Fedora and systemd mount the partitions that systemd-boot reads.
constexpr const char* kPoints[] = {"/boot", "/efi", "/boot/efi"};

class SystemdBoot : public BootLoader {
 public:
  SystemdBoot(std::string root, Host& host) : root_(std::move(root)), disk_(host.disk()) {
    for (const char* point : kPoints) {
      if (!IsFolder(absl::StrCat(root_, point, "/loader/entries"))) continue;
      point_ = point;
      break;
    }
  }

  std::string Name() const override { return "systemd-boot"; }
  std::string Folder() const override { return root_ + point_; }
  Host::RebootKind Way() const override { return Host::RebootKind::kOrdinary; }

  std::string Problem() const override {
    if (SecureBootIsOn(root_)) {
      return "Secure Boot is on: it starts signed kernels only; turn it off in the firmware's "
             "setup";
    }
    const absl::StatusOr<std::string> info = ReadVariable(root_, "LoaderInfo", kLoaderVendor);
    if (!info.ok() || !absl::StartsWith(FromUtf16(*info), "systemd-boot")) {
      return absl::StrCat("LoaderInfo is ", Quoted(info.ok() ? FromUtf16(*info) : ""),
                          ": this machine was not booted by systemd-boot");
    }
    const absl::StatusOr<std::string> features =
        ReadVariable(root_, "LoaderFeatures", kLoaderVendor);
    if (!features.ok() || features->empty() || (features->front() & kFeatureOneShot) == 0) {
      return "LoaderFeatures: this systemd-boot can not start an entry once, want version 240";
    }
    if (point_.empty()) return "no loader/entries below /boot, /efi or /boot/efi";
    const absl::StatusOr<std::vector<Mount>> mounts = ReadMounts(root_);
    if (!mounts.ok()) return std::string(mounts.status().message());
    const absl::StatusOr<Mount> mount = MountOf(*mounts, point_);
    if (!mount.ok()) return std::string(mount.status().message());
    if (mount->point != point_ || mount->file_system != "vfat") {
      return absl::StrCat(point_, ": ", mount->file_system, " mounted at ", mount->point,
                          ", want the ESP or XBOOTLDR partition (vfat) mounted at ", point_);
    }
    if (mount->read_only) return absl::StrCat(point_, ": mounted read-only, want it writable");
    const absl::StatusOr<Mount> variables = MountOf(*mounts, "/sys/firmware/efi/efivars");
    if (!variables.ok() || variables->file_system != "efivarfs" || variables->read_only) {
      return "/sys/firmware/efi/efivars: not there or read-only, want efivarfs mounted writable";
    }
    const std::string armed = OneShot();
    if (!armed.empty() && !IsOurs(armed)) {
      return absl::StrCat("LoaderEntryOneShot is ", Quoted(armed),
                          ", set by somebody else: boot that first");
    }
    if (!HasOtherEntries()) {
      return "no other entry in loader/entries or EFI/Linux: ours would be the default";
    }
    return "";
  }

  absl::Status AddEntry(const BootEntry& entry) override {
    RETURN_IF_ERROR(RemoveEntry());
    std::string text =
        absl::StrCat("title Shakedown test kernel (one boot)\nlinux ", Inside(entry.image), "\n");
    if (!entry.initramfs.empty()) absl::StrAppend(&text, "initrd ", Inside(entry.initramfs), "\n");
    absl::StrAppend(&text, "options ", entry.command_line, "\n");
    return ReplaceFile(disk_, absl::StrCat(Entries(), "/", Id(entry.attempt_id)), text, 0644);
  }

  absl::Status ArmOnce(const BootEntry& entry) override {
    return disk_.WriteVariable(VariablePath(root_, kOneShot, kLoaderVendor),
                               VariableFile(ToUtf16(Id(entry.attempt_id))));
  }

  absl::StatusOr<std::string> ReadArmed() override {
    const std::string armed = OneShot();
    if (!IsOurs(armed)) return std::string();
    return std::string(absl::StripSuffix(absl::StripPrefix(armed, kPrefix), kSuffix));
  }

  absl::Status Disarm() override {
    if (!IsOurs(OneShot())) return absl::OkStatus();
    return disk_.RemoveVariable(VariablePath(root_, kOneShot, kLoaderVendor));
  }

  absl::Status RemoveEntry() override {
    if (point_.empty()) return absl::OkStatus();
    bool removed = false;
    for (const std::string& name : NamesIn(Entries())) {
      if (!IsOurs(name) && !IsOurs(absl::StripSuffix(name, ".shakedown-new"))) continue;
      RETURN_IF_ERROR(disk_.Remove(absl::StrCat(Entries(), "/", name)));
      removed = true;
    }
    return removed ? disk_.SyncFolder(Entries()) : absl::OkStatus();
  }

 private:
  static std::string Id(absl::string_view attempt_id) {
    return absl::StrCat(kPrefix, attempt_id, kSuffix);
  }
  static bool IsOurs(absl::string_view id) {
    return absl::StartsWith(id, kPrefix) && absl::EndsWith(id, kSuffix);
  }

  std::string Entries() const { return absl::StrCat(root_, point_, "/loader/entries"); }
  std::string Inside(const std::string& path) const {
    return path.substr(root_.size() + point_.size());
  }
  std::string OneShot() const {
    const absl::StatusOr<std::string> value = ReadVariable(root_, kOneShot, kLoaderVendor);
    return value.ok() ? FromUtf16(*value) : "";
  }

  static std::vector<std::string> NamesIn(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      names.push_back(it->path().filename().string());
    }
    return names;
  }

  bool HasOtherEntries() const {
    for (const char* point : kPoints) {
      for (const std::string& name : NamesIn(absl::StrCat(root_, point, "/loader/entries"))) {
        if (absl::EndsWithIgnoreCase(name, kSuffix) && !IsOurs(name)) return true;
      }
      for (const std::string& name : NamesIn(absl::StrCat(root_, point, "/EFI/Linux"))) {
        if (absl::EndsWithIgnoreCase(name, ".efi")) return true;
      }
    }
    return false;
  }

  const std::string root_;
  std::string point_;  // The partition's mount point below root_; empty: there is none.
  Disk& disk_;
};

}  // namespace

std::unique_ptr<BootLoader> MakeSystemdBoot(const std::string& root, Host& host) {
  return std::make_unique<SystemdBoot>(std::string(absl::StripSuffix(root, "/")), host);
}

}  // namespace shakedown::laptop
