#include "agent/session/log_sender.h"

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPiece = 256 << 10;  // AppendLogRequest.data's bound.
constexpr size_t kSendAtOnce = 64 << 10;
// RESOURCE_EXHAUSTED is a busy farm or a log past the farm's bound: so often in a row, it is the
// latter.
constexpr int kExhaustedAtMost = 10;
constexpr char kRestarted[] = "\n[the agent was restarted here: the rest of this log is lost]\n";

// The farm will never take these bytes: sending them again is of no use.
bool IsFinal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kDataLoss:
      return true;
    default:
      return false;
  }
}

struct Stream {
  Stream(WorkKey key, std::string path, LogLimits limits)
      : key(std::move(key)), buffer(std::move(path), limits) {}
  const WorkKey key;
  std::mutex send_mutex;   // Held during calls to the farm. Taken before `mutex`.
  uint64_t next = 0;       // Position to be sent next. Guarded by send_mutex.
  int exhausted = 0;       // RESOURCE_EXHAUSTED in a row. Guarded by send_mutex.
  std::mutex mutex;        // Guards what follows; the first two are only written under both.
  bool end_known = false;  // `offset` has been learned from the farm or the journal.
  uint64_t offset = 0;     // Of the buffer's position 0 in the farm's log.
  LogBuffer buffer;
  bool dropped = false;
};

class ThreadedLogSender : public LogSender {
 public:
  ThreadedLogSender(LogSenderOptions options, FarmClient& farm, Journal& journal,
                    std::unique_ptr<Waiter> waiter)
      : options_(std::move(options)), farm_(farm), journal_(journal), waiter_(std::move(waiter)) {}

