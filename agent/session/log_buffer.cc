#include "agent/session/log_buffer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/status.h"

namespace shakedown::agent {

LogBuffer::LogBuffer(std::string spill_path, LogLimits limits)
    : path_(std::move(spill_path)), limits_(limits) {}

LogBuffer::~LogBuffer() {
  if (fd_ >= 0) close(fd_);
}

absl::Status LogBuffer::Recover() {
  fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd_ < 0) return ErrnoStatus(errno, path_);
  struct stat info;
  if (fstat(fd_, &info) != 0) return ErrnoStatus(errno, path_);
  spill_end_ = static_cast<uint64_t>(info.st_size);
  return absl::OkStatus();
}

bool LogBuffer::WouldSpill(size_t size) const {
  return !full_ && fd_ < 0 && memory_.size() + size > limits_.memory;
}

void LogBuffer::Append(absl::string_view bytes) {
  if (full_) {
    lost_ += bytes.size();
    return;
  }
  memory_.append(bytes.data(), bytes.size());
  if (memory_.size() > limits_.memory) Spill();
}

void LogBuffer::Spill() {
  if (fd_ < 0) fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  const uint64_t size = spill_end_ - spill_front_;
  const size_t room = static_cast<size_t>(
      std::min<uint64_t>(memory_.size(), limits_.spill - std::min(limits_.spill, size)));
  size_t done = 0;
  while (fd_ >= 0 && done < room) {
    const ssize_t wrote =
        pwrite(fd_, memory_.data() + done, room - done, static_cast<off_t>(size + done));
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  full_ = done < memory_.size();
  lost_ += memory_.size() - done;
  spill_end_ += done;
  memory_.clear();
  if (full_ && size + done == 0) {
    RemoveFile();
    SayWhatWasLost();
  }
}

absl::StatusOr<std::string> LogBuffer::Read(uint64_t from, size_t most) const {
  if (from >= spill_end_) return memory_.substr(from - spill_end_, most);
  std::string bytes(std::min<uint64_t>(most, spill_end_ - from), '\0');
  const ssize_t got =
      pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(from - spill_front_));
  if (got < 0) return ErrnoStatus(errno, path_);
  if (got == 0) return absl::DataLossError(absl::StrCat(path_, ": shorter than it was written"));
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

void LogBuffer::Forget(uint64_t until) {
  front_ = until;
  if (until < spill_end_) return;
  memory_.erase(0, until - spill_end_);
  spill_front_ = spill_end_ = until;
  RemoveFile();
  if (full_) SayWhatWasLost();
}

void LogBuffer::Drop() {
  memory_.clear();
  front_ = spill_front_ = spill_end_;
  RemoveFile();
}

void LogBuffer::RemoveFile() {
  if (fd_ < 0) return;
  close(fd_);
  fd_ = -1;
  unlink(path_.c_str());
}

void LogBuffer::SayWhatWasLost() {
  full_ = false;
  absl::StrAppend(&memory_, "\n[", lost_,
                  " bytes of this log are lost: the farm was away and the agent's buffer full]\n");
  lost_ = 0;
}

}  // namespace shakedown::agent
