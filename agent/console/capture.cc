#include "agent/console/capture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace shakedown::console {

absl::string_view Capture::Add(absl::string_view bytes) {
  total_ += bytes.size();
  const absl::string_view now = bytes.substr(0, head_ - first_.size());
  first_.append(now.data(), now.size());
  bytes.remove_prefix(now.size());
  if (bytes.size() > tail_) bytes.remove_prefix(bytes.size() - tail_);
  rest_.append(bytes.data(), bytes.size());
  if (rest_.size() > 2 * tail_) rest_.erase(0, rest_.size() - tail_);
  return now;
}

std::string Capture::Finish() {
  if (rest_.size() > tail_) rest_.erase(0, rest_.size() - tail_);
  const uint64_t gap = total_ - first_.size() - rest_.size();
  if (gap == 0) return rest_;
  return absl::StrCat("\n[shakedown: ", gap, " bytes of console left out]\n", rest_);
}

std::string Capture::Last(size_t limit) const {
  std::string last = rest_.substr(rest_.size() - std::min(limit, rest_.size()));
  // The head's end is right before the tail only when nothing was left out between them.
  if (last.size() < limit && total_ == first_.size() + rest_.size()) {
    const size_t more = std::min(limit - last.size(), first_.size());
    last.insert(0, first_, first_.size() - more, more);
  }
  return last;
}

}  // namespace shakedown::console
