// Sync, heartbeats, lost answers, restarts, silence; logs and artefacts.
#include "db/store/agents.h"

#include <cmath>

#include "db/store/artefacts.h"
#include "db/store/boot_details.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/janitor.h"
#include "db/store/logs.h"
#include "db/store/store_testing.h"
#include "proto/wire/digest.h"

namespace shakedown::store {
namespace {

class AgentsTest : public StoreTest {
 protected:
  // host1 with vm1, which has the order in hand.
  static v1::SyncRequest Holding(const v1::BootOrder& order, uint64_t incarnation = 1) {
    v1::SyncRequest request = Agent("host1", {"vm1"}, 1, incarnation);
    request.mutable_machines(0)->set_attempt_id(order.attempt_id());
    request.mutable_machines(0)->set_epoch(order.epoch());
    request.mutable_machines(0)->set_phase("latt 2/3");
    request.mutable_machines(0)->set_progress(0.5);
    return request;
  }
  v1::BootOrder Lease() {
    const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
    EXPECT_EQ(work.boots_size(), 1);
    return work.boots_size() == 1 ? work.boots(0) : v1::BootOrder();
  }
  std::vector<std::string> Stops(const v1::SyncRequest& request) {
    const v1::SyncResponse response = Sync(request);
    return {response.cancel().begin(), response.cancel().end()};
  }
  int GivenUp() { return RunJanitor(db())->boots_given_up; }
};

TEST_F(AgentsTest, AnOrderWhoseAnswerGotLostIsGivenAgain) {
  Submit({"a"});
  BuildAll();
  const v1::BootOrder order = Lease();
  const v1::SyncResponse again = Sync(Agent("host1", {"vm1"}));
  ASSERT_EQ(again.boots_size(), 1);
  EXPECT_EQ(again.boots(0).SerializeAsString(), order.SerializeAsString());
  EXPECT_TRUE(Sync(Holding(order)).boots().empty());
  EXPECT_TRUE(Sync(Holding(order)).cancel().empty());

  Submit({"b"});
  const v1::BuildOrder build = Sync(Agent("host2", {})).builds(0);
  const v1::SyncResponse rebuild = Sync(Agent("host2", {}));
  ASSERT_EQ(rebuild.builds_size(), 1);
  EXPECT_EQ(rebuild.builds(0).SerializeAsString(), build.SerializeAsString());
}

TEST_F(AgentsTest, ARestartedAgentLosesWhatItDoesNotHold) {
  const int64_t job = Submit({"a"});
  BuildAll();
  const v1::BootOrder order = Lease();
  EXPECT_TRUE(Sync(Holding(order, 2)).boots().empty());  // From its journal: it still has it.
  EXPECT_EQ(Boots(job), "1A running");
  const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}, 1, 3));
  ASSERT_EQ(work.boots_size(), 1);
  EXPECT_EQ(work.boots(0).name(), std::to_string(job) + ".1A.2");
  EXPECT_EQ(work.boots(0).epoch(), order.epoch() + 1);
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 running");
  EXPECT_EQ(GetJob(db(), job)->boots(0).reason(), "agent restarted");
  EXPECT_THAT(RecordBoot(db(), "host1", Measured(order)),
              IsError(absl::StatusCode::kFailedPrecondition, "given up"));
  EXPECT_EQ(Sql("SELECT count(*) FROM evidence"), "1");
  EXPECT_EQ(RecordBoot(db(), "host1", Measured(work.boots(0))), absl::OkStatus());
  FinishDue();
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_DONE);
}

