#include "controller/service/artefact_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::Status MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return absl::OkStatus();
  return ErrnoStatus(errno, path);
}

// DIR/ab/abcd…: the digest was checked, so nothing foreign gets into a path.
std::string FolderOf(const std::string& root, absl::string_view sha256) {
  return absl::StrCat(root, "/", sha256.substr(0, 2));
}
std::string PathOf(const std::string& root, absl::string_view sha256) {
  return absl::StrCat(FolderOf(root, sha256), "/", sha256);
}
std::string TemporaryFolder(const std::string& root) { return absl::StrCat(root, "/incoming"); }

absl::Status CheckDigest(const v1::Artefact& artefact) {
  if (IsSha256Hex(artefact.sha256())) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("artefact ", Quoted(artefact.sha256()), ": want 64 lower-case hex digits"));
}

// A live writer holds a lock on its file; what has none was left by a process that died.
absl::Status RemoveLeftovers(const std::string& folder) {
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return ErrnoStatus(errno, folder);
  while (const dirent* entry = readdir(entries)) {
    if (!IsUuid(entry->d_name)) continue;
    const std::string path = absl::StrCat(folder, "/", entry->d_name);
    const Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (fd.get() >= 0 && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  }
  closedir(entries);
  return absl::OkStatus();
}

class FileWriter : public ArtefactWriter {
 public:
  FileWriter(std::string root, v1::Artefact artefact, std::string path, int fd)
      : root_(std::move(root)), artefact_(std::move(artefact)), path_(std::move(path)), fd_(fd) {}

  ~FileWriter() override {
    if (!committed_) Discard();
  }

  absl::Status Write(absl::string_view data) override {
    const absl::Status written = TryWrite(data);
    if (!written.ok()) Discard();
    return written;
  }

  absl::Status Commit() override {
    const absl::Status committed = TryCommit();
    if (!committed_) Discard();
    return committed;
  }

 private:
  // At once, so that nothing is left when the caller hears of a refusal.
  void Discard() const { unlink(path_.c_str()); }

  absl::Status TryWrite(absl::string_view data) {
    if (data.size() > artefact_.size() - written_) {
      return absl::InvalidArgumentError(absl::StrCat("artefact ", artefact_.sha256(),
                                                     ": more than ", artefact_.size(),
                                                     " bytes, want as many as announced"));
    }
    digest_.Add(data);
    written_ += data.size();
    while (!data.empty()) {
      const ssize_t wrote = write(fd_.get(), data.data(), data.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return ErrnoStatus(errno, absl::StrCat("artefact ", artefact_.sha256()));
      data.remove_prefix(static_cast<size_t>(wrote));
    }
    return absl::OkStatus();
  }

  absl::Status TryCommit() {
    const std::string sha256 = digest_.Finish();
    if (written_ != artefact_.size() || sha256 != artefact_.sha256()) {
      return absl::InvalidArgumentError(
          absl::StrCat("artefact ", artefact_.sha256(), " of ", artefact_.size(), " bytes: got ",
                       written_, " bytes with digest ", sha256, ", want what was announced"));
    }
    if (fsync(fd_.get()) != 0) return ErrnoStatus(errno, path_);
    const std::string folder = FolderOf(root_, sha256);
    RETURN_IF_ERROR(MakeFolder(folder));
    if (rename(path_.c_str(), PathOf(root_, sha256).c_str()) != 0) {
      return ErrnoStatus(errno, PathOf(root_, sha256));
    }
    committed_ = true;
    RETURN_IF_ERROR(SyncFolder(folder));
    return SyncFolder(root_);
  }

  const std::string root_;
  const v1::Artefact artefact_;
  const std::string path_;
  const Descriptor fd_;
  Sha256 digest_;
  uint64_t written_ = 0;
  bool committed_ = false;
};

absl::Status Damaged(const v1::Artefact& artefact, const std::string& path, absl::string_view how) {
  unlink(path.c_str());
  return absl::DataLossError(absl::StrCat("artefact ", artefact.sha256(), ": ", path, " ", how,
                                          "; it was removed, want it to be put again"));
}

class FileReader : public ArtefactReader {
 public:
  FileReader(v1::Artefact artefact, std::string path, int fd)
      : artefact_(std::move(artefact)), path_(std::move(path)), fd_(fd) {}

  absl::StatusOr<std::string> Next(size_t limit) override {
    std::string piece(limit, '\0');
    ssize_t got;
    do {
      got = read(fd_.get(), piece.data(), piece.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) return ErrnoStatus(errno, path_);
    piece.resize(static_cast<size_t>(got));
    digest_.Add(piece);
    if (piece.empty() && !ended_) {
      ended_ = true;
      const std::string sha256 = digest_.Finish();
      if (sha256 != artefact_.sha256()) {
        return Damaged(artefact_, path_, absl::StrCat("has digest ", sha256));
      }
    }
    return piece;
  }

 private:
  const v1::Artefact artefact_;
  const std::string path_;
  const Descriptor fd_;
  Sha256 digest_;
  bool ended_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ArtefactStore>> ArtefactStore::Open(std::string folder) {
  RETURN_IF_ERROR(MakeFolder(folder));
  RETURN_IF_ERROR(MakeFolder(TemporaryFolder(folder)));
  RETURN_IF_ERROR(RemoveLeftovers(TemporaryFolder(folder)));
  return std::unique_ptr<ArtefactStore>(new ArtefactStore(std::move(folder)));
}

absl::StatusOr<bool> ArtefactStore::Has(const v1::Artefact& artefact) const {
  RETURN_IF_ERROR(CheckDigest(artefact));
  struct stat info;
  if (stat(PathOf(folder_, artefact.sha256()).c_str(), &info) != 0) {
    if (errno == ENOENT) return false;
    return ErrnoStatus(errno, PathOf(folder_, artefact.sha256()));
  }
  return static_cast<uint64_t>(info.st_size) == artefact.size();
}

absl::StatusOr<std::unique_ptr<ArtefactWriter>> ArtefactStore::Create(
    const v1::Artefact& artefact) {
  RETURN_IF_ERROR(CheckDigest(artefact));
  if (artefact.size() > kMaxArtefact) {
    return absl::InvalidArgumentError(absl::StrCat("artefact ", artefact.sha256(), ": size ",
                                                   artefact.size(), ", want at most ",
                                                   kMaxArtefact));
  }
  std::string path = absl::StrCat(TemporaryFolder(folder_), "/", NewUuid());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, path);
  auto writer = std::make_unique<FileWriter>(folder_, artefact, path, fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) return ErrnoStatus(errno, path);
  return writer;
}

absl::StatusOr<v1::Artefact> ArtefactStore::Put(absl::string_view content) {
  v1::Artefact artefact;
  artefact.set_sha256(Sha256Hex(content));
  artefact.set_size(content.size());
  ASSIGN_OR_RETURN(const bool there, Has(artefact));
  if (there) return artefact;
  ASSIGN_OR_RETURN(const std::unique_ptr<ArtefactWriter> writer, Create(artefact));
  RETURN_IF_ERROR(writer->Write(content));
  RETURN_IF_ERROR(writer->Commit());
  return artefact;
}

absl::StatusOr<std::unique_ptr<ArtefactReader>> ArtefactStore::Read(const v1::Artefact& artefact) {
  RETURN_IF_ERROR(CheckDigest(artefact));
  const std::string path = PathOf(folder_, artefact.sha256());
  const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("artefact ", artefact.sha256(), ": ", path));
  auto reader = std::make_unique<FileReader>(artefact, path, fd);
  struct stat info;
  if (fstat(fd, &info) != 0) return ErrnoStatus(errno, path);
  if (static_cast<uint64_t>(info.st_size) != artefact.size()) {
    return Damaged(artefact, path,
                   absl::StrCat("has ", info.st_size, " bytes instead of ", artefact.size()));
  }
  return reader;
}

}  // namespace shakedown::service
