// What an agent does next: builds and boots of all jobs against one host and its machines. Pure.
#ifndef SHAKEDOWN_CONTROLLER_SCHEDULER_PICK_WORK_H_
#define SHAKEDOWN_CONTROLLER_SCHEDULER_PICK_WORK_H_

#include <string>

#include "db/store/work.h"

namespace shakedown::scheduler {

using store::AgentNow;
using store::BootPick;
using store::BootState;
using store::BuildPick;
using store::MachineNow;
using store::OpenBlock;
using store::OpenBoot;
using store::QueuedBuild;
using store::Work;

// The rules, for both:
// - A host never builds while one of its machines runs a boot, and boots nothing while it builds.
// - Lowest job first; a job whose blocks are all taken or waiting holds up nobody.
// - A block starts when none of its boots waits for a build, runs whole on one machine, in its
// order, the next
//   boot when the one before has ended. A started block goes before everything else on its host.
// - A machine that takes blocks gets only blocks whose kernels have their modules kept.
// - Neither kind starves the other: a new block does not start while an older job's build wants
// this host, and a
//   build does not start while an older or equally old job's block could.
// The same answer for any order of the input.
BootPick PickBoot(const AgentNow& agent, const std::string& machine, const Work& work);
BuildPick PickBuild(const AgentNow& agent, const Work& work);

// Both, as the store wants them.
store::Picks Rules();

}  // namespace shakedown::scheduler

#endif  // SHAKEDOWN_CONTROLLER_SCHEDULER_PICK_WORK_H_
