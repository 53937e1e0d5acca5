// People hold, drain, release machines; agents switch power, once an order.
#include "db/store/machines.h"

#include "db/store/agents.h"
#include "db/store/boots.h"
#include "db/store/janitor.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using testing::HasSubstr;

class MachinesTest : public StoreTest {
 protected:
  // host1, which can switch x1's power.
  static v1::SyncRequest Switcher(std::vector<v1::PowerDone> done = {}) {
    v1::SyncRequest request = Agent("host1", {"vm1"}, 0);
    request.add_powers("x1");
    for (v1::PowerDone& answer : done) *request.add_power_done() = std::move(answer);
    return request;
  }
  static v1::PowerDone Done(int64_t id, const std::string& error = "") {
    v1::PowerDone done;
    done.set_id(id);
    done.set_error(error);
    return done;
  }
  // x1 went away for ten minutes.
  void Leave() {
    v1::SyncRequest away = Laptop("x1");
    away.mutable_machines(0)->set_dark_for_s(600);
    away.mutable_machines(0)->set_dark_reason("reboots");
    away.mutable_machines(0)->set_hands("press the power button");
    Sync(away);
  }
  int Cycles() {
    const auto report = RunJanitor(db());
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? report->power_cycles : -1;
  }
  void OrderedBefore(int minutes) {
    Sql("UPDATE power_orders SET ordered_at = ordered_at - " + std::to_string(minutes) +
        " * interval '1 minute'");
  }
};

TEST_F(MachinesTest, AHeldMachineGetsNoOrders) {
  Submit({"a", "b"});
  BuildAll();
  Sync(Agent("host1", {"vm1"}, 1));
  const v1::BootOrder order = Sync(Agent("host1", {"vm1"})).boots(0);
  ASSERT_EQ(HoldMachine(db(), "vm1", {"ann", "new RAM"}), absl::OkStatus());
  v1::MachineView held = Machine("vm1");
  EXPECT_EQ(held.state(), "running") << "what it has is finished";
  EXPECT_EQ(held.held_by(), "ann");
  EXPECT_EQ(held.held_reason(), "new RAM");
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(order)), absl::OkStatus());
  EXPECT_TRUE(Sync(Agent("host1", {"vm1"})).boots().empty());
  held = Machine("vm1");
  EXPECT_EQ(held.state(), "held");
  EXPECT_EQ(held.detail(), "held by ann: new RAM");
  EXPECT_EQ(LeaseBoot("host1", "vm1")->idle_reason, "it is held by ann");

  EXPECT_THAT(HoldMachine(db(), "vm1", {"bob", "mine"}),
              IsError(absl::StatusCode::kFailedPrecondition, "ann holds it: new RAM"));
  ASSERT_EQ(ReleaseMachine(db(), "vm1"), absl::OkStatus());
  ASSERT_EQ(ReleaseMachine(db(), "vm1"), absl::OkStatus());
  EXPECT_EQ(Machine("vm1").held_by(), "");
  EXPECT_EQ(Sync(Agent("host1", {"vm1"})).boots_size(), 1);
}

TEST_F(MachinesTest, AHeldMachineKeepsNoBuildWaiting) {
  Submit({"a", "b"});
  BuildAll();
  Sync(Agent("host1", {"vm1"}, 1));
  ASSERT_EQ(HoldMachine(db(), "vm1", {"ann", ""}), absl::OkStatus());
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(Sync(Agent("host1", {"vm1"})).boots(0))),
            absl::OkStatus());
  Submit({"c"});
  EXPECT_EQ(Sync(Agent("host1", {"vm1"}, 1)).builds_size(), 1);
}

TEST_F(MachinesTest, WishesAreChecked) {
  EXPECT_THAT(HoldMachine(db(), "vm9", {"ann", ""}), IsCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(ReleaseMachine(db(), "vm9"), IsCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(CyclePower(db(), "vm9", {"ann", ""}), IsCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(HoldMachine(db(), "../x", {"ann", ""}), IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(HoldMachine(db(), "vm1", {"ann", std::string(201, 'x')}),
              IsError(absl::StatusCode::kInvalidArgument, "at most 200"));
}

TEST_F(MachinesTest, DrainingGivesBlocksToOthersThatFit) {
  const int64_t job = Submit({"a", "b"}, 2);
  BuildAll();
  const v1::BootOrder first = Sync(Agent("host1", {"vm1"}, 0)).boots(0);
  ASSERT_EQ(DrainMachine(db(), "vm1", {"ann", "goes home"}), absl::OkStatus());
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(first)), absl::OkStatus());
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 0) << "nobody else is there";
  Sync(Agent("host1", {"vm1"}, 0));
  const v1::SyncResponse other = Sync(Agent("host2", {"vm2"}, 0));
  EXPECT_EQ(other.boots(0).name(), "1.2A") << "vm1's own block is still its own";
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 1);
  EXPECT_THAT(GetJob(db(), job)->boots(1).reason(),
              HasSubstr("its machine vm1 was drained in the middle of the block"));
  EXPECT_THAT(Machine("vm1").detail(), HasSubstr("drained by ann: goes home"));
}

