#include "agent/laptop/boot/disk.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

absl::Status Done(int result, const std::string& path) {
  return result == 0 ? absl::OkStatus() : ErrnoStatus(errno, path);
}

absl::Status WriteAll(int fd, absl::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return ErrnoStatus(errno, path);
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return absl::OkStatus();
}

// A file system without modes of its own (vfat) says no and keeps what its mount says.
absl::Status ModeSet(int result, const std::string& path) {
  return result != 0 && errno == EPERM ? absl::OkStatus() : Done(result, path);
}

// A file system without such a flag has nothing to take off.
void TakeGuardOff(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) return;
  unsigned int flags = 0;
  if (ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_IMMUTABLE_FL) == 0) return;
  flags &= ~static_cast<unsigned int>(FS_IMMUTABLE_FL);
  ioctl(fd.get(), FS_IOC_SETFLAGS, &flags);
}

class RealDisk : public Disk {
 public:
  absl::Status MakeFolder(const std::string& path, mode_t mode) override {
    RETURN_IF_ERROR(Done(mkdir(path.c_str(), mode), path));
    return ModeSet(chmod(path.c_str(), mode), path);
  }

  absl::Status Create(const std::string& path, mode_t mode) override {
    const Descriptor fd(
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (fd.get() < 0) return ErrnoStatus(errno, path);
    return ModeSet(fchmod(fd.get(), mode), path);
  }

  absl::Status Append(const std::string& path, absl::string_view bytes) override {
    const Descriptor fd(open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() < 0) return ErrnoStatus(errno, path);
    return WriteAll(fd.get(), bytes, path);
  }

  absl::Status Overwrite(const std::string& path, absl::string_view bytes) override {
    const Descriptor fd(open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() < 0) return ErrnoStatus(errno, path);
    return WriteAll(fd.get(), bytes, path);
  }

  absl::Status Truncate(const std::string& path, uint64_t size) override {
    const Descriptor fd(open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() < 0) return ErrnoStatus(errno, path);
    return Done(ftruncate(fd.get(), static_cast<off_t>(size)), path);
  }

  absl::Status Link(const std::string& target, const std::string& path) override {
    return Done(symlink(target.c_str(), path.c_str()), path);
  }

  absl::Status Rename(const std::string& from, const std::string& to) override {
    return Done(rename(from.c_str(), to.c_str()), to);
  }

  absl::Status RenameNew(const std::string& from, const std::string& to) override {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
      return absl::OkStatus();
    }
    if (errno != EINVAL) return ErrnoStatus(errno, to);
    // A file system that does not know the flag (vfat before 6.0). Only root writes there.
    if (Exists(to)) return ErrnoStatus(EEXIST, to);
    return Rename(from, to);
  }

  absl::Status Remove(const std::string& path) override { return Done(unlink(path.c_str()), path); }

  absl::Status RemoveFolder(const std::string& path) override {
    return Done(rmdir(path.c_str()), path);
  }

  absl::Status WriteVariable(const std::string& path, absl::string_view bytes) override {
    TakeGuardOff(path);
    const Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (fd.get() < 0) return ErrnoStatus(errno, path);
    const ssize_t wrote = write(fd.get(), bytes.data(), bytes.size());
    if (wrote < 0) return ErrnoStatus(errno, path);
    if (static_cast<size_t>(wrote) == bytes.size()) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat(path, ": ", wrote, " bytes written, want ", bytes.size()));
  }

  absl::Status RemoveVariable(const std::string& path) override {
    TakeGuardOff(path);
    return Remove(path);
  }

  absl::Status Sync(const std::string& file) override {
    const Descriptor fd(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() < 0 || fsync(fd.get()) != 0) return ErrnoStatus(errno, file);
    return absl::OkStatus();
  }

  absl::Status SyncFolder(const std::string& folder) override {
    const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0 || fsync(fd.get()) != 0) return ErrnoStatus(errno, folder);
    return absl::OkStatus();
  }

  absl::Status SyncAll(const std::string& path) override {
    const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0 || syncfs(fd.get()) != 0) return ErrnoStatus(errno, path);
    return absl::OkStatus();
  }

  absl::StatusOr<Space> SpaceAt(const std::string& path) override {
    struct statvfs space;
    struct stat info;
    if (statvfs(path.c_str(), &space) != 0 || stat(path.c_str(), &info) != 0) {
      return ErrnoStatus(errno, path);
    }
    return Space{.free = uint64_t{space.f_bavail} * space.f_frsize,
                 .device = info.st_dev,
                 .read_only = (space.f_flag & ST_RDONLY) != 0};
  }
};

}  // namespace

std::unique_ptr<Disk> MakeDisk() { return std::make_unique<RealDisk>(); }

absl::Status ReplaceFile(Disk& disk, const std::string& path, absl::string_view content,
                         mode_t mode) {
  const std::string beside = absl::StrCat(path, ".shakedown-new");
  if (Exists(beside)) RETURN_IF_ERROR(disk.Remove(beside));
  RETURN_IF_ERROR(disk.Create(beside, mode));
  RETURN_IF_ERROR(disk.Append(beside, content));
  RETURN_IF_ERROR(disk.Sync(beside));
  RETURN_IF_ERROR(disk.Rename(beside, path));
  return disk.SyncFolder(FolderOf(path));
}

absl::Status RemoveTree(Disk& disk, const std::string& path) {
  if (!Exists(path)) return absl::OkStatus();
  if (!IsFolder(path)) return disk.Remove(path);
  std::vector<std::string> inside;
  std::error_code error;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    inside.push_back(it->path().string());
  }
  if (error) return ErrnoStatus(error.value(), path);
  for (const std::string& one : inside) RETURN_IF_ERROR(RemoveTree(disk, one));
  return disk.RemoveFolder(path);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool Exists(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace shakedown::laptop
