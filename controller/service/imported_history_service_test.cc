// Imports in history: beside the farm's own series, never among them, and never a suspicion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "controller/service/job_keeper.h"
#include "controller/service/published.h"
#include "controller/service/regression_keeper.h"
#include "controller/service/test_farm.h"

namespace shakedown::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ImportedHistoryTest : public testing::Test {
 protected:
  ImportedHistoryTest()
      : agent_(farm_.Agent("host1", {"vm1"})),
        history_(farm_.database()),
        imports_(farm_.database()) {}

  absl::StatusOr<v1::GetHistoryResponse> History(const std::string& metric,
                                                 const std::string& machine = "") {
    v1::GetHistoryRequest request;
    request.set_metric(metric);
    request.set_machine(machine);
    return history_.GetHistory(request);
  }
  std::vector<v1::SeriesView> List(const v1::ListSeriesRequest& request) {
    const auto listed = history_.ListSeries(request);
    EXPECT_TRUE(listed.ok()) << listed.status();
    return {listed->series().begin(), listed->series().end()};
  }
  // Rows of `metric` in seconds, "6.1,10,1" one kernel, value and run each.
  int64_t Import(const std::string& machine, const std::string& metric,
                 const std::vector<std::string>& rows) {
    v1::AddImportRequest request;
    request.set_file("own.csv");
    std::string text = absl::StrCat("# shakedown results 1\n# machine: ", machine,
                                    "\nkernel,value,run,metric,unit,direction\n");
    for (const std::string& row : rows) absl::StrAppend(&text, row, ",", metric, ",s,lower\n");
    request.set_raw(text);
    const auto added = imports_.AddImport({store::Role::kUser, "ada"}, request);
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() ? added->import() : 0;
  }
  // One job of alpha and beta on vm1, in the history when it returns.
  void Measure() {
    const int64_t job = farm_.Submit(SmallJob(2)).value();
    EXPECT_TRUE(agent_.Run([&] { return farm_.Ended(job); }).ok());
    for (int rounds = 0; rounds < 10; ++rounds) {
      ASSERT_TRUE(KeepJobs(farm_.database()).ok());
      ASSERT_TRUE(KeepRegressions(farm_.database(), {}).ok());
    }
  }

  TestFarm farm_;
  fakes::ScriptedAgent agent_;
  HistoryApi history_;
  ImportApi imports_;
};

std::vector<std::string> Kernels(const v1::HistorySeries& series) {
  std::vector<std::string> kernels;
  for (const v1::HistoryPoint& point : series.points()) kernels.push_back(point.kernel());
  return kernels;
}

TEST_F(ImportedHistoryTest, EveryPublishedKernelIsShown) {
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  const auto history = History("interbench.video.compile.deadlines_met", "p4-ht");
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->series_size(), 1);
  const v1::HistorySeries& series = history->series(0);
  EXPECT_TRUE(series.imported());
  EXPECT_EQ(series.unit(), "%");
  EXPECT_EQ(series.better(), "higher");
  EXPECT_THAT(Kernels(series), ElementsAre("2.6.35", "2.6.35-ck1"));
  EXPECT_EQ(series.points(0).median(), 49.2);
  EXPECT_EQ(series.points(1).median(), 87.5);
  EXPECT_TRUE(series.points(1).starred());
  EXPECT_EQ(series.points(1).runs(), 1u);
  EXPECT_TRUE(series.points(1).imports(0).shipped());
  EXPECT_THAT(series.points(1).imports(0).source(), HasSubstr("Con Kolivas"));
  EXPECT_EQ(series.machine_notes(), 1u);

  v1::ListSeriesRequest list;
  list.set_limit(1000);
  std::set<std::string> kernels;
  for (const v1::SeriesView& view : List(list)) {
    EXPECT_TRUE(view.imported());
    const auto one = History(view.key().metric(), view.key().machine());
    ASSERT_TRUE(one.ok()) << one.status();
    const auto found =
        std::find_if(one->series().begin(), one->series().end(), [&](const auto& candidate) {
          return candidate.key().loads() == view.key().loads() && candidate.unit() == view.unit();
        });
    ASSERT_NE(found, one->series().end()) << view.DebugString();
    EXPECT_EQ(found->points_size(), static_cast<int>(view.points()));
    for (const std::string& kernel : Kernels(*found)) kernels.insert(kernel);
  }
  EXPECT_THAT(kernels,
              ElementsAre("2.6.21-rc7", "2.6.21-rc7-cfs-v6 kernel.sched_granularity_ns=2000000",
                          "2.6.21-rc7-cfs-v6 kernel.sched_granularity_ns=5000000",
                          "2.6.21-rc7-sd-0.46 kernel.rr_interval=2",
                          "2.6.21-rc7-sd-0.46 kernel.rr_interval=6", "2.6.30.5-bfs-209",
                          "2.6.31-rc9", "2.6.35", "2.6.35-ck1"));
}

