#include "agent/runner/loads/interbench_pair.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <semaphore>
#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/realtime.h"
#include "agent/runner/loads/timekeeper.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

// What the children leave for the main process.
struct Shared {
  TaskResult result;
  char error[512] = {};  // Of the load; empty: none.
};

class SharedMemory {
 public:
  SharedMemory() {
    void* place =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place != MAP_FAILED) shared_ = new (place) Shared;
  }
  ~SharedMemory() {
    if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
  }
  SharedMemory(const SharedMemory&) = delete;
  Shared* get() const { return shared_; }

 private:
  Shared* shared_ = nullptr;
};

bool Tell(int fd) { return write(fd, "!", 1) == 1; }

bool Hear(int fd) {
  char word;
  ssize_t got;
  do {
    got = read(fd, &word, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1;
}

using Body = std::function<void(const StopSignal& stop)>;

// The child: its main thread waits on the pipe, the emulation thread does the work. Says ready,
// running and finished; is told start and stop.
[[noreturn]] void Serve(int in, int out, const Body& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  StopSignal stop;
  std::binary_semaphore start(0);
  std::thread emulation([&] {
    start.acquire();
    body(stop);
  });
  if (!Tell(out) || !Hear(in)) _exit(1);
  start.release();
  if (!Tell(out) || !Hear(in)) _exit(1);
  stop.Ask();
  emulation.join();
  _exit(Tell(out) ? 0 : 1);
}

class Child {
 public:
  explicit Child(absl::string_view name) : name_(name) {}
  ~Child() {
    for (int fd : {to_, from_}) {
      if (fd >= 0) close(fd);
    }
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;

  absl::Status Start(const Body& body) {
    int down[2], up[2];
    if (pipe2(down, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
    to_ = down[1];
    if (pipe2(up, O_CLOEXEC) != 0) {
      const int error = errno;
      close(down[0]);
      return ErrnoStatus(error, "pipe");
    }
    from_ = up[0];
    pid_ = fork();
    if (pid_ == 0) {
      close(to_);
      close(from_);
      Serve(down[0], up[1], body);
    }
    const int error = errno;
    close(down[0]);
    close(up[1]);
    if (pid_ < 0) return ErrnoStatus(error, absl::StrCat("fork of the ", name_));
    return Await("ready");
  }
  absl::Status Order(absl::string_view what) {
    if (Tell(to_)) return absl::OkStatus();
    return ErrnoStatus(errno, absl::StrCat("tell the ", name_, " to ", what));
  }
  absl::Status Await(absl::string_view what) {
    if (Hear(from_)) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat("the process of the ", name_,
                                               " was ended from outside before it was ", what,
                                               " (out of memory?)"));
  }

 private:
  const std::string name_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

void Rest(absl::Duration duration) {
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const timespec more = absl::ToTimespec(duration);
  until.tv_sec += more.tv_sec;
  until.tv_nsec += more.tv_nsec;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

// The main process from "both are ready" to "stop is sent".
class Conductor {
 public:
  Conductor()
      : realtime_(SetFifo(kHighestFifo)), locked_(mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {}
  ~Conductor() {
    if (realtime_) SetOrdinary();
    if (locked_) munlockall();
  }
  Conductor(const Conductor&) = delete;

 private:
  const bool realtime_;
  const bool locked_;
};

absl::Status Conduct(const Pair& pair, Child& load, Child& bench) {
  const Conductor conductor;
  RETURN_IF_ERROR(load.Order("start"));
  RETURN_IF_ERROR(load.Await("running"));
  Rest(pair.settle);
  RETURN_IF_ERROR(bench.Order("start"));
  RETURN_IF_ERROR(bench.Await("running"));
  Rest(pair.duration);
  RETURN_IF_ERROR(bench.Order("stop"));
  return load.Order("stop");
}

}  // namespace

absl::StatusOr<std::unique_ptr<TaskResult>> MeasurePair(const Pair& pair,
                                                        const BackgroundSettings& settings) {
  const SharedMemory memory;
  Shared* const shared = memory.get();
  if (shared == nullptr) return ErrnoStatus(errno, "shared memory");
  Child load("load"), bench("benchmark");
  RETURN_IF_ERROR(load.Start([&](const StopSignal& stop) {
    const absl::Status status = RunBackground(pair.load, settings, stop);
    const size_t size = std::min(status.message().size(), sizeof shared->error - 1);
    std::memcpy(shared->error, status.message().data(), size);
  }));
  RETURN_IF_ERROR(bench.Start([&](const StopSignal& stop) {
    MachineWorld world(settings.loops_per_ms);
    RunTask(
        pair.task, world, [&] { return stop.Asked(); }, shared->result);
  }));
  RETURN_IF_ERROR(Conduct(pair, load, bench));
  RETURN_IF_ERROR(load.Await("finished"));
  RETURN_IF_ERROR(bench.Await("finished"));
  for (int i = 0; i < 3; ++i) sync();
  if (shared->error[0] != '\0') return absl::InternalError(shared->error);
  return std::make_unique<TaskResult>(shared->result);
}

}  // namespace shakedown::runner
