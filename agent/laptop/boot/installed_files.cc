#include "agent/laptop/boot/installed_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/command_line.h"
#include "agent/laptop/boot/copy_file.h"
#include "agent/laptop/boot/modules_tree.h"
#include "agent/laptop/boot/own_initramfs.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxImage = 512 << 20;
constexpr uint64_t kMaxModules = uint64_t{2} << 30;
constexpr uint64_t kMaxInput = uint64_t{64} << 30;
constexpr int kMaxInputs = 32;
constexpr uint64_t kUsualInitramfs = 64 << 20;

constexpr absl::string_view kMark = "# shakedown ";
constexpr absl::string_view kUnpacking = ".shakedown-";

std::string MarkOf(const Places& places) { return absl::StrCat(kMark, places.attempt_id); }

absl::Status CheckRelease(const std::string& release) {
  const bool good =
      !release.empty() && release.size() <= 64 && absl::ascii_isalnum(release.front()) &&
      std::all_of(release.begin(), release.end(), [](char c) {
        return absl::ascii_isalnum(c) || absl::StrContains("._+~-", absl::string_view(&c, 1));
      });
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected.release: ", Quoted(release),
                                                 ": want [A-Za-z0-9][A-Za-z0-9._+~-]{0,63}"));
}

absl::Status CheckArtefact(absl::string_view what, bool has, const v1::Artefact& artefact,
                           const std::string& file) {
  if (has == file.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": ",
        has ? "in the order, but there is no file" : "not in the order, but there is a file"));
  }
  if (!has) return absl::OkStatus();
  if (file.front() != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": ", Quoted(file), ": want a whole path"));
  }
  if (IsSha256Hex(artefact.sha256())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ".sha256: ", Quoted(artefact.sha256()),
                                                 ": want 64 lower-case hex digits"));
}

// "12 MiB", down for what is there, up for what is wanted.
std::string MiB(uint64_t bytes, bool up) {
  return absl::StrCat((bytes + (up ? (1 << 20) - 1 : 0)) >> 20, " MiB");
}

absl::Status EnsureFolder(Disk& disk, const std::string& path, mode_t mode) {
  return IsFolder(path) ? absl::OkStatus() : disk.MakeFolder(path, mode);
}

// One installation as it goes.
class Installation {
 public:
  Installation(const std::string& root, Host& host, const Places& places,
               const v1::BootOrder& order, const BootFiles& files, uint64_t keep_free)
      : root_(root),
        host_(host),
        disk_(host.disk()),
        places_(places),
        order_(order),
        files_(files),
        keep_free_(keep_free) {}

  absl::StatusOr<Digests> Run() {
    RETURN_IF_ERROR(EnsureFolder(disk_, places_.ours, 0755));
    RETURN_IF_ERROR(disk_.MakeFolder(places_.boot, 0755));
    RETURN_IF_ERROR(disk_.MakeFolder(places_.work, 0700));
    RETURN_IF_ERROR(disk_.MakeFolder(places_.inputs, 0700));
    Digests digests;
    ASSIGN_OR_RETURN(digests.image, Image());
    if (order_.has_modules()) RETURN_IF_ERROR(Modules());
    ASSIGN_OR_RETURN(digests.initramfs, Initramfs());
    RETURN_IF_ERROR(Inputs());
    RETURN_IF_ERROR(RemoveTree(disk_, places_.work));
    for (const std::string& path : {places_.boot, FolderOf(places_.modules), places_.inputs}) {
      RETURN_IF_ERROR(disk_.SyncAll(path));
    }
    RETURN_IF_ERROR(VerifyFiles(places_, digests));
    return digests;
  }

 private:
  absl::Status Fits(const std::string& folder, uint64_t bytes) {
    return CheckSpace(disk_, root_, {{folder, bytes}}, keep_free_);
  }

  absl::StatusOr<std::string> Image() {
    return CopyFile(disk_, files_.image, places_.Image(), order_.image(), kMaxImage);
  }

  // The archive is copied first: the agent could change its file between two looks.
  absl::Status Modules() {
    const std::string archive = places_.work + "/modules.tar.zst";
    RETURN_IF_ERROR(
        CopyFile(disk_, files_.modules, archive, order_.modules(), kMaxModules).status());
    ASSIGN_OR_RETURN(const uint64_t bytes, MeasureModules(archive, places_.release));
    const std::string folder = FolderOf(places_.modules);
    RETURN_IF_ERROR(Fits(folder, bytes));
    RETURN_IF_ERROR(disk_.MakeFolder(places_.unpacking, 0755));
    RETURN_IF_ERROR(UnpackModules(disk_, archive, places_.release, places_.unpacking));
    const std::string mark = places_.unpacking + "/.shakedown";
    RETURN_IF_ERROR(disk_.Create(mark, 0644));
    RETURN_IF_ERROR(disk_.Append(mark, MarkOf(places_)));
    RETURN_IF_ERROR(disk_.SyncAll(places_.unpacking));
    RETURN_IF_ERROR(disk_.RenameNew(places_.unpacking, places_.modules));
    RETURN_IF_ERROR(disk_.SyncFolder(folder));
    if (Exists(places_.modules + "/modules.dep")) return absl::OkStatus();
    return host_.Run({.argv = {"depmod", places_.release}, .limit = absl::Minutes(5)}).status();
  }