TEST_F(AgentsTest, ARestartedBuilderStartsItsBuildAgain) {
  Submit({"a"});
  const v1::BuildOrder order = Sync(Agent("host1", {}, 1, 7)).builds(0);
  const v1::SyncResponse work = Sync(Agent("host1", {}, 1, 8));
  ASSERT_EQ(work.builds_size(), 1);
  EXPECT_EQ(work.builds(0).build_id(), order.build_id());
  EXPECT_EQ(work.builds(0).epoch(), 2);
  EXPECT_THAT(RecordBuild(db(), "host1", Built(order)),
              IsCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(RecordBuild(db(), "host1", Built(work.builds(0))), absl::OkStatus());
}

TEST_F(AgentsTest, AnEarlierProcessOfAnAgentIsRefused) {
  Sync(Agent("host1", {"vm1"}, 1, 5));
  EXPECT_THAT(TrySync(Agent("host1", {"vm1"}, 1, 4)).status(),
              IsError(absl::StatusCode::kFailedPrecondition, "incarnation 4"));
}

TEST_F(AgentsTest, AMachineBelongsToOneAgent) {
  Sync(Agent("host1", {"vm1"}));
  EXPECT_THAT(
      TrySync(Agent("host2", {"vm1"})).status(),
      IsError(absl::StatusCode::kFailedPrecondition, "machine vm1: belongs to agent host1"));
  SilentFor(3600);
  Sync(Agent("host2", {"vm1"}));
  EXPECT_EQ(Machine("vm1").agent(), "host2");
}

TEST_F(AgentsTest, MalformedWordsAreRefused) {
  const auto bad = IsCode(absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(TrySync(Agent("Host 1", {})).status(), bad);
  EXPECT_THAT(TrySync(Agent("host1", {"vm/../1"})).status(), bad);
  EXPECT_THAT(TrySync(Agent("host1", {"vm1", "vm1"})).status(), bad);
  v1::SyncRequest request = Agent("host1", {"vm1"});
  request.mutable_machines(0)->set_attempt_id("'; DROP TABLE boots");
  EXPECT_THAT(TrySync(request).status(), bad);
  EXPECT_THAT(TrySync(Agent("host1", {}, 1000)).status(), bad);
  EXPECT_EQ(Sql("SELECT count(*) FROM agents"), "0");
}

TEST_F(AgentsTest, SamplesOfARunningLoadAreThoseOfItsBootAlone) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const v1::BootOrder order = Lease();
  const auto live = [&] { return GetBootDetails(db(), *ParseBootName(order.name()))->live; };
  Sync(Holding(order));
  EXPECT_FALSE(live().has_value());
  v1::SyncRequest request = Holding(order);
  v1::LiveTelemetry& told = *request.mutable_machines(0)->mutable_live();
  told.set_load(1);
  for (const uint32_t at : {1000, 2000}) told.add_at_ms(at);
  told.add_lines()->set_name("vmstat.us");
  for (const float value : {3.5f, std::nanf("")}) told.mutable_lines(0)->add_values(value);
  Sync(request);
  Sync(request);
  ASSERT_TRUE(live().has_value());
  EXPECT_EQ(live()->load(), 1u);
  EXPECT_THAT(live()->at_ms(), testing::ElementsAre(1000, 2000));
  EXPECT_EQ(live()->lines(0).values(0), 3.5f);
  EXPECT_TRUE(std::isnan(live()->lines(0).values(1)));
  EXPECT_FALSE(GetBootDetails(db(), {job, 1, order.name().back() == 'A' ? 1u : 0u, 0})->live);

  const auto bad = IsError(absl::StatusCode::kInvalidArgument, "live samples");
  told.mutable_lines(0)->add_values(1);
  EXPECT_THAT(TrySync(request).status(), bad) << "a value without a time";
  for (int i = 0; i < 1000; ++i) told.add_at_ms(3000 + static_cast<uint32_t>(i));
  EXPECT_THAT(TrySync(request).status(), bad);

  Sync(Holding(order));
  EXPECT_FALSE(live().has_value()) << "no load runs now";
  told.Clear();
  told.add_at_ms(1);
  Sync(request);
  EXPECT_TRUE(live().has_value());
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(order)), absl::OkStatus());
  EXPECT_FALSE(live().has_value()) << "it has ended";
}

TEST_F(AgentsTest, ACancelledBootIsStoppedOnceAndForAll) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const v1::BootOrder order = Lease();
  ASSERT_EQ(CancelJob(db(), job), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A running, 1B cancelled");
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_ACTIVE);
  EXPECT_THAT(Stops(Holding(order)), testing::ElementsAre(order.attempt_id()));
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(order, v1::OUTCOME_CANCELLED, "")), absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A cancelled, 1B cancelled");
  EXPECT_EQ(GetJob(db(), job)->state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(Sync(Agent("host1", {"vm1"})).boots().empty());
  EXPECT_EQ(Machine("vm1").state(), "idle");
}

TEST_F(AgentsTest, ABootThatItsAgentStoppedUnaskedIsTriedAgain) {
  const int64_t job = Submit({"a"});
  BuildAll();
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(Lease(), v1::OUTCOME_CANCELLED, "shutting down")),
            absl::OkStatus());
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 queued");
  EXPECT_EQ(GetJob(db(), job)->boots(0).reason(), "handed back by its agent: shutting down");
}

TEST_F(AgentsTest, AnAcceptedResultWhoseAnswerGotLostIsNotCancelled) {
  Submit({"a"});
  BuildAll();
  const v1::BootOrder order = Lease();
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(order)), absl::OkStatus());
  EXPECT_TRUE(Sync(Holding(order)).cancel().empty());
  v1::SyncRequest strange = Holding(order);
  strange.mutable_machines(0)->set_attempt_id("00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(Sync(strange).cancel_size(), 1);
}