TEST_F(MachinesTest, DrainingUnbindsWhatNothingWasMeasuredIn) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const v1::BootOrder first = Sync(Agent("host1", {"vm1"}, 0)).boots(0);
  Sync(Agent("host2", {"vm2"}, 0));
  ASSERT_EQ(DrainMachine(db(), "vm1", {"ann", ""}), absl::OkStatus());
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 0) << "it is under way";
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(first, v1::OUTCOME_FARM_FAILED, "disk")),
            absl::OkStatus());
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 1);
  EXPECT_EQ(Sync(Agent("host2", {"vm2"}, 0)).boots(0).name(), "1.1A.2");
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 running, 1B queued");
}

TEST_F(MachinesTest, DrainingKeepsWhatAJobWantsOnThatMachineAlone) {
  Submission picky = Job({"a", "b"});
  picky.spec.mutable_machines()->add_names("vm1");
  Store(picky);
  BuildAll();
  const v1::BootOrder first = Sync(Agent("host1", {"vm1"}, 0)).boots(0);
  Sync(Agent("host2", {"vm2"}, 0));
  ASSERT_EQ(DrainMachine(db(), "vm1", {"ann", ""}), absl::OkStatus());
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(first)), absl::OkStatus());
  const auto report = RunJanitor(db());
  EXPECT_EQ(report->blocks_orphaned + report->blocks_unbound, 0);
  ASSERT_EQ(ReleaseMachine(db(), "vm1"), absl::OkStatus());
  EXPECT_EQ(Sync(Agent("host1", {"vm1"}, 0)).boots_size(), 1);
}

TEST_F(MachinesTest, PowerIsSwitchedOnceByTheAgentThatCan) {
  Sync(Laptop("x1"));
  EXPECT_THAT(CyclePower(db(), "x1", {"ann", "stuck"}),
              IsError(absl::StatusCode::kFailedPrecondition, "no agent that is online"));
  Sync(Switcher());
  EXPECT_TRUE(Machine("x1").power());
  EXPECT_FALSE(Machine("vm1").power());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", "stuck"}), absl::OkStatus());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", "stuck"}), absl::OkStatus()) << "the same order";
  EXPECT_THAT(CyclePower(db(), "x1", {"bob", ""}), IsCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_TRUE(Sync(Laptop("x1")).power_orders().empty());
  const v1::SyncResponse told = Sync(Switcher());
  ASSERT_EQ(told.power_orders_size(), 1);
  EXPECT_TRUE(Sync(Switcher({Done(told.power_orders(0).id())})).power_orders().empty());
  EXPECT_EQ(Sql("SELECT string_agg(state, ' ') FROM power_orders"), "done");
}

TEST_F(MachinesTest, AnOrderIsRepeatedUntilItIsAnsweredAndIsNewsOnce) {
  Sync(Laptop("x1"));
  Sync(Switcher());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", "stuck"}), absl::OkStatus());
  const Picks none{[](const auto&, const auto&, const auto&) {
                     return BootPick{std::nullopt, 0, 0, "nothing"};
                   },
                   [](const auto&, const auto&) {
                     return BuildPick{std::nullopt, "nothing"};
                   }};
  bool news = false;
  const auto first = store::Sync(db(), Switcher(), none, &news);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_EQ(first->power_orders_size(), 1);
  EXPECT_EQ(first->power_orders(0).machine(), "x1");
  EXPECT_TRUE(news);
  const int64_t id = first->power_orders(0).id();
  const auto again = store::Sync(db(), Switcher(), none, &news);
  EXPECT_EQ(again->power_orders(0).id(), id);
  EXPECT_FALSE(news);
  EXPECT_THAT(Machine("x1").detail(), HasSubstr("power cycle by ann"));

  EXPECT_TRUE(Sync(Switcher({Done(id, "plug does not answer")})).power_orders().empty());
  EXPECT_TRUE(Sync(Switcher({Done(id)})).power_orders().empty()) << "the first answer stands";
  EXPECT_EQ(Sql("SELECT state || ' ' || error FROM power_orders"), "failed plug does not answer");
  EXPECT_THAT(Machine("x1").detail(), HasSubstr("failed: plug does not answer"));
}

