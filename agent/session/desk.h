// What each machine and build slot of this agent has in hand, between the threads that know.
#ifndef SHAKEDOWN_AGENT_SESSION_DESK_H_
#define SHAKEDOWN_AGENT_SESSION_DESK_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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
  const std::atomic<bool>* stop;  // As in BootHooks.
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
  // The seat gets work: at once when it is idle, else after what it has.
  void Give(SeatId seat, const WorkKey& key, std::string order);
  // The worker that has this work is to give up. True: none has, it was queued and no longer is;
  // its seat is taken until Free() of the result that the caller makes of it.
  bool Cancel(const WorkKey& key);
  // At start: the seat of work of an earlier process, until its result is acknowledged.
  void Hold(SeatId seat, const WorkKey& key);
  void SetProblem(SeatId seat, std::string problem);
  // What the machine's next descriptions say.
  void SetFacts(SeatId seat, std::map<std::string, std::string> facts, std::string hands);
  // The farm has answered a request that was described when Version() was this.
  uint64_t Version() const;
  void Heard(uint64_t version);
  bool Awaited() const;  // Someone waits for Heard().

  // For a seat's worker. Nothing: the agent stops.
  std::optional<Assignment> WaitForOrder(SeatId seat);
  void SetPhase(SeatId seat, absl::string_view phase, float fraction);
  // Told with the next description: nobody is woken for it.
  void SetLive(SeatId seat, const v1::LiveTelemetry& live);
  void SetDark(SeatId seat, absl::Duration duration, absl::string_view reason);
  // Waits, at most `limit`, until the farm has heard of all until now. False: not, or a stop.
  // `wake` makes the sync thread describe things anew.
  bool WaitUntilHeard(absl::Duration limit, const std::function<void()>& wake);
  // Orders of a machine that wait for their turn, in that order.
  std::vector<std::string> QueuedBoots(SeatId seat) const;
  // The result is journaled. What is queued comes next, unless the agent stops: it stays in the
  // journal then. The seat stays taken until Free() of all its results.
  void SetReporting(SeatId seat);
  // The work is left as it is for the next process.
  void Suspend(SeatId seat);

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
    bool suspended = false;
    std::optional<std::string> order;  // Until the worker takes it.
    std::deque<std::pair<WorkKey, std::string>> queue;
    std::vector<WorkKey> ended;  // Results not acknowledged; `work` may be one, too.
    std::string hands, dark_reason;
    std::string phase;
    float progress = 0;
    v1::LiveTelemetry live;
    absl::Duration dark_until = absl::ZeroDuration();  // Clock::Elapsed().
    std::atomic<bool> cancel = false;
    std::atomic<bool> stop = false;
  };
  using Seats = std::vector<std::unique_ptr<Seat>>;

  Seat& At(SeatId seat);
  Seats& All(WorkKind kind) { return kind == WorkKind::kBoot ? machines_ : slots_; }
  const Seat* FirstThat(bool (*wanted)(const Seat&)) const;
  absl::Duration DarkLeft(const Seat& seat) const;
  void Begin(Seat& seat, const WorkKey& key, std::string order);

  Clock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Seats machines_;
  Seats slots_;
  bool stopping_ = false;
  uint64_t version_ = 0;  // Of what Describe() says that someone may wait for.
  uint64_t heard_ = 0;
  int awaited_ = 0;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_DESK_H_
