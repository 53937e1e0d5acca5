#include "agent/laptop/boot/mounts.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

std::string Unescape(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && IsOctal(text[i + 1]) && IsOctal(text[i + 2]) &&
        IsOctal(text[i + 3])) {
      out.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                      (text[i + 3] - '0')));
      i += 3;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

bool HasOption(absl::string_view options, absl::string_view wanted) {
  const std::vector<absl::string_view> all = absl::StrSplit(options, ',');
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

bool Holds(const std::string& point, absl::string_view path) {
  return point == "/" || path == point || absl::StartsWith(path, absl::StrCat(point, "/"));
}

}  // namespace

std::vector<Mount> ParseMounts(absl::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (absl::string_view line : absl::StrSplit(mountinfo, '\n', absl::SkipEmpty())) {
    // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    const std::vector<absl::string_view> fields = absl::StrSplit(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    mounts.push_back({.device = std::string(fields[2]),
                      .inside = Unescape(fields[3]),
                      .point = Unescape(fields[4]),
                      .file_system = std::string(dash[1]),
                      .source = Unescape(dash[2]),
                      .read_only = HasOption(fields[5], "ro") || HasOption(dash[3], "ro")});
  }
  return mounts;
}

absl::StatusOr<Mount> MountOf(const std::vector<Mount>& mounts, absl::string_view path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    if (!Holds(mount.point, path)) continue;
    if (best == nullptr || mount.point.size() >= best->point.size()) best = &mount;
  }
  if (best == nullptr) {
    return absl::NotFoundError(absl::StrCat("/proc/self/mountinfo: nothing is mounted at ", path));
  }
  return *best;
}

absl::StatusOr<std::vector<Mount>> ReadMounts(const std::string& root) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(absl::StrCat(root, "/proc/self/mountinfo"), 4 << 20));
  return ParseMounts(text);
}

std::string PathInside(const Mount& mount, absl::string_view path) {
  std::string below(path.substr(mount.point == "/" ? 0 : mount.point.size()));
  return mount.inside == "/" ? below : absl::StrCat(mount.inside, below);
}

std::string WhyGrubCanNotWrite(const std::string& root, const Mount& mount) {
  static const std::set<std::string>* const kPlain =
      new std::set<std::string>{"ext2", "ext3", "ext4", "vfat", "xfs"};
  if (!kPlain->contains(mount.file_system)) {
    return absl::StrCat(mount.file_system, ": GRUB does not write to it");
  }
  std::error_code error;
  const std::string link = absl::StrCat(root, "/sys/dev/block/", mount.device);
  fs::path device = fs::canonical(link, error);
  if (error) return absl::StrCat("/sys/dev/block/", mount.device, ": ", error.message());
  if (fs::exists(device / "partition", error)) {
    if (fs::exists(device.parent_path() / "md", error)) {
      return absl::StrCat(mount.source, " is part of an MD array: GRUB does not write to it");
    }
    return "";
  }
  for (const char* kind : {"dm", "md", "bcache"}) {
    if (!fs::exists(device / kind, error)) continue;
    return absl::StrCat(mount.source, " is ", kind,
                        " (put together by Linux): GRUB does not write to it");
  }
  return "";
}

}  // namespace shakedown::laptop
