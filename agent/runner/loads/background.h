// The loads that interbench puts beside a benchmarked task.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_BACKGROUND_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_BACKGROUND_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agent/runner/loads/periodic_cycle.h"
#include "agent/runner/loads/timekeeper.h"

namespace shakedown::runner {

enum class Background {
  kNone,
  kVideo,
  kX,
  kBurn,
  kWrite,
  kRead,
  kRing,
  kCompile,
  kMemload,
  kCustom
};

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
  CustomTask custom;
  WorldOptions world;  // Of Video, X and Custom.
};

// Runs the load in the calling thread, with threads of its own where the load has them, until stop;
// then leaves no thread and, but for the read file, no file. An error ends it early;
// ResourceExhausted: "interbench write: no space left on FOLDER …".
absl::Status RunBackground(Background load, const BackgroundSettings& settings,
                           const StopSignal& stop);

// The file that Read reads: zeros, written and synced. ResourceExhausted: the disk is full.
// DeadlineExceeded: it took longer than `limit`.
absl::Status MakeReadFile(const std::string& folder, uint64_t bytes,
                          absl::Duration limit = absl::Minutes(10));

// MiB that Memload fills: 110 % of the memory or memory and swap less 64 KiB, at most 2930.
uint64_t MemloadMib(uint64_t memory_kib, uint64_t swap_kib);

// Bytes of the read and of the write file of profile HEAD; 0.31 wants as much as the memory has.
inline constexpr uint64_t kHeadFileBytes = 1024000000;

// Bytes that each of `files` (1 or 2) may have: `wanted`, but all together no more than
// `most_bytes` (0: half of what is free) and never more than 4/5 of what is free.
uint64_t LoadFileBytes(uint64_t wanted, uint64_t free_bytes, uint64_t most_bytes, uint64_t files);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_BACKGROUND_H_
