// shakedown-laptop enroll: what will happen, the owner's consent, the files, the units.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_ENROLL_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_ENROLL_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/laptop/boot/host.h"
#include "agent/laptop/keeper/commands.h"

namespace shakedown::laptop {

struct Enrolment {
  std::string name;                  // The agent's and the machine's: that of its token.
  std::string server;                // HOST:PORT.
  std::string token;                 // Never printed.
  std::string tls_ca;                // PEM text; empty: no TLS.
  std::vector<std::string> signers;  // Public keys, for an owner's file that is not there yet.
};

struct EnrolTools {
  Host& host;
  Say say;
  std::function<bool(absl::string_view question)> consents;
  unsigned owner_uid = 0;
  // Of user shakedown; nothing: FailedPrecondition, the package makes it.
  std::optional<uid_t> agent_uid;
  std::optional<gid_t> agent_gid;
};

// InvalidArgument: a name, server or token that is none; nothing is written. Cancelled: the owner
// does not consent; nothing is written. An owner's file that is there stays as it is and must be
// sound; the token is the agent's alone (0600), the configuration root's (0640).
absl::Status Enrol(const Enrolment& enrolment, const LaptopPaths& paths, const EnrolTools& tools);

// The text of agent.conf.
std::string AgentConfig(const Enrolment& enrolment, const LaptopPaths& paths);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_ENROLL_H_
