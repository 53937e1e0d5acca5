// The bytes of one log between the one who writes it and the farm: in memory, and in a file when
// the farm is away.
#ifndef SHAKEDOWN_AGENT_SESSION_LOG_BUFFER_H_
#define SHAKEDOWN_AGENT_SESSION_LOG_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

struct LogLimits {
  size_t memory = 1 << 20;
  uint64_t spill = 64 << 20;
};

// Positions count the bytes appended since the buffer was made. Not thread-safe.
class LogBuffer {
 public:
  // `spill_path` is made when memory is full and removed when all it holds has been forgotten.
  LogBuffer(std::string spill_path, LogLimits limits);
  ~LogBuffer();
  LogBuffer(const LogBuffer&) = delete;

  // Takes up what an earlier process spilled: positions from 0. NotFound: nothing.
  absl::Status Recover();

  // True when Append of `size` bytes will start a spill file.
  bool WouldSpill(size_t size) const;
  // Never fails: what fits neither in memory nor in the file is lost, and a line in its place says
  // how much.
  void Append(absl::string_view bytes);

  uint64_t front() const { return front_; }
  uint64_t end() const { return spill_end_ + memory_.size(); }
  bool spilled() const { return fd_ >= 0; }
  // Position of the file's first byte, and of the next file's when there is none.
  uint64_t spill_front() const { return spill_front_; }

  // Up to `most` bytes from position `from` (front() ≤ from ≤ end()); fewer at the file's end.
  absl::StatusOr<std::string> Read(uint64_t from, size_t most) const;
  // The bytes before `until` are not needed any more.
  void Forget(uint64_t until);
  // Everything goes, also the file.
  void Drop();

 private:
  void Spill();
  void RemoveFile();
  void SayWhatWasLost();

  const std::string path_;
  const LogLimits limits_;
  int fd_ = -1;
  uint64_t front_ = 0;
  uint64_t spill_front_ = 0;  // The file holds [spill_front_, spill_end_), memory what follows.
  uint64_t spill_end_ = 0;
  std::string memory_;
  bool full_ = false;
  uint64_t lost_ = 0;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_LOG_BUFFER_H_
