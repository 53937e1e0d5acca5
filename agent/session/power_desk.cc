#include "agent/session/power_desk.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kRemembered = 100;  // Orders that were acknowledged; ids grow.
constexpr size_t kMostError = 400;
constexpr char kCut[] = "the agent ended while it switched; it is not known how far that came";

enum class Stage { kBegun, kDone, kAcknowledged };

struct Record {
  Stage stage = Stage::kBegun;
  std::string error;  // Of kDone; one line.
};
using Records = std::map<int64_t, Record>;

constexpr std::pair<Stage, absl::string_view> kWords[] = {
    {Stage::kBegun, "begun"}, {Stage::kDone, "done"}, {Stage::kAcknowledged, "acknowledged"}};

// A line each: "17 done plug does not answer".
std::string Print(const Records& records) {
  std::string text;
  for (const auto& [id, record] : records) {
    for (const auto& [stage, word] : kWords) {
      if (stage == record.stage) absl::StrAppend(&text, id, " ", word, " ", record.error, "\n");
    }
  }
  return text;
}

absl::StatusOr<Records> Parse(const std::string& path, absl::string_view text) {
  Records records;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(' ', 2));
    int64_t id = 0;
    bool good = parts.size() == 3 && absl::SimpleAtoi(parts[0], &id);
    bool known = false;
    for (const auto& [stage, word] : kWords) {
      if (!good || parts[1] != word) continue;
      records[id] = {stage, parts[2]};
      known = true;
    }
    if (!known) {
      return absl::DataLossError(absl::StrCat(
          path, ": ", Quoted(line), ": damaged; look what the farm ordered and remove the file"));
    }
  }
  return records;
}

class FileDesk : public PowerDesk {
 public:
  FileDesk(std::string path, std::map<std::string, std::unique_ptr<PowerControl>> switches,
           Records records)
      : path_(std::move(path)), switches_(std::move(switches)), records_(std::move(records)) {
    for (auto& [id, record] : records_) {
      if (record.stage == Stage::kBegun) record = {Stage::kDone, kCut};
    }
    thread_ = std::thread([this] { Work(); });
  }

  ~FileDesk() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void Describe(v1::SyncRequest& request) override {
    for (const auto& [machine, power] : switches_) request.add_powers(machine);
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, record] : records_) {
      if (record.stage != Stage::kDone) continue;
      v1::PowerDone& done = *request.add_power_done();
      done.set_id(id);
      done.set_error(record.error);
    }
  }

  absl::Status Take(const v1::SyncRequest& request, const v1::SyncResponse& response) override {
    std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(failed_);
    bool changed = false;
    for (const v1::PowerDone& done : request.power_done()) {
      const auto record = records_.find(done.id());
      if (record == records_.end() || record->second.stage != Stage::kDone) continue;
      record->second = {Stage::kAcknowledged, ""};
      changed = true;
    }
    for (const v1::PowerOrder& order : response.power_orders()) {
      if (!records_.try_emplace(order.id()).second) continue;
      changed = true;
      spdlog::info("power order {}: machine {}", order.id(), PrintableLine(order.machine()));
      queue_.push_back(order);
    }
    if (!changed) return absl::OkStatus();
    Forget();
    RETURN_IF_ERROR(Save());
    changed_.notify_all();
    return absl::OkStatus();
  }

  void OnNews(std::function<void()> news) override {
    std::lock_guard<std::mutex> lock(news_mutex_);
    news_ = std::move(news);
  }

 private:
  // The oldest that were acknowledged: the farm never says them again.
  void Forget() {
    for (auto it = records_.begin(); it != records_.end() && records_.size() > kRemembered;) {
      it = it->second.stage == Stage::kAcknowledged ? records_.erase(it) : std::next(it);
    }
  }

  absl::Status Save() { return WriteFileAtomically(path_, Print(records_), 0600); }

  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      const v1::PowerOrder order = queue_.front();
      queue_.pop_front();
      lock.unlock();
      const absl::Status done = Cycle(order.machine());
      lock.lock();
      // Stopped in the middle: the file says "begun", and the next start tells.
      if (absl::IsCancelled(done)) return;
      if (!done.ok()) spdlog::warn("power order {}: {}", order.id(), done.ToString());
      records_[order.id()] = {Stage::kDone,
                              done.ok() ? "" : PrintableLine(done.ToString(), kMostError)};
      failed_.Update(Save());
      lock.unlock();
      Tell();
      lock.lock();
    }
  }

  absl::Status Cycle(const std::string& machine) {
    const auto power = switches_.find(machine);
    if (power != switches_.end()) return power->second->Cycle(stop_);
    return absl::NotFoundError(
        absl::StrCat("machine ", Quoted(machine), ": this agent can not switch its power"));
  }

  void Tell() {
    std::lock_guard<std::mutex> lock(news_mutex_);
    if (news_) news_();
  }

  const std::string path_;
  const std::map<std::string, std::unique_ptr<PowerControl>> switches_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stop_ = false;
  std::deque<v1::PowerOrder> queue_;  // On the disk already.
  Records records_;
  absl::Status failed_;
  std::mutex news_mutex_;
  std::function<void()> news_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PowerDesk>> OpenPowerDesk(
    std::string path, std::map<std::string, std::unique_ptr<PowerControl>> switches) {
  Records records;
  const absl::StatusOr<std::string> text = ReadFile(path, kMostBytes);
  if (text.ok()) {
    ASSIGN_OR_RETURN(records, Parse(path, *text));
  } else if (!absl::IsNotFound(text.status())) {
    return text.status();
  }
  return std::make_unique<FileDesk>(std::move(path), std::move(switches), std::move(records));
}

}  // namespace shakedown::agent