  ~ThreadedLogSender() override {
    stopping_ = true;
    waiter_->Notify();
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Start() {
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) return ErrnoStatus(error.value(), options_.folder);
    std::set<std::string> taken;
    for (const JournalEntry& entry : journal_.OpenOrders()) taken.insert(Recover(entry.key));
    for (const JournalEntry& entry : journal_.PendingResults()) taken.insert(Recover(entry.key));
    for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
      std::error_code ignored;
      if (taken.count(entry.path().native()) == 0) fs::remove(entry.path(), ignored);
    }
    thread_ = std::thread([this] { Loop(); });
    return error ? ErrnoStatus(error.value(), options_.folder) : absl::OkStatus();
  }

  absl::Status Open(const WorkKey& key) override {
    if (!IsUuid(key.id)) {
      return absl::InvalidArgumentError(
          absl::StrCat("log ", Quoted(key.id), ": want a UUID as its id"));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    streams_[key] = std::make_shared<Stream>(key, Path(key), options_.limits);
    return absl::OkStatus();
  }

  void Write(const WorkKey& key, absl::string_view bytes) override {
    const std::shared_ptr<Stream> stream = FindStream(key);
    if (stream == nullptr || bytes.empty()) return;
    bool notify = false;
    {
      std::lock_guard<std::mutex> lock(stream->mutex);
      if (stream->dropped) return;
      const uint64_t before = stream->buffer.end() - stream->buffer.front();
      if (stream->end_known && stream->buffer.WouldSpill(bytes.size())) {
        if (!RecordSpill(*stream).ok()) return;
      }
      stream->buffer.Append(bytes);
      const uint64_t after = stream->buffer.end() - stream->buffer.front();
      notify = before == 0 || (before < kSendAtOnce && after >= kSendAtOnce);
    }
    if (notify) waiter_->Notify();
  }

  absl::Status Finish(const WorkKey& key) override {
    const std::shared_ptr<Stream> stream = FindStream(key);
    if (stream == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(SendAll(*stream));
    std::lock_guard<std::mutex> lock(mutex_);
    streams_.erase(key);
    return absl::OkStatus();
  }

  void Nudge() override { waiter_->Notify(); }

 private:
  std::string Path(const WorkKey& key) const {
    return absl::StrCat(options_.folder, "/", key.id, ".", key.epoch);
  }

  std::string Recover(const WorkKey& key) {
    if (!IsUuid(key.id)) return "";
    auto stream = std::make_shared<Stream>(key, Path(key), options_.limits);
    const absl::Status recovered = stream->buffer.Recover();
    if (!recovered.ok()) return "";
    if (const std::optional<uint64_t> end = journal_.LogEnd(key)) {
      stream->end_known = true;
      stream->offset = *end;
    }
    if (!options_.goes_on || !options_.goes_on(key)) stream->buffer.Append(kRestarted);
    streams_[key] = std::move(stream);
    return Path(key);
  }

  std::shared_ptr<Stream> FindStream(const WorkKey& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = streams_.find(key);
    return found == streams_.end() ? nullptr : found->second;
  }

  void Loop() {
    Backoff backoff(options_.backoff, options_.random);
    absl::Duration wait = absl::InfiniteDuration();
    while (!stopping_) {
      waiter_->Wait(wait);
      if (!stopping_ && options_.linger > absl::ZeroDuration()) waiter_->Wait(options_.linger);
      if (stopping_) return;
      if (options_.quiet && options_.quiet()) {
        wait = absl::Seconds(1);
        continue;
      }
      const absl::Status sent = SendOpenStreams();
      if (sent.ok()) backoff.Reset();
      wait = sent.ok() ? absl::InfiniteDuration() : backoff.Next(sent);
    }
  }

  absl::Status SendOpenStreams() {
    std::vector<std::shared_ptr<Stream>> streams;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& [key, stream] : streams_) streams.push_back(stream);
    }
    absl::Status all;
    for (const std::shared_ptr<Stream>& stream : streams) all.Update(SendAll(*stream));
    return all;
  }

  // Until nothing is left at this moment.
  absl::Status SendAll(Stream& stream) {
    std::lock_guard<std::mutex> sending(stream.send_mutex);
    for (;;) {
      std::string piece;
      {
        std::lock_guard<std::mutex> lock(stream.mutex);
        if (stream.dropped || stream.next == stream.buffer.end()) return absl::OkStatus();
        absl::StatusOr<std::string> read = stream.buffer.Read(stream.next, kPiece);
        if (!read.ok()) return DropInLock(stream, read.status());
        piece = *std::move(read);
      }
      absl::Status sent =
          stream.end_known ? SendPiece(stream, std::move(piece)) : LearnFirstEnd(stream);
      stream.exhausted = absl::IsResourceExhausted(sent) ? stream.exhausted + 1 : 0;
      if (IsFinal(sent) || stream.exhausted == kExhaustedAtMost) {
        std::lock_guard<std::mutex> lock(stream.mutex);
        return DropInLock(stream, sent);
      }
      RETURN_IF_ERROR(sent);
    }
  }

  absl::Status DropInLock(Stream& stream, const absl::Status& why) {
    spdlog::warn("log {}: the rest is not sent: {}", stream.key.id, why.ToString());
    stream.dropped = true;
    stream.buffer.Drop();
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> AskEnd(const Stream& stream) {
    v1::AppendLogRequest request;
    request.set_stream(stream.key.id);
    request.set_epoch(stream.key.epoch);
    return farm_.AppendLog(request);
  }

  // An earlier lease of the same id may have written before us: our bytes follow.
  absl::Status LearnFirstEnd(Stream& stream) {
    ASSIGN_OR_RETURN(const uint64_t end, AskEnd(stream));
    return SetOffset(stream, end - stream.next);
  }

  absl::Status SetOffset(Stream& stream, uint64_t offset) {
    std::lock_guard<std::mutex> lock(stream.mutex);
    stream.offset = offset;
    stream.end_known = true;
    return stream.buffer.spilled() ? RecordSpill(stream) : absl::OkStatus();
  }

  // Journals where the spill file's first byte belongs in the farm's log, before the file is made
  // or sent from, so that a restarted agent neither sends twice nor leaves out. Under stream.mutex.
  absl::Status RecordSpill(Stream& stream) {
    const absl::Status recorded =
        journal_.RecordLogEnd(stream.key, stream.offset + stream.buffer.spill_front());
    if (recorded.ok()) return recorded;
    if (options_.fatal) options_.fatal(recorded);
    return absl::CancelledError(recorded.message());
  }

  absl::Status SendPiece(Stream& stream, std::string piece) {
    const size_t size = piece.size();
    v1::AppendLogRequest request;
    request.set_stream(stream.key.id);
    request.set_epoch(stream.key.epoch);
    request.set_offset(stream.offset + stream.next);
    request.set_data(std::move(piece));
    absl::StatusOr<uint64_t> end = farm_.AppendLog(request);
    if (absl::IsOutOfRange(end.status())) return Resume(stream);
    RETURN_IF_ERROR(end.status());
    Advance(stream, stream.next + size);
    return absl::OkStatus();
  }

  // An answer was lost, or the farm lost bytes: go on at its end.
  absl::Status Resume(Stream& stream) {
    ASSIGN_OR_RETURN(const uint64_t end, AskEnd(stream));
    std::unique_lock<std::mutex> lock(stream.mutex);
    const uint64_t front = stream.buffer.front();
    const uint64_t back = stream.buffer.end();
    lock.unlock();
    if (end >= stream.offset + front && end <= stream.offset + back) {
      Advance(stream, end - stream.offset);
      return absl::OkStatus();
    }
    spdlog::warn("log {}: the farm has {} bytes, want {} to {}; going on at its end", stream.key.id,
                 end, stream.offset + front, stream.offset + back);
    return SetOffset(stream, end - stream.next);
  }

  void Advance(Stream& stream, uint64_t next) {
    std::lock_guard<std::mutex> lock(stream.mutex);
    stream.next = next;
    stream.buffer.Forget(next);
  }

  const LogSenderOptions options_;
  FarmClient& farm_;
  Journal& journal_;
  const std::unique_ptr<Waiter> waiter_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::map<WorkKey, std::shared_ptr<Stream>> streams_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LogSender>> MakeLogSender(LogSenderOptions options, FarmClient& farm,
                                                         Journal& journal,
                                                         const WaiterFactory& waiters) {
  auto sender =
      std::make_unique<ThreadedLogSender>(std::move(options), farm, journal, waiters("logs"));
  RETURN_IF_ERROR(sender->Start());
  return sender;
}

}  // namespace shakedown::agent
