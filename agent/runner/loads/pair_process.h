// A process of an interbench pair: started, stopped and heard over pipes.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_PAIR_PROCESS_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_PAIR_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/runner/loads/background.h"

namespace shakedown::runner {

// What the process does: in its main thread before it says that it is ready, and in a thread of its
// own from start to stop. `run` gives bytes for the one who forked it.
struct PairBody {
  std::function<absl::Status()> prepare;
  std::function<absl::StatusOr<std::string>(const StopSignal& stop)> run;
};

// One owner, with a single thread when it starts one. Errors of the body come back with their code;
// Unavailable: the process was ended from outside.
class PairProcess {
 public:
  explicit PairProcess(absl::string_view name) : name_(name) {}
  // Kills and reaps it if it still runs.
  ~PairProcess();
  PairProcess(const PairProcess&) = delete;

  absl::Status Start(const PairBody& body);  // Until it is ready.
  absl::Status Begin();                      // Until it runs.
  absl::Status AskStop();
  // What `run` gave. DeadlineExceeded: nothing within `limit`.
  absl::StatusOr<std::string> Finish(absl::Duration limit);

  // Readable when the body has failed, or the process has ended, before it was asked to stop.
  int fd() const { return from_; }
  // Then: why.
  absl::Status Failure();

 private:
  absl::StatusOr<std::string> Hear(absl::string_view awaited);
  absl::Status Order(absl::string_view what);

  const std::string name_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_PAIR_PROCESS_H_