TEST_F(AgentsTest, SilenceMakesAMachineUnknownAndKeepsItsBoot) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  const v1::BootOrder order = Lease();
  Sync(Holding(order));
  EXPECT_EQ(Machine("vm1").state(), "running");
  EXPECT_EQ(Machine("vm1").detail(), "boots " + std::to_string(job) + ".1A: latt 2/3");
  EXPECT_EQ(GetJob(db(), job)->boots(0).phase(), "latt 2/3");
  EXPECT_EQ(GetJob(db(), job)->boots(0).progress(), 0.5);

  v1::SyncRequest dark = Holding(order);
  dark.mutable_machines(0)->set_dark_for_s(200);
  Sync(dark);
  SilentFor(250);  // 50 s past the declared end: within the grace.
  EXPECT_EQ(Machine("vm1").state(), "running");
  SilentFor(50);
  EXPECT_EQ(Machine("vm1").state(), "unknown");
  EXPECT_FALSE(ListAgents(db())->at(1).online());
  // Nobody else gets the block, and nothing is given up before the order's limits and 10 min have
  // passed.
  EXPECT_TRUE(Sync(Agent("host2", {"vm2"})).boots().empty());
  Sql("UPDATE boots SET leased_at = now() - interval '890 s' WHERE state = 'running'");
  EXPECT_EQ(GivenUp(), 0);
  EXPECT_EQ(Boots(job), "1A running, 1B queued");
  Sql("UPDATE boots SET leased_at = now() - interval '910 s' WHERE state = 'running'");
  EXPECT_EQ(GivenUp(), 1);
  EXPECT_EQ(GivenUp(), 0);
  EXPECT_EQ(Boots(job), "1A farm_failed, 1A.2 queued, 1B queued");
  EXPECT_THAT(GetJob(db(), job)->boots(0).reason(), testing::HasSubstr("agent host1 silent for"));
  EXPECT_TRUE(Sync(Agent("host2", {"vm2"})).boots().empty());  // Still bound to vm1.
  EXPECT_EQ(Machine("vm1").state(), "offline");
  // It comes back: what it holds is no longer its.
  EXPECT_THAT(Stops(Holding(order)), testing::ElementsAre(order.attempt_id()));
  EXPECT_THAT(RecordBoot(db(), "host1", Measured(order)),
              IsCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Lease().epoch(), order.epoch() + 1);
}

TEST_F(AgentsTest, ABlockOfADeadMachineMovesWhenNothingWasMeasured) {
  Submit({"a", "b"});
  BuildAll();
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(Lease(), v1::OUTCOME_FARM_FAILED, "no QEMU")),
            absl::OkStatus());
  SilentFor(1000);
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 0);
  SilentFor(1000);
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 1);
  const v1::SyncResponse work = Sync(Agent("host2", {"vm2"}));
  ASSERT_EQ(work.boots_size(), 1);
  ASSERT_EQ(RecordBoot(db(), "host2", Measured(work.boots(0))), absl::OkStatus());
  SilentFor(9000);
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 0);
}

TEST_F(AgentsTest, TheRestOfABlockIsGivenUpWhenItsMachineIsGoneForLong) {
  const int64_t job = Submit({"a", "b"});
  BuildAll();
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(Lease())), absl::OkStatus());
  SilentFor(12 * 3600);
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 0) << "a laptop may be away for a night";
  SilentFor(13 * 3600);
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 1);
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 0);
  const v1::JobView view = GetJob(db(), job).value();
  int lost = 0;
  for (const v1::BootView& boot : view.boots()) {
    if (boot.outcome() != v1::OUTCOME_FARM_FAILED) continue;
    ++lost;
    EXPECT_EQ(boot.reason(), "its machine vm1 went away in the middle of the block");
    EXPECT_EQ(boot.machine(), "vm1");
  }
  EXPECT_EQ(lost, 1);
}

TEST_F(AgentsTest, TheRestOfABlockIsGivenUpSoonerWhenTheJobsTimeIsOver) {
  Submit({"a", "b"});
  BuildAll();
  ASSERT_EQ(RecordBoot(db(), "host1", Measured(Lease())), absl::OkStatus());
  SilentFor(3600);
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 0);
  Sql("UPDATE jobs SET budget_s = 60, started_at = now() - interval '1 hour'");
  EXPECT_EQ(RunJanitor(db())->blocks_orphaned, 1);
}

