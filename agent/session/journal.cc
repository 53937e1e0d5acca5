#include "agent/session/journal.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/session/journal_file.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

// Acknowledged keys that are remembered, to know an order that comes again.
constexpr size_t kRemembered = 100;

const char* KindName(WorkKind kind) { return kind == WorkKind::kBoot ? "boot" : "build"; }

std::string Name(const WorkKey& key) {
  return absl::StrCat(KindName(key.kind), " ", key.id, " epoch ", key.epoch);
}

class SqliteJournal : public Journal {
 public:
  SqliteJournal(std::unique_ptr<JournalFile> file, std::string boot_id, Clock& clock)
      : file_(std::move(file)), boot_id_(std::move(boot_id)), clock_(clock) {}

  absl::Status Load() {
    ASSIGN_OR_RETURN(const std::vector<JournalRecord> records, file_->ReadAll());
    // A new journal in the place of a lost one must still count higher than that did.
    incarnation_ = records.empty() ? absl::ToUnixSeconds(clock_.Now()) : 0;
    std::vector<int64_t> earlier_starts;
    for (const JournalRecord& record : records) {
      if (record.kind == "start") {
        earlier_starts.push_back(record.sequence);
        if (!absl::SimpleAtoi(record.body, &incarnation_)) {
          return file_->Damaged(absl::StrCat("start ", Quoted(record.body), ", want a number"));
        }
      } else {
        RETURN_IF_ERROR(Take(record));
      }
    }
    ++incarnation_;
    JournalRecord start{.kind = "start", .body = absl::StrCat(incarnation_)};
    return Commit(start, earlier_starts);
  }

  uint64_t Incarnation() const override { return incarnation_; }

