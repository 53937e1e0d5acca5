#include "agent/session/decide.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

constexpr char kX[] = "aaaaaaaa-0000-4000-8000-000000000001";
constexpr char kY[] = "bbbbbbbb-0000-4000-8000-000000000002";
constexpr char kZ[] = "cccccccc-0000-4000-8000-000000000003";

WorkKey Boot(const char* id, int64_t epoch = 1) { return {WorkKind::kBoot, id, epoch}; }
WorkKey Build(const char* id, int64_t epoch = 1) { return {WorkKind::kBuild, id, epoch}; }

v1::BootOrder BootOf(const std::string& id, const std::string& machine, int64_t epoch = 1) {
  v1::BootOrder order;
  order.set_attempt_id(id);
  order.set_machine(machine);
  order.set_epoch(epoch);
  order.set_name("17.1A");
  order.mutable_image()->set_sha256(std::string(64, 'a'));
  return order;
}

v1::BuildOrder BuildOf(const std::string& id, int64_t epoch = 1) {
  v1::BuildOrder order;
  order.set_build_id(id);
  order.set_epoch(epoch);
  return order;
}

v1::BootOrder WithBadImage(v1::BootOrder order) {
  order.mutable_image()->set_sha256("../../etc/passwd");
  return order;
}

// "start x on 0", "refuse …", in few words: the id's first letter.
struct Describe {
  std::string operator()(const StartBoot& a) const {
    return absl::StrCat("boot ", a.order.attempt_id().substr(0, 1), a.machine);
  }
  std::string operator()(const StartBuild& a) const {
    return absl::StrCat("build ", a.order.build_id().substr(0, 1), a.slot);
  }
  std::string operator()(const RefuseBoot& a) const {
    EXPECT_FALSE(a.reason.empty());
    return absl::StrCat(a.hand_back ? "hand back boot " : "refuse boot ",
                        a.order.attempt_id().substr(0, 1));
  }
  std::string operator()(const RefuseBuild& a) const {
    EXPECT_FALSE(a.reason.empty());
    return absl::StrCat(a.hand_back ? "hand back build " : "refuse build ",
                        a.order.build_id().substr(0, 1));
  }
  std::string operator()(const CancelWork& a) const {
    return absl::StrCat("cancel ", a.key.id.substr(0, 1), a.key.epoch);
  }
  std::string operator()(const LeaveOrder& a) const {
    EXPECT_FALSE(a.why.empty());
    return "leave";
  }
};

struct DecideCase {
  std::string name;
  AgentState state;
  std::vector<v1::BootOrder> boots;
  std::vector<v1::BuildOrder> builds;
  std::vector<std::string> cancel;
  std::string want;  // Actions in order, ", " between.
};

void PrintTo(const DecideCase& c, std::ostream* out) { *out << c.name; }

// Machines vm1, vm2 and one slot: all idle.
AgentState Idle() { return {.machines = {{"vm1"}, {"vm2"}}, .slots = {{""}}}; }

AgentState With(std::optional<WorkKey> machine, bool machine_runs, std::optional<WorkKey> slot = {},
                bool slot_runs = false) {
  AgentState state = Idle();
  state.machines[0].work = machine;
  state.machines[0].running = machine_runs;
  state.slots[0].work = slot;
  state.slots[0].running = slot_runs;
  return state;
}

v1::BootOrder WithBadModules(v1::BootOrder order) {
  order.mutable_modules()->set_sha256("modules.tar");
  return order;
}

AgentState IdleLaptop() {
  AgentState state = Idle();
  state.machines[0].takes_blocks = true;
  return state;
}

// vm1 is a laptop that has X in hand and Y behind it; or X and Y have their results.
AgentState Laptop(bool running = true) {
  AgentState state = IdleLaptop();
  state.machines[0].work = Boot(kX);
  state.machines[0].running = running;
  (running ? state.machines[0].queued : state.machines[0].ended) = {Boot(kY)};
  return state;
}

AgentState Cancelled(AgentState state) {
  state.machines[0].cancelled = true;
  return state;
}

AgentState Problem() {
  AgentState state = Idle();
  state.machines[0].problem = "disk full";
  state.slots[0].problem = "no sandbox";
  return state;
}

AgentState Stopping() {
  AgentState state = Idle();
  state.stopping = true;
  return state;
}

