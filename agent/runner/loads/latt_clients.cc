#include "agent/runner/loads/latt_clients.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/latt_work.h"
#include "agent/runner/loads/pipe_io.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

int64_t NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

struct Answer {
  int64_t woken_ns = 0;  // P; 0 confirms the start.
  int64_t done_ns = 0;   // Q; -1: the work failed.
};

[[noreturn]] void Serve(int request, int reply, size_t work_bytes) {
  WorkItem work(work_bytes);
  Answer answer;
  bool good = WriteAll(reply, &answer, sizeof answer);
  int64_t sent_ns;
  while (good && ReadAll(request, &sent_ns, sizeof sent_ns)) {
    answer.woken_ns = NowNs();
    if (work_bytes > 0) answer.done_ns = work.Do() > 0 ? NowNs() : -1;
    good = WriteAll(reply, &answer, sizeof answer);
  }
  _exit(0);
}

}  // namespace

LattClients::~LattClients() {
  for (const Client& client : clients_) {
    close(client.request);
    close(client.reply);
    kill(client.pid, SIGKILL);
    while (waitpid(client.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

absl::Status LattClients::Start(uint32_t count, size_t work_bytes) {
  clients_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const absl::Status started = StartOne(work_bytes);
    if (!started.ok()) return Annotate(started, absl::StrCat("latt client ", i + 1, " of ", count));
  }
  return absl::OkStatus();
}

absl::Status LattClients::StartOne(size_t work_bytes) {
  int request[2], reply[2];
  if (pipe2(request, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  if (pipe2(reply, O_CLOEXEC) != 0) {
    const int error = errno;
    close(request[0]);
    close(request[1]);
    return ErrnoStatus(error, "pipe");
  }
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(request[1]);
    close(reply[0]);
    // Else a client would hold the others' pipes open.
    for (const Client& other : clients_) {
      close(other.request);
      close(other.reply);
    }
    Serve(request[0], reply[1], work_bytes);
  }
  const int error = errno;
  close(request[0]);
  close(reply[1]);
  if (pid < 0) {
    close(request[1]);
    close(reply[0]);
    return ErrnoStatus(error, "fork");
  }
  clients_.push_back({pid, request[1], reply[0]});
  Answer started;
  if (!ReadAll(reply[0], &started, sizeof started)) return absl::UnavailableError("died at start");
  return absl::OkStatus();
}

absl::Status LattClients::Round(LattStats& stats,
                                const std::function<void(absl::string_view)>& trace) {
  std::vector<int64_t> sent(clients_.size());
  std::vector<pollfd> waiting;
  for (size_t i = 0; i < clients_.size(); ++i) {
    waiting.push_back({clients_[i].reply, POLLIN, 0});
    sent[i] = NowNs();
    if (!WriteAll(clients_[i].request, &sent[i], sizeof sent[i])) {
      return absl::UnavailableError(absl::StrCat("latt client ", i + 1, " has died"));
    }
  }
  for (size_t left = clients_.size(); left > 0;) {
    if (poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "poll of the latt clients");
    }
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      Answer answer;
      if (!ReadAll(waiting[i].fd, &answer, sizeof answer)) {
        return absl::UnavailableError(absl::StrCat("latt client ", i + 1, " has died"));
      }
      waiting[i].fd = -1;  // poll() passes over it from now on.
      --left;
      if (answer.done_ns < 0) {
        return absl::InternalError(
            absl::StrCat("latt client ", i + 1, ": zlib could not do the work item"));
      }
      const int64_t wakeup_us = (answer.woken_ns - sent[i]) / 1000;
      stats.wakeup.Add(static_cast<uint64_t>(wakeup_us));
      const int64_t work_us = (answer.done_ns - sent[i]) / 1000 - wakeup_us;
      if (answer.done_ns > 0) stats.work.Add(static_cast<uint64_t>(work_us));
      if (!trace) continue;
      trace(absl::StrCat(
          "round ", stats.rounds + 1, " client ", i + 1, ": wakeup ", wakeup_us, " usec",
          answer.done_ns > 0 ? absl::StrCat(", work ", work_us, " usec") : "", "\n"));
    }
  }
  ++stats.rounds;
  return absl::OkStatus();
}

}  // namespace shakedown::runner
