#include "agent/laptop/boot/crash_disk.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

struct stat Info(const std::string& path) {
  struct stat info = {};
  lstat(path.c_str(), &info);
  return info;
}

std::string Content(const std::string& path) { return ReadFile(path).value_or(""); }

}  // namespace

CrashDisk::CrashDisk(std::string root, std::function<bool()> step, std::function<void()> stop)
    : root_(std::move(root)), step_(std::move(step)), stop_(std::move(stop)) {
  space = [](const std::string&) {
    return Space{.free = uint64_t{1} << 40, .device = 1, .read_only = false};
  };
  Scan(root_, &synced_);
}

void CrashDisk::Step() {
  if (step_()) stop_();
}

CrashDisk::Folder CrashDisk::List(const std::string& path) {
  Folder folder;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const struct stat info = Info(entry.path().string());
    Entry& ours = folder[entry.path().filename().string()];
    ours = {.inode = info.st_ino, .mode = info.st_mode, .target = {}};
    if (S_ISLNK(info.st_mode)) ours.target = fs::read_symlink(entry.path()).string();
  }
  return folder;
}

void CrashDisk::Scan(const std::string& path, Tree* tree) {
  const Folder folder = List(path);
  for (const auto& [name, entry] : folder) {
    const std::string below = absl::StrCat(path, "/", name);
    if (S_ISDIR(entry.mode)) Scan(below, tree);
    if (S_ISREG(entry.mode)) tree->files[entry.inode] = Content(below);
  }
  tree->folders[Info(path).st_ino] = folder;
}

CrashDisk::Tree CrashDisk::Mix(const Tree& now, Loss loss, uint32_t seed) const {
  if (loss == Loss::kNothing) return now;
  if (loss == Loss::kAll) return synced_;
  std::mt19937 dice(seed);
  Tree mixed = synced_;
  for (const auto& [inode, folder] : now.folders) {
    if (dice() % 2 == 0) mixed.folders[inode] = folder;
  }
  for (const auto& [inode, content] : now.files) {
    const uint32_t throw_of = dice() % 3;
    if (throw_of == 1) mixed.files[inode] = content;
    // Half of what was added has come, and behind it blocks of zeros.
    const std::string& before = mixed.files[inode];
    if (throw_of == 2 && content.size() > before.size() && content.starts_with(before)) {
      std::string half = content;
      const size_t from = (before.size() + content.size()) / 2;
      half.replace(from, std::string::npos, content.size() - from, '\0');
      mixed.files[inode] = half;
    }
  }
  return mixed;
}

void CrashDisk::Write(const Tree& tree, ino_t folder, const std::string& path) {
  const auto found = tree.folders.find(folder);
  if (found == tree.folders.end()) return;  // Made, but nothing in it was synced.
  for (const auto& [name, entry] : found->second) {
    const std::string below = absl::StrCat(path, "/", name);
    if (S_ISLNK(entry.mode)) {
      fs::create_symlink(entry.target, below);
      continue;
    }
    if (S_ISDIR(entry.mode)) {
      fs::create_directory(below);
      Write(tree, entry.inode, below);
    } else {
      const auto content = tree.files.find(entry.inode);
      (void)WriteFileAtomically(below, content == tree.files.end() ? "" : content->second);
    }
    chmod(below.c_str(), entry.mode & 07777);
  }
}

void CrashDisk::CutPower(Loss loss, uint32_t seed) {
  if (loss == Loss::kNothing) return;
  Tree now;
  Scan(root_, &now);
  const Tree left = Mix(now, loss, seed);
  const ino_t top = Info(root_).st_ino;
  for (const fs::directory_entry& entry : fs::directory_iterator(root_)) {
    fs::remove_all(entry.path());
  }
  Write(left, top, root_);
}

absl::Status CrashDisk::MakeFolder(const std::string& path, mode_t mode) {
  Step();
  return disk_->MakeFolder(path, mode);
}

absl::Status CrashDisk::Create(const std::string& path, mode_t mode) {
  Step();
  return disk_->Create(path, mode);
}

absl::Status CrashDisk::Append(const std::string& path, absl::string_view bytes) {
  if (step_()) {
    (void)disk_->Append(path, bytes.substr(0, bytes.size() / 2));
    stop_();
  }
  return disk_->Append(path, bytes);
}

// A few bytes in one sector: the old or the new ones.
absl::Status CrashDisk::Overwrite(const std::string& path, absl::string_view bytes) {
  Step();
  return disk_->Overwrite(path, bytes);
}

absl::Status CrashDisk::Truncate(const std::string& path, uint64_t size) {
  Step();
  return disk_->Truncate(path, size);
}

absl::Status CrashDisk::Link(const std::string& target, const std::string& path) {
  Step();
  return disk_->Link(target, path);
}

absl::Status CrashDisk::Rename(const std::string& from, const std::string& to) {
  Step();
  return disk_->Rename(from, to);
}

absl::Status CrashDisk::RenameNew(const std::string& from, const std::string& to) {
  Step();
  return disk_->RenameNew(from, to);
}

absl::Status CrashDisk::Remove(const std::string& path) {
  Step();
  return disk_->Remove(path);
}

absl::Status CrashDisk::RemoveFolder(const std::string& path) {
  Step();
  return disk_->RemoveFolder(path);
}

absl::Status CrashDisk::WriteVariable(const std::string& path, absl::string_view bytes) {
  Step();
  RETURN_IF_ERROR(disk_->WriteVariable(path, bytes));
  synced_.files[Info(path).st_ino] = Content(path);
  const std::string folder = FolderOf(path);
  synced_.folders[Info(folder).st_ino] = List(folder);
  return absl::OkStatus();
}

absl::Status CrashDisk::RemoveVariable(const std::string& path) {
  Step();
  RETURN_IF_ERROR(disk_->RemoveVariable(path));
  const std::string folder = FolderOf(path);
  synced_.folders[Info(folder).st_ino] = List(folder);
  return absl::OkStatus();
}

absl::Status CrashDisk::Sync(const std::string& file) {
  Step();
  if (!Exists(file)) return absl::NotFoundError(file);
  synced_.files[Info(file).st_ino] = Content(file);
  return absl::OkStatus();
}

absl::Status CrashDisk::SyncFolder(const std::string& folder) {
  Step();
  struct stat info = {};
  if (stat(folder.c_str(), &info) != 0) return absl::NotFoundError(folder);
  synced_.folders[info.st_ino] = List(folder);
  return absl::OkStatus();
}

absl::Status CrashDisk::SyncAll(const std::string& path) {
  Step();
  if (!Exists(path)) return absl::NotFoundError(path);
  const std::string boot = root_ + "/boot";
  if (path == boot || path.starts_with(boot + "/")) {
    Scan(boot, &synced_);
    return absl::OkStatus();
  }
  const Folder top = List(root_);
  synced_.folders[Info(root_).st_ino] = top;
  for (const auto& [name, entry] : top) {
    if (S_ISDIR(entry.mode) && name != "boot") Scan(absl::StrCat(root_, "/", name), &synced_);
  }
  return absl::OkStatus();
}

absl::StatusOr<Disk::Space> CrashDisk::SpaceAt(const std::string& path) { return space(path); }

}  // namespace shakedown::laptop
