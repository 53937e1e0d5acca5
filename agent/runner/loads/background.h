// The loads that interbench puts beside a benchmarked task.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_BACKGROUND_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_BACKGROUND_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace shakedown::runner {

enum class Background { kNone, kVideo, kX, kBurn, kWrite, kRead, kRing, kCompile, kMemload };

// Set once, from another thread of the process.
class StopSignal {
 public:
  bool Asked() const { return asked_.load(std::memory_order_relaxed); }
  void Ask() {
    asked_.store(true);
    asked_.notify_all();
  }
  void Wait() const { asked_.wait(false); }

 private:
  std::atomic<bool> asked_ = false;
};

struct BackgroundSettings {
  uint64_t loops_per_ms = 0;
  uint32_t burn_threads = 1;  // Also of Ring.
  std::string folder;         // Of the files below.
  uint64_t write_bytes = 0;
  uint64_t memory_mib = 0;  // What Memload fills.
};

// Runs the load in the calling thread, with threads of its own where the load has them, until stop;
// then leaves no thread and, but for the read file, no file. An error ends it early.
absl::Status RunBackground(Background load, const BackgroundSettings& settings,
                           const StopSignal& stop);

// The file that Read reads: zeros, written and synced. ResourceExhausted: the disk is full.
absl::Status MakeReadFile(const std::string& folder, uint64_t bytes);

// MiB that Memload fills: 110 % of the memory or memory and swap less 64 KiB, at most 2930.
uint64_t MemloadMib(uint64_t memory_kib, uint64_t swap_kib);

// Bytes of the read and of the write file: 1 024 000 000 each, but at most 2/5 of the free space.
uint64_t LoadFileBytes(uint64_t free_bytes);
inline constexpr uint64_t kWantedFileBytes = 1024000000;

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_BACKGROUND_H_
