// What is stored of a machine's state beside the numbers.
#include "db/store/agents.h"
#include "db/store/boots.h"
#include "db/store/leases.h"
#include "db/store/reports.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

class StateTest : public StoreTest {
 protected:
  v1::BootOrder Next() { return Sync(Agent("host1", {"vm1"})).boots(0); }
  absl::Status Record(const v1::BootResult& r) { return RecordBoot(db(), "host1", r); }
  static v1::BootResult Disturbed(const v1::BootOrder& order) {
    v1::BootResult result = Measured(order);
    result.set_outcome(v1::OUTCOME_DISTURBED);
    result.set_reason("make 1/1: steal 3.4 %, at most 1 % is allowed");
    v1::LoadRun& run = *result.mutable_load_runs(0);
    run.set_tool_version("perf 6.1");
    for (const auto& [rule, fact] :
         {std::pair("steal", "steal 3.4 %, at most 1 % is allowed"), {"oom", "it's \"one\""}}) {
      v1::Disturbance* disturbance = run.add_disturbances();
      disturbance->set_rule(rule);
      disturbance->set_fact(fact);
    }
    for (uint32_t at : {5000, 10000}) {
      v1::TopSnapshot* snapshot = run.add_top();
      snapshot->set_at_ms(at);
      v1::TopTask* task = snapshot->add_tasks();
      task->set_pid(42);
      task->set_command("cc1");
      task->set_cpu_percent(99.5f);
    }
    v1::SetupRecord* record = result.add_setup();
    record->set_step("governor performance");
    record->set_before("schedutil");
    record->set_undo("printf '%s\\n' schedutil > /sys/x");
    record->set_undone(true);
    return result;
  }
};

TEST_F(StateTest, AnOrderHasTheJobsSetupAndTheVariantsScheduler) {
  Submission s = Job({"a", "b"});
  s.spec.add_setup()->set_governor("performance");
  s.spec.add_setup()->mutable_settle()->set_max_load(0.5);
  s.spec.mutable_variants(1)->mutable_sched_ext()->add_command("scx_simple");
  s.spec.mutable_variants(1)->mutable_sched_ext()->set_ops("simple");
  Store(s);
  BuildAll();
  const v1::BootOrder first = Next();
  ASSERT_EQ(first.setup_size(), 2);
  EXPECT_EQ(first.setup(0).governor(), "performance");
  EXPECT_FALSE(first.has_sched_ext());
  ASSERT_EQ(Record(Measured(first)), absl::OkStatus());
  EXPECT_EQ(Next().sched_ext().ops(), "simple");
}

TEST_F(StateTest, ADisturbedBootsNumbersAndStateAreKept) {
  const int64_t job = Submit({"a"});
  BuildAll();
  const v1::BootOrder order = Next();
  ASSERT_EQ(Record(Disturbed(order)), absl::OkStatus());
  ASSERT_EQ(Record(Disturbed(order)), absl::OkStatus());  // Again is once.
  const absl::StatusOr<ReportData> data = GetReportData(db(), job);
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ(data->boots.size(), 1u);
  const ReportBoot& boot = data->boots[0];
  EXPECT_EQ(boot.view.outcome(), v1::OUTCOME_DISTURBED);
  EXPECT_EQ(boot.view.reason(), "make 1/1: steal 3.4 %, at most 1 % is allowed");
  ASSERT_EQ(boot.result.load_runs_size(), 1);
  EXPECT_GT(boot.result.load_runs(0).measurements_size(), 0);
  ASSERT_EQ(boot.result.load_runs(0).disturbances_size(), 2);
  EXPECT_EQ(boot.result.load_runs(0).disturbances(1).fact(), "it's \"one\"");
  EXPECT_EQ(boot.result.load_runs(0).tool_version(), "perf 6.1");
  ASSERT_EQ(boot.result.setup_size(), 1);
  EXPECT_EQ(Sql("SELECT step || ':' || before || ':' || undone FROM setup_records"),
            "governor performance:schedutil:true");
  EXPECT_EQ(Sql("SELECT count(*) FROM disturbances"), "2");
}

TEST_F(StateTest, TopComesBackAsItWasReported) {
  Submit({"a"});
  BuildAll();
  const v1::BootOrder order = Next();
  ASSERT_EQ(Record(Disturbed(order)), absl::OkStatus());
  const auto top = GetTop(db(), order.attempt_id(), 0);
  ASSERT_TRUE(top.ok()) << top.status();
  ASSERT_EQ(top->size(), 2u);
  EXPECT_EQ((*top)[1].at_ms(), 10000u);
  EXPECT_EQ((*top)[1].tasks(0).command(), "cc1");
  EXPECT_TRUE(GetTop(db(), order.attempt_id(), 7)->empty());
  EXPECT_FALSE(GetTop(db(), "x' OR 1=1", 0).ok());
  EXPECT_EQ(Sql("SELECT count(*) FROM top_snapshots"), "1");
}

TEST_F(StateTest, AMeasuredBootIsNotDisturbed) {
  Submit({"a"});
  BuildAll();
  v1::BootResult result = Disturbed(Next());
  result.set_outcome(v1::OUTCOME_MEASURED);
  EXPECT_THAT(Record(result), IsError(absl::StatusCode::kInvalidArgument, "disturbed: steal 3.4"));
  result.set_outcome(v1::OUTCOME_DISTURBED);
  result.mutable_load_runs(0)->mutable_disturbances(0)->clear_fact();
  EXPECT_THAT(Record(result), IsError(absl::StatusCode::kInvalidArgument, "without a rule"));
}

TEST_F(StateTest, WhatAMachineCanNotBeSetUpForIsNotTriedAgain) {
  const int64_t job = Submit({"a"});
  BuildAll();
  ASSERT_EQ(Record(Ended(Next(), v1::OUTCOME_FARM_FAILED, "disk full")), absl::OkStatus());
  ASSERT_EQ(Record(Ended(Next(), v1::OUTCOME_FARM_FAILED,
                         "setup: governor performance: no cpufreq on this machine")),
            absl::OkStatus());
  EXPECT_THAT(Boots(job), testing::Not(testing::HasSubstr("queued")));
}

}  // namespace
}  // namespace shakedown::store
