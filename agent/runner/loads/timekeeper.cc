#include "agent/runner/loads/timekeeper.h"

#include <cerrno>

#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/realtime.h"

namespace shakedown::runner {
namespace {

void WaitFor(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

}  // namespace

MachineWorld::MachineWorld(uint64_t loops_per_ms, const WorldOptions& options)
    : loops_per_ms_(loops_per_ms), options_(options) {
  sem_init(&asked_, 0, 0);
  sem_init(&done_, 0, 0);
  thread_ = std::thread([this] { KeepTime(); });
}

MachineWorld::~MachineWorld() {
  quit_ = true;
  sem_post(&asked_);
  thread_.join();
  sem_destroy(&asked_);
  sem_destroy(&done_);
}

int64_t MachineWorld::Now() {
  timespec t;
  clock_gettime(options_.clock, &t);
  return static_cast<int64_t>(t.tv_sec) * 1000000 + t.tv_nsec / 1000;
}

void MachineWorld::Burn(int64_t us) { BurnMicroseconds(loops_per_ms_, us); }

int64_t MachineWorld::Sleep(int64_t us) {
  request_us_ = us;
  sem_post(&asked_);
  WaitFor(done_);
  return oversleep_us_;
}

void MachineWorld::KeepTime() {
  SetFifo(kTimekeeperFifo);  // Refused: stays ordinary, of which the load run warns once.
  if (options_.timekeeper_cpus) {
    sched_setaffinity(0, sizeof *options_.timekeeper_cpus, &*options_.timekeeper_cpus);
  }
  for (;;) {
    WaitFor(asked_);
    if (quit_) return;
    oversleep_us_ = 0;
    const int64_t start = Now();
    if (request_us_ > 0) {
      timespec left = {request_us_ / 1000000, request_us_ % 1000000 * 1000};
      while (nanosleep(&left, &left) != 0 && errno == EINTR) {
      }
    }
    const int64_t slept = Now() - start;
    if (slept > request_us_) oversleep_us_ = slept - request_us_;
    sem_post(&done_);
  }
}

}  // namespace shakedown::runner
