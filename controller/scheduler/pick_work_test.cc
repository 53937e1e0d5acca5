#include "controller/scheduler/pick_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace shakedown::scheduler {
namespace {

constexpr BootState kW = BootState::kWaiting, kQ = BootState::kQueued, kR = BootState::kRunning;

AgentNow Host(std::vector<MachineNow> machines, int builds_running = 0, int slots = 1) {
  return {std::move(machines), builds_running, slots};
}

OpenBlock Block(int64_t job, uint32_t block, std::string machine, std::vector<OpenBoot> boots,
                std::vector<std::string> names = {}, std::vector<std::string> tags = {}) {
  return {job, block, std::move(machine), std::move(names), std::move(tags), std::move(boots)};
}

// Of a kernel built before modules were kept.
OpenBlock Bare(OpenBlock block) {
  block.modules_kept = false;
  return block;
}

struct PickCase {
  std::string name;
  AgentNow agent;
  Work work;
  std::string boot;   // attempt_id for vm1, or the reason why it idles.
  std::string build;  // build_id, or the reason why nothing is built.
};

class PickWorkTest : public testing::TestWithParam<PickCase> {};

TEST_P(PickWorkTest, SameAnswerInAnyOrder) {
  PickCase c = GetParam();
  for (int round = 0; round < 2; ++round) {
    const BootPick boot = PickBoot(c.agent, "vm1", c.work);
    EXPECT_EQ(boot.attempt_id.value_or(boot.idle_reason), c.boot);
    EXPECT_NE(boot.attempt_id.has_value(), !boot.idle_reason.empty());
    const BuildPick build = PickBuild(c.agent, c.work);
    EXPECT_EQ(build.build_id.value_or(build.idle_reason), c.build);
    std::reverse(c.work.blocks.begin(), c.work.blocks.end());
    std::reverse(c.work.builds.begin(), c.work.builds.end());
    std::reverse(c.agent.machines.begin(), c.agent.machines.end());
    for (OpenBlock& block : c.work.blocks) std::reverse(block.boots.begin(), block.boots.end());
  }
}

const MachineNow kVm1{"vm1", {"vm", "tcg"}, false, ""};
// A laptop in its place: the cases are about vm1.
const MachineNow kX1{"vm1", {"laptop"}, false, "", true};
const MachineNow kVm2{"vm2", {"vm"}, false, ""};
const MachineNow kVm2Busy{"vm2", {"vm"}, true, ""};

INSTANTIATE_TEST_SUITE_P(
    , PickWorkTest,
    testing::ValuesIn<PickCase>({
        {"NothingToDo", Host({kVm1}), {}, "no boot is queued for it", "no build is queued"},
        {"UnknownMachine", Host({kVm2}), {}, "no machine vm1", "no build is queued"},
        {"OldestJobFirst",
         Host({kVm1}),
         {{Block(8, 1, "", {{"x", 0, kQ}}), Block(7, 1, "", {{"a", 0, kQ}})}, {}},
         "a",
         "no build is queued"},
        {"BlockByBlockAndInItsOrder",
         Host({kVm1}),
         {{Block(7, 2, "", {{"c", 0, kQ}}), Block(7, 1, "", {{"b", 1, kQ}, {"a", 0, kQ}})}, {}},
         "a",
         "no build is queued"},
        {"AStartedBlockGoesBeforeOlderJobs",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}}), Block(9, 4, "vm1", {{"z", 1, kQ}})}, {{"k", 3}}},
         "z",
         "block 9.4 is under way on vm1"},
        {"ABoundBlockStaysOnItsMachine",
         Host({kVm1}),
         {{Block(7, 1, "vm9", {{"a", 0, kQ}})}, {}},
         "no block can start: 1 are bound to other machines",
         "no build is queued"},
        {"ABlockWaitsForAllItsBuildsAndHoldsUpNobody",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}, {"b", 1, kW}}), Block(8, 1, "", {{"x", 0, kQ}})}, {}},
         "x",
         "no build is queued"},
        {"OnlyWaiting",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}, {"b", 1, kW}})}, {{"k", 7}}},
         "no block can start: 1 wait for builds",
         "k"},
        {"TheNextBootWaitsForTheOneBefore",
         Host({kVm1}),
         {{Block(7, 1, "vm1", {{"a", 0, kR}, {"b", 1, kQ}})}, {}},
         "no boot is queued for it",
         "no build is queued"},
        {"SelectorByName",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}}, {"vm2", "vm3"}),
           Block(8, 1, "", {{"x", 0, kQ}}, {"vm1"})},
          {}},
         "x",
         "no build is queued"},
        {"SelectorWantsEveryTag",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}}, {}, {"vm", "kvm"})}, {}},
         "no block can start: 1 want other machines",
         "no build is queued"},
        {"SelectorThatFits",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}}, {"vm1"}, {"tcg", "vm"})}, {}},
         "a",
         "no build is queued"},
        {"NoBootWhileItsHostBuilds",
         Host({kVm1}, 1, 2),
         {{Block(7, 1, "", {{"a", 0, kQ}})}, {{"k", 9}}},
         "its host builds",
         "block 7.1 wants this host first"},
        {"NoBuildWhileAMachineRuns",
         Host({kVm1, kVm2Busy}),
         {{}, {{"k", 1}}},
         "no boot is queued for it",
         "one of its machines runs a boot"},
        {"AnOlderBuildDrainsTheHost",
         Host({kVm1, kVm2Busy}),
         {{Block(7, 1, "", {{"a", 0, kQ}})}, {{"k", 6}}},
         "job 6's build wants this host first",
         "one of its machines runs a boot"},
        {"WithoutASlotOfItsOwnItBootsOn",
         Host({kVm1}, 0, 0),
         {{Block(7, 1, "", {{"a", 0, kQ}})}, {{"k", 6}}},
         "a",
         "no usable build slot"},
        {"OlderBuildBeforeYoungerBlock",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}})}, {{"m", 9}, {"k", 6}}},
         "job 6's build wants this host first",
         "k"},
        {"BlockBeforeBuildOfTheSameJob",
         Host({kVm1}),
         {{Block(7, 1, "", {{"a", 0, kQ}})}, {{"k", 7}}},
         "a",
         "block 7.1 wants this host first"},
        {"SlotsAreCounted",
         Host({kVm1}, 1, 1),
         {{}, {{"k", 7}}},
         "its host builds",
         "every build slot is busy"},
        {"AMachineWithAProblemNeitherBootsNorHoldsUpBuilds",
         Host({{"vm1", {"vm"}, false, "no QEMU"}}),
         {{Block(7, 1, "vm1", {{"a", 0, kQ}})}, {{"k", 9}}},
         "no QEMU",
         "k"},
        {"ALeasedMachineIsBusy",
         Host({{"vm1", {"vm"}, true, ""}}),
         {{Block(7, 1, "", {{"a", 0, kQ}})}, {}},
         "it has a boot in hand",
         "no build is queued"},
        {"ALaptopGetsKernelsWithTheirModules",
         Host({kX1}),
         {{Bare(Block(7, 1, "", {{"a", 0, kQ}})), Block(8, 1, "", {{"b", 0, kQ}})}, {}},
         "b",
         "no build is queued"},
        {"ALaptopWithoutThemIsToldWhy",
         Host({kX1}),
         {{Bare(Block(7, 1, "", {{"a", 0, kQ}}))}, {}},
         "no block can start: 1 have kernels built before modules were kept: submit again",
         "no build is queued"},
        {"AVmDoesWithoutModules",
         Host({kVm1}),
         {{Bare(Block(7, 1, "", {{"a", 0, kQ}}))}, {}},
         "a",
         "no build is queued"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace shakedown::scheduler
