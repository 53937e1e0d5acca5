// What each machine and build slot of this agent has in hand, between the threads that know.
#ifndef SHAKEDOWN_AGENT_SESSION_DESK_H_
#define SHAKEDOWN_AGENT_SESSION_DESK_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/machine/machine.h"
#include "agent/session/decide.h"
#include "agent/session/journal.h"
#include "proto/wire/clock.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::agent {

// A machine or a build slot by its place.
struct SeatId {
  WorkKind kind = WorkKind::kBoot;
  size_t index = 0;
};

struct Assignment {
  WorkKey key;
  std::string order;  // Bytes of a BootOrder or BuildOrder.
  const std::atomic<bool>* cancel;
};

// Thread-safe.
class Desk {
 public:
  Desk(const std::vector<MachineInfo>& machines, size_t build_slots, Clock& clock);

  // For the sync thread. The state's `finished` and `stopping` are left for the caller.
  AgentState State() const;
  void Describe(v1::SyncRequest& request) const;
  bool AnyWork() const;
  absl::Duration DarkLeft() const;  // Zero: no running machine is dark.
  // The seat is idle and gets work.
  void Give(SeatId seat, const WorkKey& key, std::string order);
  // The worker that has this work is to give up.
  void Cancel(const WorkKey& key);
  // At start: the seat of work of an earlier process, until its result is acknowledged.
  void Hold(SeatId seat, const WorkKey& key);
  void SetProblem(SeatId seat, std::string problem);

  // For a seat's worker. Nothing: the agent stops.
  std::optional<Assignment> WaitForOrder(SeatId seat);
  void SetPhase(SeatId seat, absl::string_view phase, float fraction);
  void SetDark(SeatId seat, absl::Duration duration);
  // The result is journaled; the seat stays taken until Free().
  void SetReporting(SeatId seat);

  // The farm has acknowledged the result: its seat, if any, is idle again.
  void Free(const WorkKey& key);

  // Every running work is cancelled, workers get no more orders.
  void Stop();
  bool stopping() const;
  // Waits, at most `limit`, until no work is running (or, not even a result waits). What is left
  // running, for the message; empty: none.
  std::string WaitUntilNoneRuns(absl::Duration limit) const;
  bool WaitUntilFree(absl::Duration limit) const;

 private:
  struct Seat {
    std::string name;
    MachineInfo info;
    std::string problem;
    std::optional<WorkKey> work;
    bool running = false;
    std::optional<std::string> order;  // Until the worker takes it.
    std::string phase;
    float progress = 0;
    absl::Duration dark_until = absl::ZeroDuration();  // Clock::Elapsed().
    std::atomic<bool> cancel = false;
  };
  using Seats = std::vector<std::unique_ptr<Seat>>;

  Seat& At(SeatId seat);
  Seats& All(WorkKind kind) { return kind == WorkKind::kBoot ? machines_ : slots_; }
  const Seat* FirstThat(bool (*wanted)(const Seat&)) const;
  absl::Duration DarkLeft(const Seat& seat) const;

  Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Seats machines_;
  Seats slots_;
  bool stopping_ = false;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_DESK_H_
