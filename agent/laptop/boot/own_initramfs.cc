#include "agent/laptop/boot/own_initramfs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

constexpr absl::Duration kLimit = absl::Minutes(10);
constexpr size_t kMaxFiles = 500;
constexpr size_t kMaxFile = 1 << 20;

// Regular files and folders, with their modes: hooks are programs.
absl::Status CopyConfiguration(Disk& disk, const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(disk.MakeFolder(to, 0700));
  std::error_code error;
  size_t files = 0;
  fs::recursive_directory_iterator it(from, error), end;
  for (; !error && it != end; it.increment(error)) {
    const std::string path = absl::StrCat(to, it->path().string().substr(from.size()));
    const fs::file_status status = it->symlink_status(error);
    const auto mode = static_cast<mode_t>(status.permissions());
    if (++files > kMaxFiles) {
      return absl::FailedPreconditionError(absl::StrCat(from, ": more than ", kMaxFiles, " files"));
    }
    if (status.type() == fs::file_type::directory) {
      RETURN_IF_ERROR(disk.MakeFolder(path, mode));
    } else if (status.type() == fs::file_type::regular) {
      ASSIGN_OR_RETURN(const std::string content, ReadFile(it->path().string(), kMaxFile));
      RETURN_IF_ERROR(disk.Create(path, mode));
      RETURN_IF_ERROR(disk.Append(path, content));
    }
  }
  if (error) return ErrnoStatus(error.value(), from);
  return absl::OkStatus();
}

absl::Status WriteNew(Disk& disk, const std::string& path, absl::string_view content) {
  RETURN_IF_ERROR(RemoveTree(disk, path));
  RETURN_IF_ERROR(disk.Create(path, 0644));
  return disk.Append(path, content);
}

// Whole or not at all, and never over somebody else's: so whatever has our mark is ours to remove.
absl::Status WriteConfig(Disk& disk, const std::string& path, const std::string& mark) {
  const std::string beside = path + ".shakedown-new";
  RETURN_IF_ERROR(WriteNew(disk, beside, absl::StrCat(mark, "\nCONFIG_RD_GZIP=y\n")));
  RETURN_IF_ERROR(disk.Sync(beside));
  return disk.RenameNew(beside, path);
}

absl::Status WithInitramfsTools(Host& host, const InitramfsWish& wish) {
  Disk& disk = host.disk();
  const std::string configuration = wish.work + "/initramfs-tools";
  RETURN_IF_ERROR(CopyConfiguration(disk, wish.root + "/etc/initramfs-tools", configuration));
  if (!IsFolder(configuration + "/conf.d")) {
    RETURN_IF_ERROR(disk.MakeFolder(configuration + "/conf.d", 0755));
  }
  // mkinitramfs takes no compression that this file does not name; every kernel with an initramfs
  // that a distribution can boot has gzip.
  RETURN_IF_ERROR(WriteConfig(disk, wish.config, wish.mark));
  absl::Status made;
  for (const char* modules : {"dep", "most"}) {
    RETURN_IF_ERROR(WriteNew(disk, configuration + "/conf.d/zz-shakedown",
                             absl::StrCat("MODULES=", modules, "\nCOMPRESS=gzip\nRESUME=none\n")));
    made = host.Run({.argv = {"mkinitramfs", "-d", configuration, "-o", wish.out, wish.release},
                     .environment = {{"TMPDIR", wish.work + "/tmp"}},
                     .limit = kLimit})
               .status();
    if (made.ok()) break;
  }
  RETURN_IF_ERROR(disk.Remove(wish.config));
  return made;
}

absl::Status WithDracut(Host& host, const InitramfsWish& wish) {
  Tool tool{.argv = {"dracut", "--force", "--hostonly", "--gzip", "--tmpdir", wish.work + "/tmp"},
            .limit = kLimit};
  if (!wish.modules) tool.argv.push_back("--no-kernel");
  tool.argv.insert(tool.argv.end(), {wish.out, wish.release});
  return host.Run(tool).status();
}

// One name a line, or as ls -l shows it.
bool Lists(absl::string_view listing, absl::string_view end_of_path) {
  const std::vector<absl::string_view> lines = absl::StrSplit(listing, '\n');
  return std::any_of(lines.begin(), lines.end(), [&](absl::string_view line) {
    line = line.substr(0, line.find(" -> "));
    return line == end_of_path || absl::EndsWith(line, absl::StrCat(" ", end_of_path)) ||
           absl::EndsWith(line, absl::StrCat("/", end_of_path));
  });
}

absl::Status CheckListing(Host& host, const InitramfsWish& wish, const char* tool) {
  ASSIGN_OR_RETURN(const std::string listing,
                   host.Run({.argv = {tool, wish.out}, .limit = kLimit}));
  if (!Lists(listing, "init")) {
    return absl::FailedPreconditionError("the initramfs that was made has no /init");
  }
  const std::string needed = absl::StrCat("lib/modules/", wish.release, "/modules.dep");
  if (!wish.modules || Lists(listing, needed)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the initramfs that was made has no ", needed));
}

}  // namespace

std::string InitramfsTool(const std::string& root) {
  for (const char* name : {"mkinitramfs", "dracut"}) {
    for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/"}) {
      if (Exists(absl::StrCat(root, folder, name))) return name;
    }
  }
  return "";
}

bool KernelFindsRoot(const std::string& root_parameter) {
  if (absl::StartsWith(root_parameter, "PARTUUID=")) return true;
  return absl::StartsWith(root_parameter, "/dev/") &&
         !absl::StartsWith(root_parameter, "/dev/mapper/") &&
         !absl::StartsWith(root_parameter, "/dev/disk/") &&
         std::count(root_parameter.begin(), root_parameter.end(), '/') == 2;
}

absl::Status MakeInitramfs(Host& host, const InitramfsWish& wish) {
  const std::string tool = InitramfsTool(wish.root);
  RETURN_IF_ERROR(host.disk().MakeFolder(wish.work + "/tmp", 0700));
  const absl::Status made =
      tool == "dracut" ? WithDracut(host, wish) : WithInitramfsTools(host, wish);
  if (!made.ok()) {
    const auto code = absl::IsResourceExhausted(made) ? absl::StatusCode::kResourceExhausted
                                                      : absl::StatusCode::kFailedPrecondition;
    return absl::Status(code, absl::StrCat("initramfs: ", PrintableLine(made.message(), 400)));
  }
  return Annotate(CheckListing(host, wish, tool == "dracut" ? "lsinitrd" : "lsinitramfs"),
                  "initramfs");
}

}  // namespace shakedown::laptop
