// The owner's file as it is written for an owner who has none.
#ifndef SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_TEMPLATE_H_
#define SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_TEMPLATE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/laptop/owner/owner_file.h"

namespace shakedown::laptop {

// Careful and commented: at night, idle, on mains power, accepts `server` and signers with these
// keys (64 hex digits each; none: no kernel until the owner names one).
std::string OwnerTemplate(absl::string_view server, const std::vector<std::string>& keys);

// What the rules mean, for people, a line each; defaults too.
std::vector<std::string> RulesInWords(const OwnerFile& owner);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_TEMPLATE_H_