  // Empty: none.
  absl::StatusOr<std::string> Initramfs() {
    if (IsOwnKernel(root_, order_, files_)) {
      if (!order_.has_initramfs()) return std::string();
      return CopyFile(disk_, files_.initramfs, places_.Initramfs(), order_.initramfs(), kMaxImage);
    }
    const std::string root = RootIn(host_.CommandLine());
    if (InitramfsTool(root_).empty()) {
      if (KernelFindsRoot(root) && !order_.has_modules()) return std::string();
      return absl::FailedPreconditionError(
          absl::StrCat("root=", root,
                       ": a test kernel needs an initramfs for that; want "
                       "initramfs-tools or dracut"));
    }
    InitramfsWish wish{.root = root_,
                       .work = places_.work,
                       .out = places_.work + "/initrd.img",
                       .release = places_.release,
                       .modules = order_.has_modules(),
                       .config = places_.config,
                       .mark = MarkOf(places_)};
    RETURN_IF_ERROR(Fits(places_.work, 3 * InitramfsEstimate(root_)));
    RETURN_IF_ERROR(MakeInitramfs(host_, wish));
    RETURN_IF_ERROR(Fits(places_.boot, SizeOf(wish.out)));
    return CopyFile(disk_, wish.out, places_.Initramfs(), std::nullopt, kMaxImage);
  }

  absl::Status Inputs() {
    for (size_t i = 0; i < files_.inputs.size(); ++i) {
      RETURN_IF_ERROR(CopyFile(disk_, files_.inputs[i],
                               absl::StrCat(places_.inputs, "/", i, ".img"), std::nullopt,
                               kMaxInput)
                          .status());
    }
    return absl::OkStatus();
  }

  const std::string& root_;
  Host& host_;
  Disk& disk_;
  const Places& places_;
  const v1::BootOrder& order_;
  const BootFiles& files_;
  const uint64_t keep_free_;
};

bool HasMark(const std::string& path, const Places& places) {
  const absl::StatusOr<std::string> text = ReadFile(path, 4096);
  return text.ok() && absl::StartsWith(*text, MarkOf(places));
}

// Under a name that is ours alone first: half a tree is never left under the kernel's.
absl::Status RemoveModules(Disk& disk, const Places& places) {
  RETURN_IF_ERROR(RemoveTree(disk, places.unpacking));
  if (HasMark(places.modules + "/.shakedown", places)) {
    RETURN_IF_ERROR(disk.RenameNew(places.modules, places.unpacking));
    RETURN_IF_ERROR(disk.SyncFolder(FolderOf(places.modules)));
    RETURN_IF_ERROR(RemoveTree(disk, places.unpacking));
  }
  return absl::OkStatus();
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  return names;
}

bool IsEmptyFolder(const std::string& path) {
  std::error_code error;
  return IsFolder(path) && fs::is_empty(path, error) && !error;
}

}  // namespace

Places PlacesOf(const std::string& root, const std::string& folder, const std::string& state,
                const v1::BootOrder& order) {
  Places places;
  places.attempt_id = order.attempt_id();
  places.release = order.expected().release();
  places.ours = folder + "/shakedown";
  places.boot = absl::StrCat(places.ours, "/", places.attempt_id);
  places.modules = absl::StrCat(root, "/lib/modules/", places.release);
  places.unpacking = absl::StrCat(root, "/lib/modules/", kUnpacking, places.attempt_id);
  places.config = absl::StrCat(root, "/boot/config-", places.release);
  places.work = state + "/work";
  places.inputs = state + "/inputs";
  return places;
}

absl::Status CheckOrder(const v1::BootOrder& order, const BootFiles& files) {
  if (!IsUuid(order.attempt_id())) {
    return absl::InvalidArgumentError(
        absl::StrCat("attempt_id: ", Quoted(order.attempt_id()), ": want a UUID in lower case"));
  }
  RETURN_IF_ERROR(CheckRelease(order.expected().release()));
  RETURN_IF_ERROR(CheckArtefact("image", order.has_image(), order.image(), files.image));
  if (!order.has_image()) return absl::InvalidArgumentError("image: none, want one");
  RETURN_IF_ERROR(CheckArtefact("modules", order.has_modules(), order.modules(), files.modules));
  if (files.inputs.size() == static_cast<size_t>(order.inputs_size()) &&
      order.inputs_size() <= kMaxInputs) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(files.inputs.size(),
                                                 " input files, the order has ",
                                                 order.inputs_size(), ", at most ", kMaxInputs));
}

