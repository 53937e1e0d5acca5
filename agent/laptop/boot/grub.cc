#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/boot_loader.h"
#include "agent/laptop/boot/grub_config.h"
#include "agent/laptop/boot/grub_environment.h"
#include "agent/laptop/boot/mounts.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kMaxConfig = 8 << 20;
constexpr absl::string_view kOurs = "shakedown-";
constexpr absl::string_view kNextEntry = "next_entry";
constexpr absl::string_view kUseKexec = "; want a /boot that GRUB writes to, or the kexec loader";

class Grub : public BootLoader {
 public:
  Grub(std::string root, Host& host) : root_(std::move(root)), disk_(host.disk()) {
    // Fedora and SUSE name it grub2.
    folder_ = Exists(root_ + "/boot/grub2/grub.cfg") && !Exists(root_ + "/boot/grub/grub.cfg")
                  ? "/boot/grub2"
                  : "/boot/grub";
  }

  std::string Name() const override { return "grub"; }
  std::string Folder() const override { return root_ + "/boot"; }
  Host::RebootKind Way() const override { return Host::RebootKind::kOrdinary; }

  std::string Problem() const override {
    const absl::StatusOr<std::string> config = ReadFile(Path("grub.cfg"), kMaxConfig);
    if (!config.ok()) return Shown("grub.cfg", config.status().message());
    if (SecureBootIsOn(root_)) {
      return "Secure Boot is on: it starts signed kernels only; turn it off in the firmware's "
             "setup";
    }
    const std::string lacks = WhatGrubConfigLacks(*config);
    if (!lacks.empty()) {
      return Shown("grub.cfg", absl::StrCat(lacks, "; want one that update-grub makes"));
    }
    const absl::StatusOr<GrubEnvironment> environment = ReadEnvironment();
    if (!environment.ok()) return std::string(environment.status().message());
    const std::string next = environment->Get(kNextEntry).value_or("");
    if (!next.empty() && !absl::StartsWith(next, kOurs)) {
      return Shown("grubenv", absl::StrCat("next_entry is ", Quoted(PrintableLine(next)),
                                           ", set by somebody else: boot that first"));
    }
    const absl::StatusOr<Mount> mount = MountAt(folder_);
    if (!mount.ok()) return std::string(mount.status().message());
    const std::string cannot = WhyGrubCanNotWrite(root_, *mount);
    if (!cannot.empty()) return Shown("grubenv", absl::StrCat("on ", cannot, kUseKexec));
    if (mount->read_only)
      return absl::StrCat(mount->point, ": mounted read-only, want it writable");
    std::error_code error;
    if (std::filesystem::is_symlink(Custom(), error)) {
      return Shown("custom.cfg", "is a link, want a file or none");
    }
    const absl::StatusOr<std::optional<Section>> section = ReadSection();
    return section.ok() ? "" : std::string(section.status().message());
  }

  absl::Status AddEntry(const BootEntry& entry) override {
    RETURN_IF_ERROR(RemoveEntry());
    ASSIGN_OR_RETURN(const GrubEnvironment environment, ReadEnvironment());
    ASSIGN_OR_RETURN(const Mount mount, MountAt("/boot"));
    const bool had_file = Exists(Custom());
    std::string custom;
    if (had_file) {
      ASSIGN_OR_RETURN(custom, ReadFile(Custom(), kMaxConfig));
    }
    GrubEntry ours{.id = absl::StrCat(kOurs, entry.attempt_id),
                   .image = Inside(mount, entry.image),
                   .initramfs = entry.initramfs.empty() ? "" : Inside(mount, entry.initramfs),
                   .command_line = entry.command_line,
                   .had_next_entry = environment.Get(kNextEntry).has_value(),
                   .had_file = had_file};
    return ReplaceFile(disk_, Custom(), AddSection(custom, ours), ModeOf(Custom()));
  }

  absl::Status ArmOnce(const BootEntry& entry) override {
    ASSIGN_OR_RETURN(GrubEnvironment environment, ReadEnvironment());
    RETURN_IF_ERROR(Annotate(environment.Set(kNextEntry, absl::StrCat(kOurs, entry.attempt_id)),
                             Shown("grubenv")));
    return WriteEnvironment(environment);
  }

  absl::StatusOr<std::string> ReadArmed() override {
    ASSIGN_OR_RETURN(const GrubEnvironment environment, ReadEnvironment());
    const std::string next = environment.Get(kNextEntry).value_or("");
    return absl::StartsWith(next, kOurs) ? next.substr(kOurs.size()) : std::string();
  }