TEST_F(ImportedHistoryTest, TunablesAreKernelsOfTheirOwnAndNotesAreOnTheKernel) {
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  v1::GetHistoryRequest request;
  request.set_metric("vmstat.cs");
  request.add_kernels("*-sd-*");
  const auto history = history_.GetHistory(request);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->series_size(), 1);
  const v1::HistorySeries& series = history->series(0);
  EXPECT_THAT(Kernels(series), ElementsAre("2.6.21-rc7-sd-0.46 kernel.rr_interval=2",
                                           "2.6.21-rc7-sd-0.46 kernel.rr_interval=6"));
  EXPECT_EQ(series.points(0).runs(), 1u) << "rows of one vmstat are one run";
  EXPECT_EQ(series.points(0).notes(), 5u);
  EXPECT_EQ(series.machine_notes(), 0u);
}

TEST_F(ImportedHistoryTest, LoadsAreKeptApartAndDifferencesAreSaid) {
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  const auto history = History("latt.wakeup.avg", "hp-2510p");
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->series_size(), 3);
  std::set<std::string> loads;
  for (const v1::HistorySeries& series : history->series()) {
    EXPECT_THAT(Kernels(series), ElementsAre("2.6.30.5-bfs-209", "2.6.31-rc9"));
    EXPECT_THAT(series.warnings(0), HasSubstr("config differs beside the kernel"));
    loads.insert(series.key().loads());
  }
  EXPECT_THAT(loads, SizeIs(3));
}

TEST_F(ImportedHistoryTest, TheFarmsOwnAndImportedNumbersAreTwoSeries) {
  // Under the farm's own metric, machine and kernels.
  const int64_t import = Import("vm1", "make.real", {"alpha,1000,1", "beta,2000,1"});
  Measure();
  const auto history = History("make.real", "vm1");
  ASSERT_TRUE(history.ok()) << history.status();
  int measured = 0, imported = 0;
  for (const v1::HistorySeries& series : history->series()) {
    for (const v1::HistoryPoint& point : series.points()) {
      EXPECT_EQ(point.median() >= 1000, series.imported());
      EXPECT_EQ(point.boots() == 0, series.imported());
      EXPECT_EQ(point.boot_names().empty(), series.imported());
      EXPECT_EQ(point.runs() > 0, series.imported());
    }
    EXPECT_FALSE(imported > 0 && !series.imported()) << "the farm's own come first";
    (series.imported() ? imported : measured) += 1;
  }
  EXPECT_GE(measured, 1);
  ASSERT_EQ(imported, 1);
  EXPECT_EQ(history->series(history->series_size() - 1).points(0).imports(0).import(), import);

  v1::ListSeriesRequest list;
  const std::vector<v1::SeriesView> all = List(list);
  ASSERT_GE(all.size(), 2u);
  EXPECT_FALSE(all.front().imported());
  EXPECT_TRUE(all.back().imported());
  list.set_limit(1);
  EXPECT_FALSE(List(list).at(0).imported());
  list.set_imported_only(true);
  ASSERT_THAT(List(list), SizeIs(1));
  EXPECT_TRUE(List(list).at(0).imported());
}

TEST_F(ImportedHistoryTest, AStepInImportsIsNeverASuspicion) {
  Measure();
  std::vector<std::string> rows;
  for (int minor = 1; minor <= 30; ++minor) {
    for (int run = 0; run < 8; ++run) {
      rows.push_back(
          absl::StrCat("6.", minor, ",", (minor > 15 ? 40 : 20) + 0.01 * run, ",", 1 + run));
    }
  }
  Import("vm1", "make.real", rows);
  Import("elsewhere", "make.real", rows);
  Measure();  // Makes the keeper look at vm1's series again.
  const auto history = History("make.real");
  ASSERT_TRUE(history.ok()) << history.status();
  int imported = 0;
  for (const v1::HistorySeries& series : history->series()) {
    if (!series.imported()) continue;
    ++imported;
    EXPECT_THAT(series.points(), SizeIs(30));
    EXPECT_EQ(series.points(0).runs(), 8u);
    EXPECT_THAT(series.changes(), IsEmpty());
    EXPECT_THAT(series.note(), HasSubstr("none is suspected"));
  }
  EXPECT_EQ(imported, 2);
  EXPECT_THAT(history_.ListRegressions({})->regressions(), IsEmpty());
  EXPECT_THAT(farm_.Call(&v1::FarmService::Stub::ListJobs, v1::ListJobsRequest())->jobs(),
              SizeIs(2))
      << "no paired job";
}

TEST_F(ImportedHistoryTest, AnEmptyAnswerSaysWhereThereIsMore) {
  Import("x1", "make.real", {"6.1,10,1", "6.2,11,1"});
  const auto refused = [&](const absl::StatusOr<v1::GetHistoryResponse>& answer) {
    EXPECT_TRUE(absl::IsNotFound(answer.status())) << answer.status();
    return std::string(answer.status().message());
  };
  EXPECT_EQ(refused(History("make.reel")),
            "metric \"make.reel\": no such series, see shakedown series");
  EXPECT_EQ(refused(History("make.real", "x2")),
            "metric \"make.real\" on machine \"x2\": no such series, there are some on x1");
  v1::GetHistoryRequest request;
  request.set_metric("make.real");
  request.set_since("6.3");
  EXPECT_THAT(refused(history_.GetHistory(request)),
              HasSubstr("none of its kernels is in the range or fits the names asked for"));
  request.set_since("6.2");
  EXPECT_THAT(Kernels(history_.GetHistory(request)->series(0)), ElementsAre("6.2"));
}

}  // namespace
}  // namespace shakedown::service
