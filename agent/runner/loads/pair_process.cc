#include "agent/runner/loads/pair_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <semaphore>
#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/pipe_io.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

// A word on the pipe: this, then `size` bytes: a message unless the code is OK.
struct Header {
  int32_t code = 0;
  uint64_t size = 0;
};

bool Tell(int fd, const absl::StatusOr<std::string>& word) {
  const absl::string_view text = word.ok() ? absl::string_view(*word) : word.status().message();
  const Header header = {static_cast<int32_t>(word.status().code()), text.size()};
  return WriteAll(fd, &header, sizeof header) && WriteAll(fd, text.data(), text.size());
}

bool HearOrder(int fd) {
  char order;
  return ReadAll(fd, &order, 1);
}

// The main thread waits on the pipe, the emulation thread does the work.
[[noreturn]] void Serve(int in, int out, const PairBody& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const absl::Status prepared = body.prepare(); !prepared.ok()) {
    Tell(out, prepared);
    _exit(1);
  }
  StopSignal stop;
  std::binary_semaphore start(0);
  absl::StatusOr<std::string> result;
  std::thread emulation([&] {
    start.acquire();
    result = body.run(stop);
    // Not as asked: whoever waits for the pair's end hears of it at once.
    if (!result.ok()) _exit(Tell(out, result) ? 1 : 2);
  });
  if (!Tell(out, std::string()) || !HearOrder(in)) _exit(2);
  start.release();
  if (!Tell(out, std::string()) || !HearOrder(in)) _exit(2);
  stop.Ask();
  emulation.join();
  _exit(Tell(out, result) ? 0 : 2);
}

}  // namespace

PairProcess::~PairProcess() {
  for (int fd : {to_, from_}) {
    if (fd >= 0) close(fd);
  }
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

absl::Status PairProcess::Start(const PairBody& body) {
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
  return Hear("ready").status();
}

absl::Status PairProcess::Order(absl::string_view what) {
  if (WriteAll(to_, "!", 1)) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("tell the ", name_, " to ", what));
}

absl::Status PairProcess::Begin() {
  RETURN_IF_ERROR(Order("start"));
  return Hear("running").status();
}

absl::Status PairProcess::AskStop() { return Order("stop"); }

absl::Status PairProcess::Failure() {
  absl::StatusOr<std::string> word = Hear("stopped");
  return word.ok() ? absl::InternalError(absl::StrCat("the ", name_, " ended unasked"))
                   : word.status();
}

absl::StatusOr<std::string> PairProcess::Finish(absl::Duration limit) {
  pollfd waiting = {from_, POLLIN, 0};
  int ready;
  do {
    ready = poll(&waiting, 1, static_cast<int>(absl::ToInt64Milliseconds(limit)));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    return absl::DeadlineExceededError(absl::StrCat("the ", name_, " has not ended ",
                                                    absl::FormatDuration(limit),
                                                    " after it was told to stop"));
  }
  return Hear("finished");
}

absl::StatusOr<std::string> PairProcess::Hear(absl::string_view awaited) {
  Header header;
  std::string text;
  bool heard = ReadAll(from_, &header, sizeof header);
  if (heard) {
    text.resize(header.size);
    heard = ReadAll(from_, text.data(), text.size());
  }
  if (!heard) {
    return absl::UnavailableError(absl::StrCat("the process of the ", name_,
                                               " was ended from outside before it was ", awaited,
                                               " (out of memory?)"));
  }
  if (header.code == 0) return text;
  return absl::Status(static_cast<absl::StatusCode>(header.code), text);
}

}  // namespace shakedown::runner
