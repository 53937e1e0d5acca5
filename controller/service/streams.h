// The calls that answer with a stream, one step at a time, without a transport: gRPC's and the web
// page's streams are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "controller/service/services.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::service {

// What a stream does after a step: exactly one of the three.
template <typename Message>
struct StreamStep {
  std::optional<Message> send;      // Send it, then the next step.
  std::optional<absl::Status> end;  // It is over.
  // Else: the next step after `pause`, or on a hint given since `hints_seen`.
  absl::Duration pause;
  std::optional<uint64_t> hints_seen;
};

// The job as it stands, then every change, until it has ended. Progress is no change to the store:
// it is looked at every 2 s. A database that is away for less than 30 s does not end the stream.
// Step() blocks for a short transaction; one caller at a time.
class JobWatch {
 public:
  JobWatch(const Backend& backend, int64_t job) : backend_(backend), job_(job) {}
  StreamStep<v1::JobView> Step();

 private:
  StreamStep<v1::JobView> Lost(const absl::Status& status, absl::Duration now) const;

  const Backend backend_;
  const int64_t job_;
  std::optional<int64_t> version_;
  absl::Duration looked_;
  absl::Duration reached_;
  std::string sent_;
  bool ended_ = false;
};

// A log's bytes from an offset on; with follow, also those to come. As JobWatch.
class LogFollow {
 public:
  LogFollow(const Backend& backend, const v1::ReadLogRequest& request)
      : backend_(backend), request_(request), offset_(request.offset()) {}
  StreamStep<v1::LogChunk> Step();
  // Bytes in the log at the latest step.
  uint64_t size() const { return size_; }

 private:
  const Backend backend_;
  const v1::ReadLogRequest request_;
  uint64_t offset_;
  uint64_t size_ = 0;
  std::string stream_;
};

}  // namespace shakedown::service
