// A load run in a process of its own, watched, sampled and bounded from outside.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_PROCESS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/runner/loads/load_user.h"
#include "agent/runner/telemetry/run_watch.h"
#include "proto/wire/clock.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/framing.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::runner {

struct LoadPlace {
  std::string scratch_parent = "/var/tmp";  // On a disk. A folder of its own is made in it.
  std::string tree = "/usr/src/load";
  std::string inputs = "/run/shakedown/inputs";
  bool share_output = false;  // The load's commands write to our standard output.
  // See LoadContext. The functions are called in the load's process.
  bool for_person = false;
  std::function<void(absl::string_view)> table, trace;
  std::string comment;
  // The watcher runs at SCHED_FIFO 1 while the load runs, where allowed, and the out-of-memory
  // killer prefers the load: a load or scheduler that starves ordinary tasks is then seen as slow,
  // not as a dead machine. The caller has protected itself by SpareFromOutOfMemory().
  bool watcher_first = false;
  // Processes beside this one that belong to the measurement (see RunWatch); those of them that are
  // our children live on when the load ends.
  std::set<pid_t> own;
  // The beats tell samples too. Not where those who take them run on the machine that is measured:
  // their CPU time would be that of others.
  bool live = false;
  // Who the load is. Nothing: who we are.
  std::optional<LoadUser> user;
};

// One load at a time in one process; the process must have called AdoptOrphans(). When the process
// dies, by whatever signal, the load's processes and files go with it (guardian.h). Not
// thread-safe.
class LoadProcess {
 public:
  static constexpr absl::Duration kBeat = absl::Seconds(1);

  // Forks. InvalidArgument: no kind or no limit.
  static absl::StatusOr<std::unique_ptr<LoadProcess>> Start(const v1::RunLoad& request,
                                                            const LoadPlace& place, Clock& clock);
  // Ends the load if it still runs.
  ~LoadProcess();
  LoadProcess(const LoadProcess&) = delete;

  // Readable when Step() has work; also call it when `next_beat()` has come.
  int fd() const { return events_; }
  absl::Duration next_beat() const { return next_beat_; }

  // A progress event each beat; at the end one LoadRun or Failure. `id` of the events is 0.
  std::vector<v1::RunnerEvent> Step();
  // As ^C: what it means is the load's. See LoadContext::for_person.
  void Interrupt();
  // Ends it now; the Failure says `why`. After done() it does nothing.
  std::vector<v1::RunnerEvent> Stop(absl::string_view why);
  // The last event has been given: no process and no file of the load is left, or the event says
  // so.
  bool done() const { return done_; }

 private:
  LoadProcess(const v1::RunLoad& request, const LoadPlace& place, Clock& clock);
  absl::Status Fork();
  // Gives the load's user its folder; who empties caches for it. Nobody without a user.
  absl::StatusOr<Descriptor> PrepareForUser() const;
  absl::Status CleanUp();
  absl::Status RemoveFiles() const;
  void Receive();
  v1::RunnerEvent Finish(absl::Status status);
  v1::RunnerEvent Beat();

  const v1::RunLoad request_;
  const LoadPlace place_;
  Clock& clock_;
  std::string scratch_;
  pid_t pid_ = -1;
  int events_ = -1;
  FrameReader frames_;
  RunWatch watch_;
  absl::Duration started_;
  absl::Duration next_beat_;
  v1::LoadProgress progress_;
  std::optional<v1::RunnerEvent> answer_;  // The worker's last word.
  bool closed_ = false;
  bool done_ = false;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_PROCESS_H_
