// The transaction's memory: records appended to one file, each on the disk before it is acted upon.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_JOURNAL_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_JOURNAL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/laptop/boot/disk.h"

namespace shakedown::laptop {

struct Record {
  std::string kind;     // A word: "begin", "armed", …
  std::string boot_id;  // Of the kernel that wrote it.
  absl::Time wall;      // Microseconds count.
  std::string body;     // Any bytes, at most kMaxRecord.
};

inline constexpr size_t kMaxRecord = 32 << 20;

// A record in the file is "shakedown-journal NUMBER KIND BOOT_ID WALL_US LENGTH SHA256\n", LENGTH
// bytes of body in Base64 (so that no body can look like a record), and "\n"; the SHA-256 is of
// what is before it and that body. Numbers rise by one. What the disk has of a record whose append
// did not return is cut off at the next Open(): it promised nothing. One owner, not thread-safe.
class BootJournal {
 public:
  // Makes the file (0600) when there is none. DataLoss: a damaged record before a sound one, naming
  // the file and what to do. Internal: what can not be read, written or synced.
  static absl::StatusOr<std::unique_ptr<BootJournal>> Open(const std::string& path, Disk& disk);

  const std::vector<Record>& records() const { return records_; }
  // OK: on the disk. Internal: nobody knows whether it is; the process must end.
  absl::Status Append(Record record);
  // These records alone, in one step: the old file stands or the new one.
  absl::Status Replace(std::vector<Record> records);

 private:
  BootJournal(std::string path, Disk& disk) : path_(std::move(path)), disk_(disk) {}
  absl::Status Load();

  const std::string path_;
  Disk& disk_;
  uint64_t next_ = 1;
  std::vector<Record> records_;
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_JOURNAL_H_