  absl::Status AppendOrder(const WorkKey& key, const std::string& order) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (work_.count(key) > 0 || acknowledged_.count(key) > 0) {
      return absl::AlreadyExistsError(absl::StrCat("journal has an order of ", Name(key)));
    }
    return Append("order", key, order, {});
  }

  absl::Status AppendResult(const WorkKey& key, const std::string& result) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = work_.find(key);
    if (found == work_.end()) {
      return absl::NotFoundError(absl::StrCat("journal has no order of ", Name(key)));
    }
    std::vector<int64_t> replaced;
    if (found->second.result) replaced.push_back(found->second.result->sequence);
    return Append("result", key, result, replaced);
  }

  absl::Status Acknowledge(const WorkKey& key) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = work_.find(key);
    if (found == work_.end() || !found->second.result) {
      return absl::NotFoundError(absl::StrCat("journal has no result of ", Name(key)));
    }
    const Work& work = found->second;
    std::vector<int64_t> done = {work.order->sequence, work.result->sequence};
    if (work.log_end) done.push_back(work.log_end->sequence);
    if (acknowledged_.size() >= kRemembered) done.push_back(Oldest());
    return Append("acknowledged", key, "", done);
  }

  std::vector<JournalEntry> OpenOrders() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::map<int64_t, JournalEntry> sorted;
    for (const auto& [key, work] : work_) {
      if (!work.result) sorted.emplace(work.order->sequence, Entry(key, *work.order));
    }
    return Values(sorted);
  }

  std::vector<JournalEntry> PendingResults() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::map<int64_t, JournalEntry> sorted;
    for (const auto& [key, work] : work_) {
      if (work.result) sorted.emplace(work.result->sequence, Entry(key, *work.result));
    }
    return Values(sorted);
  }

  std::optional<JournalEntry> FindOrder(const WorkKey& key) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = work_.find(key);
    if (found == work_.end()) return std::nullopt;
    return Entry(key, *found->second.order);
  }

  std::optional<JournalEntry> FindResult(const WorkKey& key) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = work_.find(key);
    if (found == work_.end() || !found->second.result) return std::nullopt;
    return Entry(key, *found->second.result);
  }

  bool Finished(const WorkKey& key) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (acknowledged_.count(key) > 0) return true;
    const auto found = work_.find(key);
    return found != work_.end() && found->second.result.has_value();
  }

  absl::Status RecordLogEnd(const WorkKey& key, uint64_t end) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = work_.find(key);
    if (found == work_.end()) {
      return absl::NotFoundError(absl::StrCat("journal has no order of ", Name(key)));
    }
    std::vector<int64_t> replaced;
    if (found->second.log_end) replaced.push_back(found->second.log_end->sequence);
    return Append("log_end", key, absl::StrCat(end), replaced);
  }

  std::optional<uint64_t> LogEnd(const WorkKey& key) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = work_.find(key);
    uint64_t end = 0;
    if (found == work_.end() || !found->second.log_end ||
        !absl::SimpleAtoi(found->second.log_end->body, &end)) {
      return std::nullopt;
    }
    return end;
  }

 private:
  struct Work {
    std::optional<JournalRecord> order, result, log_end;
  };

  static JournalEntry Entry(const WorkKey& key, const JournalRecord& record) {
    return {key, record.body, record.boot_id, absl::FromUnixMicros(record.wall_us)};
  }

  static std::vector<JournalEntry> Values(const std::map<int64_t, JournalEntry>& sorted) {
    std::vector<JournalEntry> entries;
    for (const auto& [sequence, entry] : sorted) entries.push_back(entry);
    return entries;
  }

  int64_t Oldest() const {
    int64_t oldest = INT64_MAX;
    for (const auto& [key, sequence] : acknowledged_) oldest = std::min(oldest, sequence);
    return oldest;
  }

  absl::Status Append(const char* kind, const WorkKey& key, const std::string& body,
                      const std::vector<int64_t>& remove) {
    JournalRecord record{
        .kind = kind, .work = KindName(key.kind), .id = key.id, .epoch = key.epoch, .body = body};
    RETURN_IF_ERROR(Commit(record, remove));
    for (auto it = acknowledged_.begin(); it != acknowledged_.end();) {
      const bool removed = std::count(remove.begin(), remove.end(), it->second) > 0;
      it = removed ? acknowledged_.erase(it) : std::next(it);
    }
    return Take(record);
  }

  absl::Status Commit(JournalRecord& record, const std::vector<int64_t>& remove) {
    record.boot_id = boot_id_;
    record.wall_us = absl::ToUnixMicros(clock_.Now());
    return file_->Commit(record, remove);
  }

  // Brings the picture in memory up to one record of the file.
  absl::Status Take(const JournalRecord& record) {
    const WorkKey key{record.work == "boot" ? WorkKind::kBoot : WorkKind::kBuild, record.id,
                      record.epoch};
    if (record.kind == "order") {
      work_[key].order = record;
      return absl::OkStatus();
    }
    if (record.kind == "acknowledged") {
      work_.erase(key);
      acknowledged_[key] = record.sequence;
      return absl::OkStatus();
    }
    const auto found = work_.find(key);
    if (found == work_.end() || (record.kind != "result" && record.kind != "log_end")) {
      return file_->Damaged(absl::StrCat("record ", record.sequence, " is a ", Quoted(record.kind),
                                         " without an order: ", Name(key)));
    }
    (record.kind == "result" ? found->second.result : found->second.log_end) = record;
    return absl::OkStatus();
  }

  mutable std::mutex mutex_;
  const std::unique_ptr<JournalFile> file_;
  const std::string boot_id_;
  Clock& clock_;
  uint64_t incarnation_ = 0;
  std::map<WorkKey, Work> work_;
  std::map<WorkKey, int64_t> acknowledged_;  // With the record's sequence.
};

}  // namespace

absl::StatusOr<std::unique_ptr<Journal>> OpenJournal(const std::string& path,
                                                     const std::string& boot_id, Clock& clock) {
  ASSIGN_OR_RETURN(std::unique_ptr<JournalFile> file, OpenJournalFile(path));
  auto journal = std::make_unique<SqliteJournal>(std::move(file), boot_id, clock);
  RETURN_IF_ERROR(journal->Load());
  return journal;
}

}  // namespace shakedown::agent
