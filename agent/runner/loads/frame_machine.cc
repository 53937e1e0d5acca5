#include "agent/runner/loads/frame_machine.h"

#include <time.h>

#include <cerrno>

#include "agent/runner/loads/burn.h"

namespace shakedown::runner {
namespace {

constexpr int64_t kSecondNs = 1000000000;

}  // namespace

FrameMachine::FrameMachine(uint64_t loops_per_thread, uint32_t threads)
    : loops_(loops_per_thread), begin_(threads), end_(threads) {
  for (uint32_t i = 1; i < threads; ++i) others_.emplace_back([this] { Share(); });
}

FrameMachine::~FrameMachine() {
  quit_ = true;
  begin_.arrive_and_wait();
  for (std::thread& other : others_) other.join();
}

int64_t FrameMachine::NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<int64_t>(t.tv_sec) * kSecondNs + t.tv_nsec;
}

void FrameMachine::SleepUntilNs(int64_t time) {
  const timespec until = {time / kSecondNs, time % kSecondNs};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void FrameMachine::Decode() {
  if (others_.empty()) return BurnLoops(loops_);
  begin_.arrive_and_wait();
  BurnLoops(loops_);
  end_.arrive_and_wait();
}

void FrameMachine::Share() {
  for (;;) {
    begin_.arrive_and_wait();
    if (quit_) return;
    BurnLoops(loops_);
    end_.arrive_and_wait();
  }
}

}  // namespace shakedown::runner