  absl::Status Disarm() override {
    if (!Exists(Path("grubenv"))) return absl::OkStatus();
    absl::StatusOr<GrubEnvironment> environment = ReadEnvironment();
    // GRUB does not read a broken one either: nothing in it is armed.
    if (absl::IsDataLoss(environment.status())) return absl::OkStatus();
    if (!environment.ok()) return environment.status();
    if (!absl::StartsWith(environment->Get(kNextEntry).value_or(""), kOurs)) {
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(environment->Set(kNextEntry, ""));
    return WriteEnvironment(*environment);
  }

  absl::Status RemoveEntry() override {
    const std::string half_done = Custom() + ".shakedown-new";
    if (Exists(half_done)) RETURN_IF_ERROR(disk_.Remove(half_done));
    ASSIGN_OR_RETURN(const std::optional<Section> section, ReadSection());
    if (!section) return absl::OkStatus();
    RETURN_IF_ERROR(ForgetNextEntry(section->had_next_entry));
    if (section->had_file || !section->without.empty()) {
      return ReplaceFile(disk_, Custom(), section->without, ModeOf(Custom()));
    }
    RETURN_IF_ERROR(disk_.Remove(Custom()));
    return disk_.SyncFolder(root_ + folder_);
  }

 private:
  std::string Path(const char* name) const { return absl::StrCat(root_, folder_, "/", name); }
  std::string Custom() const { return Path("custom.cfg"); }
  std::string Shown(const char* name, absl::string_view what = "") const {
    return absl::StrCat(folder_, "/", name, what.empty() ? "" : ": ", what);
  }
  std::string Inside(const Mount& mount, const std::string& path) const {
    return PathInside(mount, absl::string_view(path).substr(root_.size()));
  }

  static mode_t ModeOf(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(path, error);
    if (error || status.type() != std::filesystem::file_type::regular) return 0644;
    return static_cast<mode_t>(status.permissions());
  }

  absl::StatusOr<Mount> MountAt(const std::string& path) const {
    ASSIGN_OR_RETURN(const std::vector<Mount> mounts, ReadMounts(root_));
    return MountOf(mounts, path);
  }

  absl::StatusOr<GrubEnvironment> ReadEnvironment() const {
    std::error_code error;
    if (std::filesystem::is_symlink(Path("grubenv"), error)) {
      return absl::FailedPreconditionError(
          Shown("grubenv", absl::StrCat("is a link, want a file", kUseKexec)));
    }
    absl::StatusOr<std::string> block = ReadFile(Path("grubenv"), 1 << 20);
    if (absl::IsNotFound(block.status())) {
      return absl::FailedPreconditionError(
          Shown("grubenv", "is not there; want one as \"grub-editenv - create\" makes"));
    }
    if (!block.ok()) return block.status();
    absl::StatusOr<GrubEnvironment> environment = GrubEnvironment::Parse(*block);
    if (!environment.ok()) return Annotate(environment.status(), Shown("grubenv"));
    return environment;
  }

  absl::Status WriteEnvironment(const GrubEnvironment& environment) {
    RETURN_IF_ERROR(disk_.Overwrite(Path("grubenv"), environment.Block()));
    return disk_.Sync(Path("grubenv"));
  }

  // GRUB leaves "next_entry=" where there was no such line.
  absl::Status ForgetNextEntry(bool had) {
    absl::StatusOr<GrubEnvironment> environment = ReadEnvironment();
    if (!environment.ok()) return absl::OkStatus();  // Broken or gone: not ours to mend.
    const std::optional<std::string> next = environment->Get(kNextEntry);
    if (had || !next || !next->empty()) return absl::OkStatus();
    environment->Erase(kNextEntry);
    return WriteEnvironment(*environment);
  }

  absl::StatusOr<std::optional<Section>> ReadSection() const {
    if (!Exists(Custom())) return std::nullopt;
    ASSIGN_OR_RETURN(const std::string custom, ReadFile(Custom(), kMaxConfig));
    absl::StatusOr<std::optional<Section>> section = FindSection(custom);
    if (!section.ok()) return Annotate(section.status(), Shown("custom.cfg"));
    return section;
  }

  const std::string root_;
  std::string folder_;  // Below root_.
  Disk& disk_;
};

}  // namespace

std::unique_ptr<BootLoader> MakeGrub(const std::string& root, Host& host) {
  return std::make_unique<Grub>(std::string(absl::StripSuffix(root, "/")), host);
}

}  // namespace shakedown::laptop
