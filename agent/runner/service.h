// Answers the agent's requests over the port.
#ifndef SHAKEDOWN_AGENT_RUNNER_SERVICE_H_
#define SHAKEDOWN_AGENT_RUNNER_SERVICE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/runner/loads/load_process.h"
#include "agent/runner/setup/machine_setup.h"
#include "agent/runner/setup/port.h"
#include "proto/wire/clock.h"
#include "proto/wire/framing.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::runner {

// Says Hello every second until the first request; then one thing at a time. The process must have
// called AdoptOrphans() and ignore SIGPIPE. Not thread-safe.
class Service {
 public:
  // `root` stands before the paths of setup steps; empty outside tests.
  Service(std::unique_ptr<Port> port, LoadPlace place, Clock& clock, std::string root = "");

  // Until PowerOff is asked (OK; a running load is ended first) or the port is lost (its error).
  absl::Status Run();

 private:
  void Wait();
  absl::Status Listen();
  absl::Status StepLoad();
  absl::Status SayHello();
  absl::Status Handle(const v1::RunnerRequest& request);
  absl::Status Send(uint64_t id, v1::RunnerEvent event);
  absl::Status Fail(uint64_t id, const absl::Status& why);
  v1::RunnerEvent Answer(const v1::RunnerRequest& request);
  v1::RunnerEvent AnswerSetup(const v1::ApplySetup& wanted);
  v1::RunnerEvent AnswerUndo();
  absl::Status StepSettling();
  absl::Status StartLoad();

  const std::unique_ptr<Port> port_;
  const LoadPlace place_;
  Clock& clock_;
  FrameReader frames_;
  const std::string root_;
  std::unique_ptr<MachineSetup> setup_;  // In place while set.
  // A load that waits for the machine to come to rest; then `load_` runs it.
  std::optional<Settler> settler_;
  v1::RunLoad waiting_;
  absl::Duration next_settle_ = absl::ZeroDuration();
  std::vector<std::string> warnings_;  // For the load run.
  std::unique_ptr<LoadProcess> load_;
  uint64_t load_id_ = 0;
  bool heard_ = false;
  bool power_off_ = false;
  absl::Duration next_hello_ = absl::ZeroDuration();
};

// The whole life of the service in a booted guest: finds the port and serves. The exit code of the
// process: 0 after PowerOff; else the error has been said on the console.
int ServeAgent();
// Likewise over a socket that the parent has given it, until that is closed: on a machine that has
// another purpose, so it neither is process 1 nor powers off, and loads may be somebody else than
// we.
int ServeSocket(int fd, std::optional<LoadUser> load_user);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SERVICE_H_
