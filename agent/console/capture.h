// A console's bytes, kept within a bound: the head, the tail, and how much was between.
#ifndef SHAKEDOWN_AGENT_CONSOLE_CAPTURE_H_
#define SHAKEDOWN_AGENT_CONSOLE_CAPTURE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::console {

// Byte for byte as they came, up to `head` bytes; of what follows the last `tail`, after one line
// that says how many bytes were left out. One owner, not thread-safe.
class Capture {
 public:
  explicit Capture(size_t head = 1 << 20, size_t tail = 1 << 20) : head_(head), tail_(tail) {}

  // Returns the part of `bytes` that can be passed on now: all until the head is full, then
  // nothing.
  absl::string_view Add(absl::string_view bytes);
  // What Add() has held back: the line about the gap and the tail. Empty when the head held all.
  // Once.
  std::string Finish();
  // The last bytes that came, at most `limit` and at most those kept.
  std::string Last(size_t limit) const;
  uint64_t total() const { return total_; }

 private:
  const size_t head_, tail_;
  std::string first_;  // The head.
  std::string rest_;   // The tail, and up to as much again before it is trimmed.
  uint64_t total_ = 0;
};

}  // namespace shakedown::console

#endif  // SHAKEDOWN_AGENT_CONSOLE_CAPTURE_H_
