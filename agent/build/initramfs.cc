#include "agent/build/initramfs.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agent/build/hostile_files.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMaxModule = 64 << 20;
constexpr size_t kMaxList = 16 << 20;
constexpr size_t kMaxRunner = 64 << 20;

// Every header and every content begins at a multiple of 4.
void Pad(std::string& bytes) { bytes.resize((bytes.size() + 3) & ~size_t{3}); }

bool IsInside(absl::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/');
  return std::count(parts.begin(), parts.end(), "..") == 0;
}

std::set<std::string> ParseBuiltin(absl::string_view text) {
  std::set<std::string> names;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    names.insert(ModuleName(line));
  }
  return names;
}

// Depth first, with a mark for what is under way.
class Order {
 public:
  explicit Order(const std::map<std::string, std::vector<std::string>>& dependencies)
      : dependencies_(dependencies) {}

  absl::Status Add(const std::string& path) {
    if (done_.contains(path)) return absl::OkStatus();
    if (!under_way_.insert(path).second) {
      return absl::InvalidArgumentError(absl::StrCat("modules.dep: ", path, " needs itself"));
    }
    const auto it = dependencies_.find(path);
    if (it == dependencies_.end()) {
      return absl::InvalidArgumentError(absl::StrCat("modules.dep: no line for ", path));
    }
    for (const std::string& needed : it->second) RETURN_IF_ERROR(Add(needed));
    done_.insert(path);
    paths_.push_back(path);
    return absl::OkStatus();
  }

  std::vector<std::string> Take() { return std::move(paths_); }

 private:
  const std::map<std::string, std::vector<std::string>>& dependencies_;
  std::set<std::string> under_way_, done_;
  std::vector<std::string> paths_;
};

absl::StatusOr<std::vector<std::string>> PlanModules(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string dep, ReadBeneath(folder, "modules.dep", kMaxList));
  ASSIGN_OR_RETURN(const auto dependencies, ParseModulesDep(dep));
  std::set<std::string> builtin;
  absl::StatusOr<std::string> list = ReadBeneath(folder, "modules.builtin", kMaxList);
  if (list.ok()) {
    builtin = ParseBuiltin(*list);
  } else if (!absl::IsNotFound(list.status())) {
    return list.status();
  }
  return LoadOrder(dependencies, builtin, GuestModules());
}

}  // namespace

void CpioWriter::Add(absl::string_view path, uint32_t mode, absl::string_view content,
                     uint32_t major, uint32_t minor) {
  const uint32_t links = S_ISDIR(mode) ? 2 : 1;
  absl::StrAppendFormat(&bytes_, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
                        ++inode_, mode, 0, 0, links, 0, static_cast<uint32_t>(content.size()), 0, 0,
                        major, minor, static_cast<uint32_t>(path.size() + 1), 0);
  absl::StrAppend(&bytes_, path, absl::string_view("\0", 1));
  Pad(bytes_);
  absl::StrAppend(&bytes_, content);
  Pad(bytes_);
}

void CpioWriter::AddFolder(absl::string_view path) { Add(path, S_IFDIR | 0755, "", 0, 0); }

void CpioWriter::AddFile(absl::string_view path, absl::string_view content, uint32_t permissions) {
  Add(path, S_IFREG | permissions, content, 0, 0);
}

void CpioWriter::AddCharacterDevice(absl::string_view path, uint32_t major, uint32_t minor) {
  Add(path, S_IFCHR | 0600, "", major, minor);
}

std::string CpioWriter::Finish() {
  inode_ = 0;
  Add("TRAILER!!!", 0, "", 0, 0);
  return std::move(bytes_);
}

absl::StatusOr<std::map<std::string, std::vector<std::string>>> ParseModulesDep(
    absl::string_view text) {
  std::map<std::string, std::vector<std::string>> dependencies;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("modules.dep:", number, ": ", Quoted(line), ": want MODULE: MODULE…"));
    }
    std::vector<std::string> paths =
        absl::StrSplit(line.substr(colon + 1), absl::ByAnyChar(" \t"), absl::SkipEmpty());
    std::string path(line.substr(0, colon));
    paths.push_back(path);
    for (const std::string& one : paths) {
      if (IsInside(one)) continue;
      return absl::InvalidArgumentError(absl::StrCat("modules.dep:", number, ": ", Quoted(one),
                                                     ": want a path inside the folder"));
    }
    paths.pop_back();
    dependencies[std::move(path)] = std::move(paths);
  }
  return dependencies;
}

std::string ModuleName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != absl::string_view::npos) path.remove_prefix(slash + 1);
  return absl::StrReplaceAll(path.substr(0, path.find(".ko")), {{"-", "_"}});
}

ModuleWishes GuestModules() {
  // crc32c_generic: ext4 asks for "crc32c" by name, which modules.dep does not know; it must be
  // there before.
  return {{"virtio_pci", "virtio_blk", "virtio_console", "ext4"},
          {"crc32c_generic", "i6300esb", "pvpanic_pci", "virtio_rng"}};
}

absl::StatusOr<std::vector<std::string>> LoadOrder(
    const std::map<std::string, std::vector<std::string>>& dependencies,
    const std::set<std::string>& builtin, const ModuleWishes& wishes) {
  std::map<std::string, std::string> by_name;
  for (const auto& [path, needs] : dependencies) by_name[ModuleName(path)] = path;
  Order order(dependencies);
  for (const std::string& name : wishes.optional) {
    const auto it = by_name.find(name);
    if (it != by_name.end()) RETURN_IF_ERROR(order.Add(it->second));
  }
  for (const std::string& name : wishes.needed) {
    if (builtin.contains(name)) continue;
    const auto it = by_name.find(name);
    if (it == by_name.end()) {
      return absl::NotFoundError(absl::StrCat("module ", name,
                                              ": neither a module nor built in: the guest needs ",
                                              absl::StrJoin(wishes.needed, ", ")));
    }
    RETURN_IF_ERROR(order.Add(it->second));
  }
  return order.Take();
}

absl::StatusOr<std::string> BuildInitramfs(const std::string& modules_folder,
                                           const std::string& runner_path) {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, PlanModules(modules_folder));
  if (paths.empty()) return std::string();
  absl::StatusOr<std::string> runner = ReadFile(runner_path, kMaxRunner);
  if (!runner.ok()) return Annotate(runner.status(), "runner for the initramfs");
  CpioWriter cpio;
  for (const char* folder : {"dev", "proc", "sys", "run", "newroot", "modules"}) {
    cpio.AddFolder(folder);
  }
  cpio.AddCharacterDevice("dev/console", 5, 1);
  cpio.AddFile("init", *runner, 0755);
  std::string list;
  for (const std::string& path : paths) {
    const std::string name = absl::StrCat(ModuleName(path), ".ko");
    ASSIGN_OR_RETURN(const std::string packed, ReadBeneath(modules_folder, path, kMaxModule));
    absl::StatusOr<std::string> module = Decompress(packed, kMaxModule);
    if (!module.ok()) return Annotate(module.status(), path);
    cpio.AddFile(absl::StrCat("modules/", name), *module, 0644);
    absl::StrAppend(&list, name, "\n");
  }
  cpio.AddFile("modules/load.txt", list, 0644);
  return cpio.Finish();
}

}  // namespace shakedown::agent