TEST_F(AgentsTest, ABlockOfAMachineThatIsNoLongerOfferedMoves) {
  Submit({"a", "b"});
  BuildAll();
  ASSERT_EQ(RecordBoot(db(), "host1", Ended(Lease(), v1::OUTCOME_FARM_FAILED, "no QEMU")),
            absl::OkStatus());
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 0);
  EXPECT_TRUE(Sync(Agent("host1", {"vm2"})).boots().empty());
  EXPECT_EQ(RunJanitor(db())->blocks_unbound, 1);
  EXPECT_EQ(Sync(Agent("host1", {"vm2"})).boots_size(), 1);
}

TEST_F(AgentsTest, AnOverdueBuildIsTriedAgain) {
  Submit({"a"});
  const v1::BuildOrder order = Sync(Agent("host1", {})).builds(0);
  EXPECT_EQ(RunJanitor(db())->builds_given_up, 0);
  Sql("UPDATE builds SET leased_at = now() - interval '1210 s'");
  EXPECT_EQ(RunJanitor(db())->builds_given_up, 1);
  EXPECT_THAT(RecordBuild(db(), "host1", Built(order)),
              IsError(absl::StatusCode::kFailedPrecondition, "given up"));
  EXPECT_EQ(Sync(Agent("host2", {})).builds(0).epoch(), 2);
}

TEST_F(AgentsTest, AgentsAndMachinesAreShownAsTheyAre) {
  v1::SyncRequest host = Agent("host1", {"vm1", "vm2"}, 2);
  host.mutable_machines(1)->set_problem("no disk image");
  host.mutable_build_slots(1)->set_problem("no sandbox: bwrap is not installed");
  Submit({"a"});
  const v1::BuildOrder order = Sync(host).builds(0);
  host.mutable_build_slots(0)->set_build_id(order.build_id());
  host.mutable_build_slots(0)->set_epoch(order.epoch());
  host.mutable_build_slots(0)->set_phase("make");
  host.mutable_build_slots(0)->set_progress(0.25);
  EXPECT_TRUE(Sync(host).builds().empty());
  auto agents = ListAgents(db());
  ASSERT_TRUE(agents.ok()) << agents.status();
  ASSERT_EQ(agents->size(), 1u);
  const v1::AgentView& agent = agents->front();
  EXPECT_TRUE(agent.online());
  ASSERT_EQ(agent.build_slots_size(), 2);
  EXPECT_EQ(agent.build_slots(0).build(), "k-a");
  EXPECT_EQ(agent.build_slots(0).phase(), "make");
  EXPECT_EQ(agent.build_slots(1).problem(), "no sandbox: bwrap is not installed");
  ASSERT_EQ(agent.machines_size(), 2);
  EXPECT_EQ(agent.machines(0).state(), "idle");
  EXPECT_EQ(agent.machines(0).facts().at("cpu.model"), "QEMU \"virtual\", {CPU}");
  EXPECT_THAT(agent.machines(0).tags(), testing::ElementsAre("vm", "tcg"));
  EXPECT_EQ(agent.machines(1).state(), "problem");
  EXPECT_EQ(GetJob(db(), 1)->builds(0).phase(), "make");
  EXPECT_EQ(GetJob(db(), 1)->builds(0).progress(), 0.25);
  Sync(Agent("host1", {"vm2"}, 1));
  EXPECT_EQ(Machine("vm1").state(), "offline");
  EXPECT_EQ(ListAgents(db())->front().build_slots_size(), 1);
}

TEST_F(AgentsTest, HeartbeatsStayInTheirPages) {
  for (int i = 0; i < 50; ++i) {
    v1::SyncRequest request = Agent("host1", {"vm1"});
    request.mutable_machines(0)->set_phase("phase " + std::to_string(i));
    Sync(request);
  }
  Sql("SELECT pg_stat_force_next_flush()");
  EXPECT_EQ(Sql("SELECT count(*) FROM pg_class WHERE relname IN ('agent_pulse', 'machine_pulse', "
                "'slot_pulse') "
                "AND pg_relation_size(oid) > 16384"),
            "0");
  EXPECT_EQ(Sql("SELECT xmin = (SELECT xmin FROM agents LIMIT 1) FROM machines LIMIT 1"), "f");
}

