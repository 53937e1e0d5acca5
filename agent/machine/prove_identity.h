// Is the kernel that booted the one that was asked for? Pure.
#ifndef SHAKEDOWN_AGENT_MACHINE_PROVE_IDENTITY_H_
#define SHAKEDOWN_AGENT_MACHINE_PROVE_IDENTITY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::agent {

struct Wanted {
  v1::ExpectedIdentity expected;
  // Each must stand on the kernel's command line, in this order; others may stand between them.
  std::vector<std::string> parameters;
  // As read back after writing. Empty while they have not been written.
  std::vector<v1::Tunable> tunables;
  std::string boot_id;  // As the hello said.
};

// Nothing when `found` proves to be what is wanted; else one line that names what differs, what was
// wanted and what was found.
std::optional<std::string> FindMismatch(const Wanted& wanted, const v1::Identity& found);

// Nothing when every tunable wanted was read back with its value, in the same order. Blanks count
// as one, and in files that list the choices the chosen one counts: "none [voluntary] full", "none
// voluntary (full)", and for sched/features one word of the list.
std::optional<std::string> FindTunableMismatch(const std::vector<v1::Tunable>& wanted,
                                               const std::vector<v1::Tunable>& read_back);

struct Change {
  bool scheduler = false;  // The sched_ext program is not the one that ran before.
  std::string what;        // One line.
};
// What became other between two proofs of one boot; nothing: the same kernel in the same state.
std::optional<Change> FindChange(const v1::Identity& before, const v1::Identity& after);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_PROVE_IDENTITY_H_
