#include "controller/scheduler/pick_work.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace shakedown::scheduler {
namespace {

constexpr int64_t kNoJob = std::numeric_limits<int64_t>::max();

bool Contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool Fits(const OpenBlock& block, const MachineNow& machine) {
  if (machine.takes_blocks && !block.modules_kept) return false;
  if (!block.names.empty() && !Contains(block.names, machine.name)) return false;
  return std::all_of(block.tags.begin(), block.tags.end(),
                     [&](const std::string& tag) { return Contains(machine.tags, tag); });
}

bool HasState(const OpenBlock& block, BootState state) {
  return std::any_of(block.boots.begin(), block.boots.end(),
                     [&](const OpenBoot& boot) { return boot.state == state; });
}

// The boot that may start now, were its machine free; none while another of the block runs.
const OpenBoot* Next(const OpenBlock& block) {
  if (HasState(block, BootState::kRunning) || HasState(block, BootState::kWaiting)) return nullptr;
  const auto first = std::min_element(
      block.boots.begin(), block.boots.end(),
      [](const OpenBoot& a, const OpenBoot& b) { return a.position < b.position; });
  return first == block.boots.end() ? nullptr : &*first;
}

bool Older(const OpenBlock* a, const OpenBlock* b) {
  return b == nullptr || std::tie(a->job, a->block) < std::tie(b->job, b->block);
}

// The oldest block that can go on or start on a machine.
struct Choice {
  const OpenBlock* started = nullptr;
  const OpenBlock* fresh = nullptr;
};

Choice Choose(const MachineNow& machine, const Work& work) {
  Choice choice;
  if (!machine.problem.empty()) return choice;
  for (const OpenBlock& block : work.blocks) {
    if (Next(block) == nullptr) continue;
    if (block.machine == machine.name) {
      if (Older(&block, choice.started)) choice.started = &block;
    } else if (block.machine.empty() && Fits(block, machine)) {
      if (Older(&block, choice.fresh)) choice.fresh = &block;
    }
  }
  return choice;
}

int64_t OldestBuildJob(const Work& work) {
  int64_t oldest = kNoJob;
  for (const QueuedBuild& build : work.builds) oldest = std::min(oldest, build.job);
  return oldest;
}

bool AnyLeased(const AgentNow& agent) {
  return std::any_of(agent.machines.begin(), agent.machines.end(),
                     [](const MachineNow& machine) { return machine.leased; });
}

std::string WhyNoBlock(const MachineNow& machine, const Work& work) {
  int waiting = 0, elsewhere = 0, bare = 0, unfit = 0;
  for (const OpenBlock& block : work.blocks) {
    if (!block.machine.empty() && block.machine != machine.name) {
      ++elsewhere;
    } else if (block.machine.empty() && machine.takes_blocks && !block.modules_kept) {
      ++bare;
    } else if (block.machine.empty() && !Fits(block, machine)) {
      ++unfit;
    } else if (HasState(block, BootState::kWaiting)) {
      ++waiting;
    }
  }
  std::vector<std::string> parts;
  if (waiting > 0) parts.push_back(absl::StrCat(waiting, " wait for builds"));
  if (elsewhere > 0) parts.push_back(absl::StrCat(elsewhere, " are bound to other machines"));
  if (bare > 0) {
    parts.push_back(
        absl::StrCat(bare, " have kernels built before modules were kept: submit again"));
  }
  if (unfit > 0) parts.push_back(absl::StrCat(unfit, " want other machines"));
  if (parts.empty()) return "no boot is queued for it";
  return absl::StrCat("no block can start: ", absl::StrJoin(parts, ", "));
}

BootPick NoBoot(std::string why) { return {std::nullopt, 0, 0, std::move(why)}; }
BuildPick NoBuild(std::string why) { return {std::nullopt, std::move(why)}; }

}  // namespace

BootPick PickBoot(const AgentNow& agent, const std::string& machine, const Work& work) {
  const auto now =
      std::find_if(agent.machines.begin(), agent.machines.end(),
                   [&](const MachineNow& candidate) { return candidate.name == machine; });
  if (now == agent.machines.end()) return NoBoot(absl::StrCat("no machine ", machine));
  if (!now->problem.empty()) return NoBoot(now->problem);
  if (now->leased) return NoBoot("it has a boot in hand");
  if (agent.builds_running > 0) return NoBoot("its host builds");
  const Choice choice = Choose(*now, work);
  const OpenBlock* block = choice.started != nullptr ? choice.started : choice.fresh;
  if (block == nullptr) return NoBoot(WhyNoBlock(*now, work));
  const int64_t oldest_build = OldestBuildJob(work);
  if (block == choice.fresh && agent.slots > 0 && oldest_build < block->job) {
    return NoBoot(absl::StrCat("job ", oldest_build, "'s build wants this host first"));
  }
  return {Next(*block)->attempt_id, block->job, block->block, ""};
}

BuildPick PickBuild(const AgentNow& agent, const Work& work) {
  if (agent.slots == 0) return NoBuild("no usable build slot");
  if (agent.builds_running >= agent.slots) return NoBuild("every build slot is busy");
  if (work.builds.empty()) return NoBuild("no build is queued");
  if (AnyLeased(agent)) return NoBuild("one of its machines runs a boot");
  const auto build = std::min_element(
      work.builds.begin(), work.builds.end(), [](const QueuedBuild& a, const QueuedBuild& b) {
        return std::tie(a.job, a.build_id) < std::tie(b.job, b.build_id);
      });
  for (const MachineNow& machine : agent.machines) {
    const Choice choice = Choose(machine, work);
    if (choice.started != nullptr) {
      return NoBuild(absl::StrCat("block ", choice.started->job, ".", choice.started->block,
                                  " is under way on ", machine.name));
    }
    if (choice.fresh != nullptr && choice.fresh->job <= build->job) {
      return NoBuild(absl::StrCat("block ", choice.fresh->job, ".", choice.fresh->block,
                                  " wants this host first"));
    }
  }
  return {build->build_id, ""};
}

store::Picks Rules() { return {PickBoot, PickBuild}; }

}  // namespace shakedown::scheduler
