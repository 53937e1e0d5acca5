// What the agent must not forget: orders it accepted, results the farm has not acknowledged.
#ifndef SHAKEDOWN_AGENT_SESSION_JOURNAL_H_
#define SHAKEDOWN_AGENT_SESSION_JOURNAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/wire/clock.h"

namespace shakedown::agent {

enum class WorkKind { kBoot, kBuild };

// One lease of one piece of work. The same id under a new epoch is other work.
struct WorkKey {
  WorkKind kind = WorkKind::kBoot;
  std::string id;  // attempt_id or build_id.
  int64_t epoch = 0;
  bool operator<(const WorkKey& other) const {
    return std::tie(kind, id, epoch) < std::tie(other.kind, other.id, other.epoch);
  }
  bool operator==(const WorkKey& other) const = default;
};

// A message as it was appended, and when: `boot_id` tells a restart of the agent from one of the
// host.
struct JournalEntry {
  WorkKey key;
  std::string bytes;  // A whole BootOrder, BuildOrder, BootResult or BuildResult.
  std::string boot_id;
  absl::Time wall;
};

// A SQLite file, synchronous=FULL: what returned OK survives SIGKILL and power loss. Every record
// has a SHA-256. Any error means that the agent can not keep its promises and must end.
// Thread-safe.
class Journal {
 public:
  virtual ~Journal() = default;

  // Grows by one at each start on this journal; a new journal begins at the wall clock's seconds,
  // so that one in the place of a lost one goes on above it.
  virtual uint64_t Incarnation() const = 0;

  // Before acting. AlreadyExists when the key is known, also when it has been acknowledged.
  virtual absl::Status AppendOrder(const WorkKey& key, const std::string& order) = 0;
  // Before reporting; NotFound without an order. A second result before the acknowledgement
  // replaces the first (the farm refused it, or its files are lost).
  virtual absl::Status AppendResult(const WorkKey& key, const std::string& result) = 0;
  // The farm has answered for good: order, result and log offset are forgotten, the key is
  // remembered among the last hundred. NotFound without a result.
  virtual absl::Status Acknowledge(const WorkKey& key) = 0;

  // Orders without a result, in order of acceptance.
  virtual std::vector<JournalEntry> OpenOrders() const = 0;
  // Results without an acknowledgement, in order of arrival.
  virtual std::vector<JournalEntry> PendingResults() const = 0;
  virtual std::optional<JournalEntry> FindOrder(const WorkKey& key) const = 0;
  virtual std::optional<JournalEntry> FindResult(const WorkKey& key) const = 0;
  // Has a result, acknowledged or not.
  virtual bool Finished(const WorkKey& key) const = 0;

  // The farm holds this stream's bytes before `end`. Only for known, unacknowledged work.
  virtual absl::Status RecordLogEnd(const WorkKey& key, uint64_t end) = 0;
  virtual std::optional<uint64_t> LogEnd(const WorkKey& key) const = 0;
};

// Opens or makes the journal and counts this start. DataLoss for a damaged file or record, naming
// the file and what to do; others as SQLite tells them.
absl::StatusOr<std::unique_ptr<Journal>> OpenJournal(const std::string& path,
                                                     const std::string& boot_id, Clock& clock);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_JOURNAL_H_
