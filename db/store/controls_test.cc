// A/A controls: stored once, read back as noise; the spread of past blocks; histograms.
#include "db/store/controls.h"

#include <cmath>
#include <functional>

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/boots.h"
#include "db/store/leases.h"
#include "db/store/past_blocks.h"
#include "db/store/reports.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

class ControlsTest : public StoreTest {
 protected:
  // A job of A, B and the control, `blocks` blocks.
  int64_t SubmitWithControl(int blocks = 1) {
    Submission s = Job({"a", "b", "a"}, blocks);
    s.spec.set_control(true);
    s.spec.mutable_variants(2)->set_control(true);
    return Store(s);
  }
  // Runs every boot there is; boot i measures values[i % size].
  void RunAll(const std::vector<double>& values) {
    BuildAll();
    for (size_t i = 0;; ++i) {
      const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
      if (work.boots().empty()) return FinishDue();
      ASSERT_EQ(RecordBoot(db(), "host1", Measured(work.boots(0), values[i % values.size()])),
                absl::OkStatus());
    }
  }
  static v1::ReportControl Found(double sd, bool false_alarm, const std::string& failure = "") {
    v1::ReportControl control;
    v1::ReportControlMachine* machine = control.add_machines();
    machine->set_machine("vm1");
    machine->set_tests(1);
    machine->set_false_alarms(false_alarm ? 1 : 0);
    machine->set_failure(failure);
    v1::ReportControlMetric* metric = machine->add_metrics();
    metric->set_metric("make.real");
    metric->set_role("primary");
    metric->set_n(9);
    metric->set_sd(sd);
    metric->set_estimate(0.001);
    metric->set_ci_lo(-0.01);
    metric->set_ci_hi(0.01);
    metric->set_p(0.5);
    metric->set_false_alarm(false_alarm);
    v1::ReportControlMetric* info = machine->add_metrics();
    info->set_metric("make.ctxt");
    info->set_role("info");
    return control;
  }
};

TEST_F(ControlsTest, AControlIsOpenUntilStoredAndStoredOnce) {
  const int64_t job = SubmitWithControl();
  EXPECT_THAT(*JobsWithOpenControl(db()), testing::IsEmpty());
  EXPECT_THAT(StoreControl(db(), job, Found(0.01, false)),
              IsCode(absl::StatusCode::kFailedPrecondition));
  RunAll({10});
  EXPECT_THAT(*JobsWithOpenControl(db()), testing::ElementsAre(job));
  ASSERT_EQ(StoreControl(db(), job, Found(0.01, false)), absl::OkStatus());
  EXPECT_THAT(*JobsWithOpenControl(db()), testing::IsEmpty());
  ASSERT_EQ(StoreControl(db(), job, Found(0.5, true)), absl::OkStatus()) << "again: nothing";
  EXPECT_EQ(Sql("SELECT count(*) FROM controls"), "1");
  EXPECT_EQ(Sql("SELECT sd FROM control_metrics WHERE tested"), "0.01");
  EXPECT_THAT(StoreControl(db(), 999, {}), IsCode(absl::StatusCode::kNotFound));
}

TEST_F(ControlsTest, AJobWithoutAControlHasNone) {
  const int64_t job = Submit({"a", "b"});
  RunAll({10});
  EXPECT_THAT(*JobsWithOpenControl(db()), testing::IsEmpty());
  ASSERT_EQ(StoreControl(db(), job, Found(0.01, false)), absl::OkStatus());
  EXPECT_EQ(Sql("SELECT count(*) FROM controls"), "0");
}

TEST_F(ControlsTest, NoiseIsOfEarlierJobsWithTheSameLoads) {
  const int64_t first = SubmitWithControl();
  RunAll({10});
  ASSERT_EQ(StoreControl(db(), first, Found(0.03, true)), absl::OkStatus());
  const int64_t second = SubmitWithControl();
  RunAll({10});
  ASSERT_EQ(StoreControl(db(), second, Found(0.04, false)), absl::OkStatus());
  const int64_t third = Submit({"a", "b"});
  const auto noise = NoiseBefore(db(), third);
  ASSERT_TRUE(noise.ok()) << noise.status();
  ASSERT_EQ(noise->size(), 1u) << "make.ctxt is for information";
  EXPECT_EQ((*noise)[0].machine(), "vm1");
  EXPECT_EQ((*noise)[0].metric(), "make.real");
  EXPECT_EQ((*noise)[0].tests(), 2u);
  EXPECT_EQ((*noise)[0].false_alarms(), 1u);
  EXPECT_EQ((*noise)[0].blocks(), 18u);
  EXPECT_NEAR((*noise)[0].sd(), std::sqrt((0.03 * 0.03 + 0.04 * 0.04) / 2), 1e-12);
  EXPECT_EQ(NoiseBefore(db(), second)->size(), 1u);
  EXPECT_EQ(NoiseBefore(db(), second)->front().tests(), 1u) << "not its own";
  EXPECT_THAT(*NoiseBefore(db(), first), testing::IsEmpty()) << "what came later is not known yet";
  Submission other = Job({"a", "b"});
  other.spec.mutable_loads(0)->mutable_make()->set_jobs(7);
  EXPECT_THAT(*NoiseBefore(db(), Store(other)), testing::IsEmpty());
}

TEST_F(ControlsTest, AMachineIsMarkedByItsNewestControl) {
  const auto detail = [&] { return ListMachines(db())->front().detail(); };
  const int64_t first = SubmitWithControl();
  RunAll({10});
  EXPECT_EQ(detail(), "");
  ASSERT_EQ(StoreControl(db(), first, Found(0.03, true, "make.real +7.0%")), absl::OkStatus());
  EXPECT_EQ(detail(), absl::StrCat("A/A control failed in job ", first, ": make.real +7.0%"));
  EXPECT_EQ(ListMachines(db())->front().state(), "idle");
  const int64_t second = SubmitWithControl();
  RunAll({10});
  ASSERT_EQ(StoreControl(db(), second, Found(0.01, false)), absl::OkStatus());
  EXPECT_EQ(detail(), "") << "the newest holds";
}

