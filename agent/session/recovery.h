// What a starting agent does about the process before it.
#ifndef SHAKEDOWN_AGENT_SESSION_RECOVERY_H_
#define SHAKEDOWN_AGENT_SESSION_RECOVERY_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "agent/build/build_slot.h"
#include "agent/machine/machine.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/desk.h"
#include "agent/session/journal.h"
#include "agent/session/reporter.h"

namespace shakedown::agent {

// Why a machine or build slot is not to be used until the next start.
using SeatProblems = std::map<std::pair<WorkKind, size_t>, std::string>;

// Ends and removes what machines and slots left behind, but for the journal's open boots of
// machines that outlive the agent; one that can not is a problem, not used.
void CleanUpSeats(const Journal& journal, const std::vector<Machine*>& machines,
                  const std::vector<BuildSlot*>& slots, SeatProblems& problems);
// The same, again and again, for an idle machine that outlives the agent: something may have been
// away at the start, or a boot's end have failed.
void CleanUpAgain(const Journal& journal, const std::vector<Machine*>& machines, size_t index,
                  SeatProblems& problems);

// Every order without a result gets one: farm_failed "agent restarted" (or "host restarted", by its
// boot_id); but the boots of a machine that outlives the agent are given to it again, in the order
// of their acceptance. Then every result goes to the reporter, and its machine or slot is taken
// until the farm has acknowledged it. Errors are the journal's.
absl::Status Recover(Journal& journal, const std::string& boot_id, ArtefactCache& cache, Desk& desk,
                     Reporter& reporter);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_RECOVERY_H_
