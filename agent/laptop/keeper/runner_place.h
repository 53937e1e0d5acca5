// Where the runner of a test kernel lives: a process of its own session, cgroup and view of the
// files, with the order's inputs mounted; all of it can be ended at once.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_PLACE_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_PLACE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/laptop/boot/host.h"
#include "proto/wire/descriptor.h"
#include "shakedown/v1/owner.pb.h"

namespace shakedown::laptop {

// A raw ext4 image under a name (proto/wire/ids.h, CheckName).
struct RunnerInput {
  std::string name, image;
};

// One runner at a time. One owner, not thread-safe.
class RunnerPlace {
 public:
  virtual ~RunnerPlace() = default;
  // Mounts the inputs, sets the network's links, starts the runner. The socket that carries its
  // frames; end of file: it has ended. Nothing is left after an error.
  virtual absl::StatusOr<Descriptor> Start(const std::vector<RunnerInput>& inputs,
                                           v1::Network network) = 0;
  // Ends the runner and all it has started, unmounts the inputs. Idempotent.
  virtual void End() = 0;
};

struct PlaceOptions {
  std::string runner;  // The program shakedown-runner.
  std::string inputs = "/run/shakedown/inputs";
  std::string links = "/sys/class/net";
  // A folder of the cgroup2 file system that this process may make and remove. Empty: none, the
  // runner is a process group only.
  std::string cgroup;
  // Folders that the runner does not see, if they are there; with any, it has a /dev without disks
  // (runner_view.h).
  std::vector<std::string> hidden;
  // The user that loads run as; setup steps and watching stay root's. Empty: the runner's own. One
  // that the machine does not have keeps the runner from starting: NotFound.
  std::string load_user;
};
// The host outlives it.
std::unique_ptr<RunnerPlace> MakeProcessPlace(Host& host, PlaceOptions options);

// This process's cgroup2 folder, from the text of /proc/self/cgroup. NotFound: there is none.
absl::StatusOr<std::string> CgroupFolder(const std::string& text);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_RUNNER_PLACE_H_