TEST_F(ControlsTest, PastBlocksArePairs) {
  const int64_t job = Submit({"a", "b"}, 3);
  RunAll({10, 11});
  const v1::JobSpec spec = GetJob(db(), job)->spec();
  const auto past = PastSpreadOf(db(), spec.loads(), {"make.real"}, {"vm1"});
  ASSERT_TRUE(past.ok()) << past.status();
  ASSERT_EQ(past->blocks.size(), 3u);
  EXPECT_EQ(past->blocks[0].job, job);
  EXPECT_EQ(past->blocks[0].variant, 1u);
  EXPECT_EQ(past->blocks[0].base, 10);
  EXPECT_EQ(past->blocks[0].challenger, 11);
  EXPECT_TRUE(past->controls.empty());
  EXPECT_TRUE(PastSpreadOf(db(), spec.loads(), {"make.real"}, {"vm2"})->blocks.empty());
  EXPECT_TRUE(PastSpreadOf(db(), spec.loads(), {"make.sys"}, {"vm1"})->blocks.empty());
}

class HistogramsTest : public ControlsTest {
 protected:
  v1::BootOrder Next() {
    Submit({"a"});
    BuildAll();
    return Sync(Agent("host1", {"vm1"})).boots(0);
  }
  static v1::LatencyHistogram Good() {
    v1::LatencyHistogram histogram;
    histogram.set_metric("latt.wakeup");
    histogram.set_unit("us");
    histogram.set_iteration(1);
    for (uint64_t value : {0, 17, 2048}) {
      histogram.add_smallest(value);
      histogram.add_count(value + 1);
    }
    histogram.set_max(2049);
    histogram.set_duration_ms(30000);
    histogram.set_from_intended_start(true);
    return histogram;
  }
};

TEST_F(HistogramsTest, ComeBackAsTheyWere) {
  const v1::BootOrder order = Next();
  v1::BootResult result = Measured(order);
  const v1::LatencyHistogram first = Good();
  v1::LatencyHistogram second = Good();
  second.set_iteration(2);
  second.set_warmup(true);
  second.set_max(uint64_t{1} << 62);
  *result.mutable_load_runs(0)->add_histograms() = first;
  *result.mutable_load_runs(0)->add_histograms() = second;
  ASSERT_EQ(RecordBoot(db(), "host1", result), absl::OkStatus());
  const auto data = GetReportData(db(), 1);
  ASSERT_TRUE(data.ok()) << data.status();
  const v1::LoadRun& run = data->boots[0].result.load_runs(0);
  ASSERT_EQ(run.histograms_size(), 2);
  EXPECT_EQ(run.histograms(0).SerializeAsString(), first.SerializeAsString());
  EXPECT_EQ(run.histograms(1).SerializeAsString(), second.SerializeAsString());
}

TEST_F(HistogramsTest, HostileOnesAreRefused) {
  const v1::BootOrder order = Next();
  const auto refused = [&](const std::string& why,
                           const std::function<void(v1::LoadRun&, v1::LatencyHistogram&)>& spoil) {
    v1::BootResult result = Measured(order);
    v1::LatencyHistogram* histogram = result.mutable_load_runs(0)->add_histograms();
    *histogram = Good();
    spoil(*result.mutable_load_runs(0), *histogram);
    EXPECT_THAT(RecordBoot(db(), "host1", result),
                IsError(absl::StatusCode::kInvalidArgument, why));
  };
  refused("as many of both", [](auto&, auto& h) { h.add_count(1); });
  refused("ascending", [](auto&, auto& h) { h.set_smallest(1, 0); });
  refused("count 0", [](auto&, auto& h) { h.set_count(2, 0); });
  refused("less than 2^62", [](auto&, auto& h) {
    h.set_count(0, uint64_t{1} << 61);
    h.set_count(1, uint64_t{1} << 63);
  });
  refused("maximum 2047", [](auto&, auto& h) { h.set_max(2047); });
  refused("maximum", [](auto&, auto& h) { h.set_max(UINT64_MAX); });
  refused("duration", [](auto&, auto& h) { h.set_duration_ms(UINT64_MAX); });
  refused("no bucket", [](auto&, auto& h) {
    h.clear_smallest();
    h.clear_count();
  });
  refused("a name", [](auto&, auto& h) { h.clear_metric(); });
  refused("a name", [](auto&, auto& h) { h.set_metric(std::string(129, 'x')); });
  refused("unit", [](auto&, auto& h) { h.clear_unit(); });
  refused("iteration", [](auto& run, auto&) { *run.add_histograms() = Good(); });
  refused("iteration", [](auto&, auto& h) { h.set_iteration(UINT32_MAX); });
  refused("histograms", [](auto& run, auto&) {
    for (uint32_t i = 2; i < 2002; ++i) {
      *run.add_histograms() = Good();
      run.mutable_histograms(run.histograms_size() - 1)->set_iteration(i);
    }
  });
  refused("buckets in the load run", [](auto&, auto& h) {
    for (uint64_t i = 0; i < 200'000; ++i) {
      h.add_smallest(3000 + i);
      h.add_count(1);
    }
    h.set_max(uint64_t{1} << 40);
  });
  EXPECT_EQ(RecordBoot(db(), "host1", Measured(order)), absl::OkStatus());
}

}  // namespace
}  // namespace shakedown::store
