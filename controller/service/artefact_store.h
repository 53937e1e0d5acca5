// The farm's files: kernels, initramfs, configurations, patches, each named by the SHA-256 of its
// content.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::service {

// Larger artefacts are refused: ten times a Debian kernel with all its modules.
inline constexpr uint64_t kMaxArtefact = 4ull << 30;

// A file on its way in. Removes what it wrote unless Commit() was OK; after an error it is not
// called again. One owner, not thread-safe.
class ArtefactWriter {
 public:
  virtual ~ArtefactWriter() = default;
  // ResourceExhausted: the disk is full. InvalidArgument: more bytes than were announced.
  virtual absl::Status Write(absl::string_view data) = 0;
  // Checks size and digest, makes the file durable and gives it its name. InvalidArgument: it is
  // not what was announced (says both). Once.
  virtual absl::Status Commit() = 0;
};

// A file on its way in of which nothing is known beforehand. Removes what it wrote unless Commit()
// was OK. One owner, not thread-safe.
class ArtefactIntake {
 public:
  virtual ~ArtefactIntake() = default;
  // ResourceExhausted: the disk is full. InvalidArgument: more bytes than the limit.
  virtual absl::Status Write(absl::string_view data) = 0;
  // Where the bytes are until Commit(), to be looked at.
  virtual const std::string& path() const = 0;
  // Makes the file durable and says what it is. Once.
  virtual absl::StatusOr<v1::Artefact> Commit() = 0;
};

// A file on its way out. One owner, not thread-safe.
class ArtefactReader {
 public:
  virtual ~ArtefactReader() = default;
  // At most `limit` bytes, empty at the end. DataLoss, instead of the end: the content does not
  // have its digest; the file is removed, so that it can be put again.
  virtual absl::StatusOr<std::string> Next(size_t limit) = 0;
};

// Thread-safe; any number of processes may share a folder.
class ArtefactStore {
 public:
  // Makes the folder when it is not there and removes what dead writers left. Errors name the path.
  static absl::StatusOr<std::unique_ptr<ArtefactStore>> Open(std::string folder);

  // True when a file of that digest and size is there. Its content is checked when it is read.
  // InvalidArgument: not a digest.
  absl::StatusOr<bool> Has(const v1::Artefact& artefact) const;

  // InvalidArgument: not a digest, or larger than kMaxArtefact.
  absl::StatusOr<std::unique_ptr<ArtefactWriter>> Create(const v1::Artefact& artefact);

  // A file of at most `limit` bytes.
  absl::StatusOr<std::unique_ptr<ArtefactIntake>> Receive(uint64_t limit);

  // Stores bytes that are at hand; OK as well when they were there.
  absl::StatusOr<v1::Artefact> Put(absl::string_view content);

  // NotFound: no such file. DataLoss: it has not the size it should; it is removed, so that it can
  // be put again.
  absl::StatusOr<std::unique_ptr<ArtefactReader>> Read(const v1::Artefact& artefact);

 private:
  class Incoming;
  absl::StatusOr<std::unique_ptr<Incoming>> NewIncoming() const;
  explicit ArtefactStore(std::string folder) : folder_(std::move(folder)) {}
  const std::string folder_;
};

}  // namespace shakedown::service