TEST_F(MachinesTest, AnAnswerOfAnotherAgentCountsForNothing) {
  Sync(Laptop("x1"));
  Sync(Switcher());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", ""}), absl::OkStatus());
  const int64_t id = Sync(Switcher()).power_orders(0).id();
  v1::SyncRequest other = Agent("host2", {"vm2"}, 0);
  *other.add_power_done() = Done(id);
  Sync(other);
  EXPECT_EQ(Sql("SELECT state FROM power_orders"), "open");
}

TEST_F(MachinesTest, AnOrderThatReachedNobodyIsNotDoneLater) {
  Sync(Laptop("x1"));
  Sync(Switcher());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", ""}), absl::OkStatus());
  OrderedBefore(16);
  EXPECT_TRUE(Sync(Switcher()).power_orders().empty());
  EXPECT_EQ(Sql("SELECT state FROM power_orders"), "withdrawn");
}

TEST_F(MachinesTest, AnAgentThatIsGoneHoldsUpNobody) {
  Sync(Laptop("x1"));
  Sync(Switcher());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", ""}), absl::OkStatus());
  ASSERT_EQ(Sync(Switcher()).power_orders_size(), 1);
  Sql("UPDATE power_orders SET given_at = now() - interval '61 minutes'");
  EXPECT_EQ(Cycles(), 0);
  EXPECT_EQ(Sql("SELECT state || ': ' || error FROM power_orders"),
            "failed: its agent never said what became of it");
  v1::SyncRequest other = Agent("host2", {}, 0);
  other.add_powers("x1");
  Sync(other);
  SilentFor(3600, "host1");
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", ""}), absl::OkStatus());
  EXPECT_EQ(Sync(other).power_orders_size(), 1);
}

TEST_F(MachinesTest, TheFarmCyclesALostMachineThreeTimesADay) {
  Leave();
  Sync(Switcher());
  SilentFor(600 + 90 + 500, "x1");
  EXPECT_EQ(Machine("x1").state(), "needs_hands");
  EXPECT_EQ(Cycles(), 0) << "it may still come";
  SilentFor(120, "x1");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Cycles(), 1);
    EXPECT_EQ(Cycles(), 0) << "under way";
    const v1::SyncResponse told = Sync(Switcher());
    ASSERT_EQ(told.power_orders_size(), 1);
    Sync(Switcher({Done(told.power_orders(0).id())}));
    EXPECT_EQ(Cycles(), 0) << "it has its time to start";
    OrderedBefore(40);
  }
  EXPECT_EQ(Cycles(), 0);
  EXPECT_THAT(Machine("x1").detail(), HasSubstr("power cycle by the farm"));
  Sync(Switcher());
  ASSERT_EQ(CyclePower(db(), "x1", {"ann", ""}), absl::OkStatus()) << "people may";
}

TEST_F(MachinesTest, TheFarmTouchesNoHeldMachineAndNoneThatCameBack) {
  Leave();
  Sync(Switcher());
  SilentFor(3600, "x1");
  ASSERT_EQ(HoldMachine(db(), "x1", {"ann", ""}), absl::OkStatus());
  EXPECT_EQ(Cycles(), 0);
  ASSERT_EQ(ReleaseMachine(db(), "x1"), absl::OkStatus());
  EXPECT_EQ(Cycles(), 1);
  Sync(Laptop("x1"));
  EXPECT_TRUE(Sync(Switcher()).power_orders().empty());
  EXPECT_EQ(Sql("SELECT state FROM power_orders"), "withdrawn");
}

TEST_F(MachinesTest, NobodyCyclesWithoutAnAgentOrWithoutHands) {
  Leave();
  SilentFor(7200);
  EXPECT_EQ(Cycles(), 0);
  Sync(Switcher());
  Sql("UPDATE machine_pulse SET hands = ''");
  EXPECT_EQ(Cycles(), 0);
  EXPECT_EQ(Machine("x1").state(), "offline");
}

}  // namespace
}  // namespace shakedown::store