TEST_F(AgentsTest, LogsAreAppendedAtTheirEnd) {
  Submit({"a"});
  const v1::BuildOrder order = Sync(Agent("host1", {})).builds(0);
  const std::string& stream = order.build_id();
  const std::string bytes("a\0\xFF\n", 4);
  EXPECT_EQ(*AppendLog(db(), "host1", stream, 1, 0, bytes), 4u);
  EXPECT_THAT(AppendLog(db(), "host1", stream, 1, 0, bytes).status(),
              IsError(absl::StatusCode::kOutOfRange, "its end, which is 4"));
  EXPECT_THAT(AppendLog(db(), "host1", stream, 1, 9, bytes).status(),
              IsCode(absl::StatusCode::kOutOfRange));
  EXPECT_EQ(*AppendLog(db(), "host1", stream, 1, 999, ""), 4u);
  EXPECT_EQ(*AppendLog(db(), "host1", stream, 1, 4, "tail"), 8u);
  EXPECT_THAT(AppendLog(db(), "host2", stream, 1, 8, "x").status(),
              IsCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(AppendLog(db(), "host1", stream, 0, 8, "x").status(),
              IsCode(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(AppendLog(db(), "host1", stream, 1, 8, std::string(kMaxLogPiece + 1, 'x')).status(),
              IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(AppendLog(db(), "host1", "00000000-0000-4000-8000-000000000000", 1, 0, "x").status(),
              IsCode(absl::StatusCode::kNotFound));

  auto piece = ReadLog(db(), stream, 0);
  ASSERT_TRUE(piece.ok()) << piece.status();
  EXPECT_EQ(piece->data, bytes + "tail");
  EXPECT_EQ(piece->end, 8u);
  EXPECT_FALSE(piece->closed);
  EXPECT_EQ(ReadLog(db(), stream, 2, 4)->data, std::string("\xFF\nta", 4));
  EXPECT_EQ(ReadLog(db(), stream, 8)->data, "");
  EXPECT_EQ(ReadLog(db(), stream, 1000)->data, "");

  ASSERT_EQ(RecordBuild(db(), "host1", Built(order)), absl::OkStatus());
  EXPECT_TRUE(ReadLog(db(), stream, 0)->closed);
  EXPECT_EQ(*AppendLog(db(), "host1", stream, 1, 8, "late"), 12u);
  Sql("UPDATE logs SET size = 67108864 - 3");
  EXPECT_THAT(AppendLog(db(), "host1", stream, 1, kMaxLogBytes - 3, "four").status(),
              IsCode(absl::StatusCode::kResourceExhausted));
}

TEST_F(AgentsTest, ALongLogIsReadInPieces) {
  Submit({"a"});
  const v1::BuildOrder order = Sync(Agent("host1", {})).builds(0);
  std::string whole;
  for (int i = 0; i < 5; ++i) {
    const std::string part(kMaxLogPiece - i, static_cast<char>('a' + i));
    ASSERT_TRUE(AppendLog(db(), "host1", order.build_id(), 1, whole.size(), part).ok());
    whole += part;
  }
  std::string read;
  while (read.size() < whole.size()) {
    auto piece = ReadLog(db(), order.build_id(), read.size(), 100000);
    ASSERT_TRUE(piece.ok() && !piece->data.empty());
    ASSERT_LE(piece->data.size(), 100000u);
    read += piece->data;
  }
  EXPECT_TRUE(read == whole);
}

TEST_F(AgentsTest, ABuildTriedAgainStartsANewLog) {
  Submit({"a"});
  const v1::BuildOrder first = Sync(Agent("host1", {})).builds(0);
  ASSERT_TRUE(AppendLog(db(), "host1", first.build_id(), 1, 0, "first").ok());
  ASSERT_EQ(RecordBuild(db(), "host1", BuildEnded(first, v1::BuildResult::STATUS_FARM_FAILED, "x")),
            absl::OkStatus());
  EXPECT_EQ(ReadLog(db(), first.build_id(), 0)->data, "first");
  Sync(Agent("host1", {}));
  EXPECT_EQ(*AppendLog(db(), "host1", first.build_id(), 2, 0, "second"), 6u);
  EXPECT_EQ(ReadLog(db(), first.build_id(), 0)->data, "second");
}

TEST_F(AgentsTest, ArtefactsAreIndexedByDigestAndSize) {
  const std::string digest = Sha256Hex("x");
  EXPECT_FALSE(FindArtefact(db(), digest)->has_value());
  EXPECT_EQ(AddArtefact(db(), digest, 1), absl::OkStatus());
  EXPECT_EQ(AddArtefact(db(), digest, 1), absl::OkStatus());
  EXPECT_THAT(AddArtefact(db(), digest, 2), IsCode(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(AddArtefact(db(), "../x", 2), IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(**FindArtefact(db(), digest), 1u);
  EXPECT_EQ(ForgetArtefact(db(), digest), absl::OkStatus());
  EXPECT_THAT(ForgetArtefact(db(), digest), IsCode(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace shakedown::store