AgentState Finished(const WorkKey& key) {
  AgentState state = Idle();
  state.finished = [key](const WorkKey& asked) { return asked == key; };
  return state;
}

class DecideTest : public testing::TestWithParam<DecideCase> {};

TEST_P(DecideTest, GivesTheseActions) {
  const DecideCase& c = GetParam();
  v1::SyncResponse response;
  for (const auto& boot : c.boots) *response.add_boots() = boot;
  for (const auto& build : c.builds) *response.add_builds() = build;
  for (const auto& id : c.cancel) response.add_cancel(id);
  const Decision decision = Decide(c.state, response);
  std::vector<std::string> got;
  for (const Action& action : decision.actions) got.push_back(std::visit(Describe(), action));
  EXPECT_EQ(absl::StrJoin(got, ", "), c.want);
  // What the farm would say again at once is no reason to ask at once.
  const bool again =
      c.want.find("leave") != std::string::npos ||
      (!c.cancel.empty() && c.name != "CancelUnknown" && c.name != "CancelWhatIsReported");
  EXPECT_EQ(decision.call_again, again ? absl::Seconds(1) : absl::ZeroDuration());
}

INSTANTIATE_TEST_SUITE_P(
    , DecideTest,
    testing::ValuesIn<DecideCase>({
        {"Nothing", Idle(), {}, {}, {}, ""},
        {"OneBoot", Idle(), {BootOf(kX, "vm2")}, {}, {}, "boot a1"},
        {"TwoBoots", Idle(), {BootOf(kX, "vm2"), BootOf(kY, "vm1")}, {}, {}, "boot a1, boot b0"},
        {"OneBuild", Idle(), {}, {BuildOf(kX)}, {}, "build a0"},
        {"MoreBuildsThanSlots", Idle(), {}, {BuildOf(kX), BuildOf(kY)}, {}, "build a0, leave"},
        {"TwoBootsOfOneMachine",
         Idle(),
         {BootOf(kX, "vm1"), BootOf(kY, "vm1")},
         {},
         {},
         "boot a0, leave"},
        // Never a build beside a measurement, in any order of events.
        {"BootAndBuildTogether",
         Idle(),
         {BootOf(kX, "vm1")},
         {BuildOf(kY)},
         {},
         "boot a0, hand back build b"},
        {"BuildWhileMeasuring", With(Boot(kX), true), {}, {BuildOf(kY)}, {}, "hand back build b"},
        {"BuildWhileReporting", With(Boot(kX), false), {}, {BuildOf(kY)}, {}, "build b0"},
        {"BootWhileBuilding",
         With({}, false, Build(kX), true),
         {BootOf(kY, "vm1")},
         {},
         {},
         "hand back boot b"},
        {"BootWhileBuildIsReported",
         With({}, false, Build(kX), false),
         {BootOf(kY, "vm1")},
         {},
         {},
         "boot b0"},
        {"BuildWhileACancelledBootStillRuns",
         With(Boot(kX), true),
         {},
         {BuildOf(kY)},
         {kX},
         "cancel a1, hand back build b"},
        // The same answer again.
        {"RepeatOfWhatRuns", With(Boot(kX), true), {BootOf(kX, "vm1")}, {}, {}, ""},
        {"RepeatOfWhatIsReported", With(Boot(kX), false), {BootOf(kX, "vm1")}, {}, {}, ""},
        {"RepeatInOneAnswer", Idle(), {BootOf(kX, "vm1"), BootOf(kX, "vm1")}, {}, {}, "boot a0"},
        {"RepeatOfARefusal",
         Idle(),
         {BootOf(kX, "vm9"), BootOf(kX, "vm9")},
         {},
         {},
         "refuse boot a"},
        {"RepeatOfABuild", With({}, false, Build(kX), true), {}, {BuildOf(kX)}, {}, ""},
        {"AlreadyFinished", Finished(Boot(kX)), {BootOf(kX, "vm1")}, {}, {}, "leave"},
        {"FinishedUnderAnOldEpoch", Finished(Boot(kX)), {BootOf(kX, "vm1", 2)}, {}, {}, "boot a0"},
        // A newer lease of the same work.
        {"NewEpochOfWhatRuns",
         With(Boot(kX), true),
         {BootOf(kX, "vm1", 2)},
         {},
         {},
         "cancel a1, leave"},
        {"NewEpochOfWhatIsReported",
         With(Boot(kX), false),
         {BootOf(kX, "vm1", 2)},
         {},
         {},
         "leave"},
        {"OldEpochOfWhatRuns", With(Boot(kX, 5), true), {BootOf(kX, "vm1", 2)}, {}, {}, "leave"},
        // Cancels.
        {"CancelBoot", With(Boot(kX), true), {}, {}, {kX}, "cancel a1"},
        {"CancelAgain", Cancelled(With(Boot(kX), true)), {}, {}, {kX}, ""},
        {"CancelBuild", With({}, false, Build(kX), true), {}, {}, {kX}, "cancel a1"},
        {"CancelWhatIsReported", With(Boot(kX), false), {}, {}, {kX}, ""},
        {"CancelUnknown", With(Boot(kX), true), {}, {}, {kY, ""}, ""},
        {"CancelAndNextForTheSameMachine",
         With(Boot(kX), true),
         {BootOf(kY, "vm1")},
         {},
         {kX},
         "cancel a1, leave"},
        // Orders that make no sense here.
        {"UnknownMachine", Idle(), {BootOf(kX, "vm3")}, {}, {}, "refuse boot a"},
        {"NoMachine", Idle(), {BootOf(kX, "")}, {}, {}, "refuse boot a"},
        {"BadImage", Idle(), {WithBadImage(BootOf(kX, "vm1"))}, {}, {}, "refuse boot a"},
        {"BadId", Idle(), {BootOf("../x", "vm1")}, {BuildOf("")}, {}, "leave, leave"},
        {"BadEpoch", Idle(), {BootOf(kX, "vm1", 0)}, {BuildOf(kX, -1)}, {}, "leave, leave"},
        {"NoSlot", {.machines = {{"vm1"}}, .slots = {}}, {}, {BuildOf(kX)}, {}, "refuse build a"},
        {"Problems",
         Problem(),
         {BootOf(kX, "vm1"), BootOf(kZ, "vm2")},
         {BuildOf(kY)},
         {},
         "hand back boot a, boot c1, hand back build b"},
        {"BadModules", Idle(), {WithBadModules(BootOf(kX, "vm1"))}, {}, {}, "refuse boot a"},
        // A machine that takes blocks.
        {"AWholeBlock",
         IdleLaptop(),
         {BootOf(kX, "vm1"), BootOf(kY, "vm1"), BootOf(kZ, "vm1")},
         {},
         {},
         "boot a0, boot b0, boot c0"},
        {"TheRestOfABlock", Laptop(), {BootOf(kZ, "vm1")}, {}, {}, "boot c0"},
        {"ABlockAgain", Laptop(), {BootOf(kX, "vm1"), BootOf(kY, "vm1")}, {}, {}, ""},
        {"AnotherBlockMeanwhile", Laptop(), {BootOf(kZ, "vm1", 2)}, {}, {}, "leave"},
        {"AnotherBlockWhileReporting", Laptop(false), {BootOf(kZ, "vm1")}, {}, {}, "leave"},
        {"RepeatOfWhatAlsoIsReported", Laptop(false), {BootOf(kY, "vm1")}, {}, {}, ""},
        {"CancelTheWholeBlock", Laptop(), {}, {}, {kX, kY}, "cancel a1, cancel b1"},
        {"BuildBesideABlock", Laptop(), {}, {BuildOf(kZ)}, {}, "hand back build c"},
        {"Stopping", Stopping(), {BootOf(kX, "vm1")}, {BuildOf(kY)}, {}, "leave, leave"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(DecideBlockTest, CancelOfWhatIsQueuedIsDoneAtOnce) {
  v1::SyncResponse response;
  response.add_cancel(kY);
  const Decision decision = Decide(Laptop(), response);
  ASSERT_EQ(decision.actions.size(), 1u);
  EXPECT_EQ(std::get<CancelWork>(decision.actions[0]).key, Boot(kY));
  EXPECT_EQ(decision.call_again, absl::ZeroDuration());
}

TEST(DecidePauseTest, CallsAgainWhenTheFarmSaysButWithin30Seconds) {
  v1::SyncResponse response;
  response.set_call_again_ms(1500);
  EXPECT_EQ(Decide(Idle(), response).call_again, absl::Milliseconds(1500));
  response.set_call_again_ms(4'000'000'000);
  EXPECT_EQ(Decide(Idle(), response).call_again, absl::Seconds(30));
}

}  // namespace
}  // namespace shakedown::agent
