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

// A locked file in the folder of those on their way in; gone unless it was kept.
class ArtefactStore::Incoming {
 public:
  Incoming(std::string root, std::string path, int fd)
      : root_(std::move(root)), path_(std::move(path)), fd_(fd) {}
  ~Incoming() {
    if (!kept_) unlink(path_.c_str());
  }
  Incoming(const Incoming&) = delete;

  absl::Status Lock() {
    return flock(fd_.get(), LOCK_EX | LOCK_NB) == 0 ? absl::OkStatus() : ErrnoStatus(errno, path_);
  }

  absl::Status Write(absl::string_view data) {
    digest_.Add(data);
    size_ += data.size();
    while (!data.empty()) {
      const ssize_t wrote = write(fd_.get(), data.data(), data.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return ErrnoStatus(errno, path_);
      data.remove_prefix(static_cast<size_t>(wrote));
    }
    return absl::OkStatus();
  }

  // Once, after the last byte.
  v1::Artefact Describe() {
    v1::Artefact artefact;
    artefact.set_sha256(digest_.Finish());
    artefact.set_size(size_);
    return artefact;
  }

  // Durable, under its name.
  absl::Status Keep(const std::string& sha256) {
    if (fsync(fd_.get()) != 0) return ErrnoStatus(errno, path_);
    const std::string folder = FolderOf(root_, sha256);
    RETURN_IF_ERROR(MakeFolder(folder));
    if (rename(path_.c_str(), PathOf(root_, sha256).c_str()) != 0) {
      return ErrnoStatus(errno, PathOf(root_, sha256));
    }
    kept_ = true;
    RETURN_IF_ERROR(SyncFolder(folder));
    return SyncFolder(root_);
  }

  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  const std::string root_, path_;
  const Descriptor fd_;
  Sha256 digest_;
  uint64_t size_ = 0;
  bool kept_ = false;
};

namespace {

// Gives the file up at once when it is refused, so that nothing is left of it when its sender hears
// of that. `File` is ArtefactStore::Incoming.
template <typename File>
absl::Status KeepUnlessRefused(std::unique_ptr<File>& file, absl::Status status) {
  if (!status.ok()) file.reset();
  return status;
}

template <typename File>
class FileWriter : public ArtefactWriter {
 public:
  FileWriter(v1::Artefact artefact, std::unique_ptr<File> file)
      : artefact_(std::move(artefact)), file_(std::move(file)) {}

  absl::Status Write(absl::string_view data) override {
    return KeepUnlessRefused(file_, TryWrite(data));
  }
  absl::Status Commit() override { return KeepUnlessRefused(file_, TryCommit()); }

 private:
  absl::Status TryWrite(absl::string_view data) {
    if (data.size() > artefact_.size() - file_->size()) {
      return absl::InvalidArgumentError(absl::StrCat("artefact ", artefact_.sha256(),
                                                     ": more than ", artefact_.size(),
                                                     " bytes, want as many as announced"));
    }
    return Annotate(file_->Write(data), absl::StrCat("artefact ", artefact_.sha256()));
  }

  absl::Status TryCommit() {
    const v1::Artefact got = file_->Describe();
    if (got.size() != artefact_.size() || got.sha256() != artefact_.sha256()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "artefact ", artefact_.sha256(), " of ", artefact_.size(), " bytes: got ", got.size(),
          " bytes with digest ", got.sha256(), ", want what was announced"));
    }
    return file_->Keep(got.sha256());
  }

  const v1::Artefact artefact_;
  std::unique_ptr<File> file_;
};

template <typename File>
class FileIntake : public ArtefactIntake {
 public:
  FileIntake(uint64_t limit, std::unique_ptr<File> file) : limit_(limit), file_(std::move(file)) {}

  absl::Status Write(absl::string_view data) override {
    if (data.size() <= limit_ - file_->size()) return KeepUnlessRefused(file_, file_->Write(data));
    return KeepUnlessRefused(file_, absl::InvalidArgumentError(absl::StrCat(
                                        "more than ", limit_, " bytes, want at most that")));
  }
  const std::string& path() const override { return file_->path(); }

  absl::StatusOr<v1::Artefact> Commit() override {
    const v1::Artefact artefact = file_->Describe();
    RETURN_IF_ERROR(KeepUnlessRefused(file_, file_->Keep(artefact.sha256())));
    return artefact;
  }

 private:
  const uint64_t limit_;
  std::unique_ptr<File> file_;
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
  ASSIGN_OR_RETURN(std::unique_ptr<Incoming> file, NewIncoming());
  return std::make_unique<FileWriter<Incoming>>(artefact, std::move(file));
}

absl::StatusOr<std::unique_ptr<ArtefactIntake>> ArtefactStore::Receive(uint64_t limit) {
  ASSIGN_OR_RETURN(std::unique_ptr<Incoming> file, NewIncoming());
  return std::make_unique<FileIntake<Incoming>>(limit, std::move(file));
}

absl::StatusOr<std::unique_ptr<ArtefactStore::Incoming>> ArtefactStore::NewIncoming() const {
  std::string path = absl::StrCat(TemporaryFolder(folder_), "/", NewUuid());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, path);
  auto file = std::make_unique<Incoming>(folder_, std::move(path), fd);
  RETURN_IF_ERROR(file->Lock());
  return file;
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
