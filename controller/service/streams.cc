#include "controller/service/streams.h"

#include <utility>

#include "proto/wire/clock.h"

namespace shakedown::service {
namespace {

constexpr absl::Duration kJobPause = absl::Seconds(1);
constexpr absl::Duration kProgress = absl::Seconds(2);
// A job of thousands of boots takes the database some time to tell.
constexpr size_t kLarge = 256 << 10;
constexpr absl::Duration kProgressOfLarge = absl::Seconds(15);
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kLogPause = absl::Milliseconds(500);  // Log bytes give no hint.

template <typename Message>
StreamStep<Message> End(absl::Status status) {
  StreamStep<Message> step;
  step.end = std::move(status);
  return step;
}

template <typename Message>
StreamStep<Message> Send(Message message) {
  StreamStep<Message> step;
  step.send = std::move(message);
  return step;
}

template <typename Message>
StreamStep<Message> Later(absl::Duration pause, std::optional<uint64_t> hints_seen) {
  StreamStep<Message> step;
  step.pause = pause;
  step.hints_seen = hints_seen;
  return step;
}

}  // namespace

StreamStep<v1::JobView> JobWatch::Step() {
  if (ended_) return End<v1::JobView>(absl::OkStatus());
  const uint64_t hints = backend_.dispatcher.hints();
  const absl::Duration now = SystemClock().Elapsed();
  const absl::StatusOr<int64_t> version = backend_.farm.JobVersion(job_);
  if (!version.ok()) return Lost(version.status(), now);
  const absl::Duration often = sent_.size() > kLarge ? kProgressOfLarge : kProgress;
  if (version_ == *version && now - looked_ < often) return Later<v1::JobView>(kJobPause, hints);
  absl::StatusOr<v1::JobView> view = backend_.farm.GetJob(job_);
  if (!view.ok()) return Lost(view.status(), now);
  reached_ = looked_ = now;
  version_ = *version;
  ended_ = view->state() != v1::JOB_STATE_ACTIVE;
  std::string bytes = view->SerializeAsString();
  if (bytes == sent_ && !ended_) return Later<v1::JobView>(kJobPause, hints);
  sent_ = std::move(bytes);
  return Send(*std::move(view));
}

StreamStep<v1::JobView> JobWatch::Lost(const absl::Status& status, absl::Duration now) const {
  const bool patient = absl::IsUnavailable(status) && version_ && now - reached_ < kPatience;
  return patient ? Later<v1::JobView>(kJobPause, std::nullopt) : End<v1::JobView>(status);
}

StreamStep<v1::LogChunk> LogFollow::Step() {
  if (stream_.empty()) {
    absl::StatusOr<std::string> stream = backend_.farm.FindLog(request_.name());
    if (!stream.ok()) return End<v1::LogChunk>(stream.status());
    stream_ = *std::move(stream);
  }
  absl::StatusOr<FarmApi::LogPiece> piece = backend_.farm.ReadLog(stream_, offset_);
  if (!piece.ok()) return End<v1::LogChunk>(piece.status());
  size_ = piece->size;
  if (!piece->chunk.data().empty()) {
    offset_ += piece->chunk.data().size();
    return Send(std::move(piece->chunk));
  }
  if (piece->finished || !request_.follow()) return End<v1::LogChunk>(absl::OkStatus());
  return Later<v1::LogChunk>(kLogPause, std::nullopt);
}

}  // namespace shakedown::service
