// The journal's SQLite file: checksummed records, added and removed in transactions.
#ifndef SHAKEDOWN_AGENT_SESSION_JOURNAL_FILE_H_
#define SHAKEDOWN_AGENT_SESSION_JOURNAL_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

struct JournalRecord {
  int64_t sequence = 0;  // Given by Add.
  std::string kind;      // "start", "order", "result", "acknowledged", "log_end".
  std::string work;      // "boot", "build"; empty for a start.
  std::string id;
  int64_t epoch = 0;
  std::string body;
  std::string boot_id;
  int64_t wall_us = 0;  // Since the Unix epoch.
};

// One owner, not thread-safe.
class JournalFile {
 public:
  virtual ~JournalFile() = default;
  // Every record in sequence. DataLoss when one does not match its checksum.
  virtual absl::StatusOr<std::vector<JournalRecord>> ReadAll() = 0;
  // Removes and adds in one transaction; OK means it is on the disk. Sets the sequence of `add`.
  virtual absl::Status Commit(JournalRecord& add, const std::vector<int64_t>& remove) = 0;
  // DataLoss that names the file, `how` it is damaged, and what a person has to do.
  virtual absl::Status Damaged(absl::string_view how) const = 0;
};

absl::StatusOr<std::unique_ptr<JournalFile>> OpenJournalFile(const std::string& path);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_JOURNAL_FILE_H_