absl::Status CheckSpace(Disk& disk, const std::string& root, const std::vector<Need>& needs,
                        uint64_t keep_free) {
  std::map<uint64_t, uint64_t> wanted;  // By device.
  for (const Need& need : needs) {
    absl::string_view shown = need.path;
    if (absl::ConsumePrefix(&shown, root) && shown.empty()) shown = "/";
    const absl::StatusOr<Disk::Space> space = disk.SpaceAt(need.path);
    if (!space.ok()) return absl::FailedPreconditionError(space.status().message());
    if (space->read_only) {
      return absl::FailedPreconditionError(
          absl::StrCat(shown, ": mounted read-only, want it writable"));
    }
    uint64_t& sum = wanted.try_emplace(space->device, keep_free).first->second;
    sum += need.bytes;
    if (space->free >= sum) continue;
    return absl::ResourceExhaustedError(
        absl::StrCat(shown, ": ", MiB(space->free, false), " free, want ", MiB(sum, true)));
  }
  return absl::OkStatus();
}

uint64_t InitramfsEstimate(const std::string& root) {
  uint64_t most = 0;
  std::error_code error;
  for (fs::directory_iterator it(root + "/boot", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (absl::StartsWith(name, "initrd") || absl::StartsWith(name, "initramfs")) {
      most = std::max(most, SizeOf(it->path().string()));
    }
  }
  return most == 0 ? kUsualInitramfs : most;
}

bool IsOwnKernel(const std::string& root, const v1::BootOrder& order, const BootFiles& files) {
  const std::string boot = absl::StrCat(absl::StripSuffix(root, "/"), "/boot/");
  const std::string& release = order.expected().release();
  return !order.has_modules() && files.image == absl::StrCat(boot, "vmlinuz-", release) &&
         (files.initramfs.empty() ||
          files.initramfs == absl::StrCat(boot, "initrd.img-", release) ||
          files.initramfs == absl::StrCat(boot, "initramfs-", release, ".img"));
}

absl::StatusOr<Digests> InstallFiles(const std::string& root, Host& host, const Places& places,
                                     const v1::BootOrder& order, const BootFiles& files,
                                     uint64_t keep_free) {
  return Installation(root, host, places, order, files, keep_free).Run();
}

absl::Status VerifyFiles(const Places& places, const Digests& digests) {
  for (const auto& [path, wanted] : {std::pair(places.Image(), digests.image),
                                     std::pair(places.Initramfs(), digests.initramfs)}) {
    if (wanted.empty()) continue;
    ASSIGN_OR_RETURN(const std::string found, DigestOnDisk(path));
    if (found == wanted) continue;
    return absl::DataLossError(
        absl::StrCat(path, ": reads back as ", found, ", installed was ", wanted));
  }
  return absl::OkStatus();
}

absl::Status RemoveFiles(Disk& disk, const Places& places) {
  RETURN_IF_ERROR(RemoveTree(disk, places.config + ".shakedown-new"));
  if (HasMark(places.config, places)) RETURN_IF_ERROR(disk.Remove(places.config));
  RETURN_IF_ERROR(RemoveTree(disk, places.boot));
  if (IsEmptyFolder(places.ours)) RETURN_IF_ERROR(disk.RemoveFolder(places.ours));
  RETURN_IF_ERROR(RemoveModules(disk, places));
  RETURN_IF_ERROR(RemoveTree(disk, places.work));
  RETURN_IF_ERROR(RemoveTree(disk, places.inputs));
  for (const std::string& folder : {FolderOf(places.ours), FolderOf(places.config),
                                    FolderOf(places.modules), FolderOf(places.work)}) {
    RETURN_IF_ERROR(disk.SyncAll(folder));
  }
  return absl::OkStatus();
}

absl::Status RemoveStrays(Disk& disk, const std::string& root, const std::string& folder) {
  Places places;
  places.ours = folder + "/shakedown";
  for (const std::string& name : NamesIn(places.ours)) {
    if (!IsUuid(name)) continue;
    RETURN_IF_ERROR(RemoveTree(disk, absl::StrCat(places.ours, "/", name)));
    if (IsEmptyFolder(places.ours)) RETURN_IF_ERROR(disk.RemoveFolder(places.ours));
  }
  const std::string modules = root + "/lib/modules";
  for (const std::string& name : NamesIn(modules)) {
    const std::string path = absl::StrCat(modules, "/", name);
    absl::string_view attempt = name;
    if (absl::ConsumePrefix(&attempt, kUnpacking) && IsUuid(attempt)) {
      RETURN_IF_ERROR(RemoveTree(disk, path));
      continue;
    }
    const std::string mark = ReadFile(path + "/.shakedown", 4096).value_or("");
    places.attempt_id = std::string(absl::StripPrefix(mark, kMark));
    if (!IsUuid(places.attempt_id) || places.attempt_id == mark) continue;
    places.modules = path;
    places.unpacking = absl::StrCat(modules, "/", kUnpacking, places.attempt_id);
    RETURN_IF_ERROR(RemoveModules(disk, places));
  }
  return absl::OkStatus();
}

}  // namespace shakedown::laptop
