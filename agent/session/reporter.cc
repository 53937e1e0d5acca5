#include "agent/session/reporter.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/session/work.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

bool IsSettledOtherwise(const absl::Status& status) {
  return absl::IsAlreadyExists(status) || absl::IsFailedPrecondition(status) ||
         absl::IsNotFound(status);
}

bool WillNeverBeTaken(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) || absl::IsDataLoss(status);
}

class ThreadedReporter : public Reporter {
 public:
  ThreadedReporter(ReporterOptions options, ReporterParts parts, std::unique_ptr<Waiter> waiter)
      : options_(std::move(options)),
        parts_(parts),
        waiter_(std::move(waiter)),
        thread_([this] { Loop(); }) {}

  ~ThreadedReporter() override {
    stopping_ = true;
    waiter_->Notify();
    thread_.join();
  }

  void Add(const WorkKey& key, std::vector<CachedFile> files) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      waiting_[key] = std::move(files);
    }
    waiter_->Notify();
  }

  void Nudge() override { waiter_->Notify(); }

 private:
  void Loop() {
    Backoff backoff(options_.backoff, options_.random);
    absl::Duration wait = absl::InfiniteDuration();
    std::string last_error;
    while (!stopping_) {
      waiter_->Wait(wait);
      wait = absl::InfiniteDuration();
      if (options_.quiet && options_.quiet()) {
        wait = absl::Seconds(1);
        continue;
      }
      const absl::Status reported = ReportAll();
      if (reported.ok()) {
        backoff.Reset();
        last_error.clear();
      } else if (!stopping_) {
        wait = backoff.Next(reported);
        if (last_error != reported.message()) {
          spdlog::warn("results wait for the farm: {}", reported.ToString());
        }
        last_error = std::string(reported.message());
      }
    }
  }

  // One that can not be reported does not hold up the others. The first error of those kept.
  absl::Status ReportAll() {
    std::vector<WorkKey> keys;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& [key, files] : waiting_) keys.push_back(key);
    }
    absl::Status all;
    for (const WorkKey& key : keys) {
      if (stopping_) return all;
      all.Update(Report(key));
    }
    return all;
  }

  absl::Status Report(const WorkKey& key) {
    RETURN_IF_ERROR(Annotate(parts_.logs.Finish(key), absl::StrCat("log of ", key.id)));
    const absl::Status sent = Send(key);
    if (sent.ok()) return Forget(key);
    if (IsSettledOtherwise(sent)) {
      spdlog::warn("result of {} epoch {}: the farm keeps its own: {}", key.id, key.epoch,
                   sent.ToString());
      return Forget(key);
    }
    if (!WillNeverBeTaken(sent)) return Annotate(sent, absl::StrCat("result of ", key.id));
    spdlog::error("result of {} epoch {} is refused: {}", key.id, key.epoch, sent.ToString());
    if (!replaced_.insert(key).second) return Forget(key);
    const std::string reason = absl::StrCat("the result was refused: ", sent.message());
    const absl::Status journaled = parts_.journal.AppendResult(key, FarmFailed(key, reason));
    return journaled.ok() ? Report(key) : Fatal(journaled);
  }

  absl::Status Send(const WorkKey& key) {
    const std::optional<JournalEntry> entry = parts_.journal.FindResult(key);
    if (!entry) return absl::NotFoundError("the journal has no result of it");
    if (key.kind == WorkKind::kBoot) {
      v1::BootResult result;
      if (!result.ParseFromString(entry->bytes)) return Unreadable();
      return parts_.farm.ReportBoot(result);
    }
    v1::BuildResult result;
    if (!result.ParseFromString(entry->bytes)) return Unreadable();
    if (result.status() == v1::BuildResult::STATUS_BUILT) {
      RETURN_IF_ERROR(Upload(result.image()));
      if (result.has_initramfs()) RETURN_IF_ERROR(Upload(result.initramfs()));
      if (result.has_modules()) RETURN_IF_ERROR(Upload(result.modules()));
      if (result.has_config()) RETURN_IF_ERROR(Upload(result.config()));
    }
    return parts_.farm.ReportBuild(result);
  }

  static absl::Status Unreadable() {
    return absl::DataLossError("the journal's bytes are not a result");
  }

  // Whatever is wrong with a file is no word of the farm about the result: DataLoss replaces it.
  absl::Status Upload(const v1::Artefact& artefact) {
    const absl::StatusOr<CachedFile> file = parts_.cache.Find(artefact);
    if (!file.ok()) return absl::DataLossError(file.status().message());
    const absl::Status put = parts_.farm.PutArtefact(artefact, file->path());
    if (absl::IsAlreadyExists(put)) return absl::OkStatus();
    if (IsSettledOtherwise(put)) return absl::DataLossError(put.message());
    return put;
  }

  absl::Status Forget(const WorkKey& key) {
    const absl::Status journaled = parts_.journal.Acknowledge(key);
    if (!journaled.ok()) return Fatal(journaled);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      waiting_.erase(key);
    }
    replaced_.erase(key);
    if (options_.acknowledged) options_.acknowledged(key);
    return absl::OkStatus();
  }

  absl::Status Fatal(const absl::Status& status) {
    if (options_.fatal) options_.fatal(status);
    return status;
  }

  const ReporterOptions options_;
  const ReporterParts parts_;
  const std::unique_ptr<Waiter> waiter_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::map<WorkKey, std::vector<CachedFile>> waiting_;
  std::set<WorkKey> replaced_;  // Only the thread's.
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Reporter> MakeReporter(ReporterOptions options, ReporterParts parts,
                                       const WaiterFactory& waiters) {
  return std::make_unique<ThreadedReporter>(std::move(options), parts, waiters("reporter"));
}

}  // namespace shakedown::agent
