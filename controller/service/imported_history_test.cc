#include "controller/service/imported_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"

namespace shakedown::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

store::ImportedRun RunOf(int64_t import, const std::string& kernel, double value) {
  store::ImportedRun run;
  run.import = import;
  run.kernel = kernel;
  run.unit = "us";
  run.value = value;
  return run;
}
store::ImportOrigin Origin(const std::string& source, int64_t when) {
  store::ImportOrigin origin{.machine = "x1", .format = "latt", .source = source};
  origin.when.set_seconds(when);
  return origin;
}
v1::GetHistoryRequest Of(const std::string& metric) {
  v1::GetHistoryRequest request;
  request.set_metric(metric);
  return request;
}

TEST(ImportedHistoryOfTest, APointNamesItsTextsAndASeriesWhyNothingIsLookedFor) {
  store::ImportedHistory history;
  history.runs = {RunOf(4, "6.2", 30), RunOf(4, "6.1", 10), RunOf(9, "6.1", 20)};
  history.imports = {{4, Origin("a mail", 100)}, {9, Origin("", 200)}};
  history.imports[9].shipped = true;
  history.imports[9].facts = {{"memory", "2 GB"}};
  const std::vector<v1::HistorySeries> all = ImportedHistoryOf(history, Of("latt.wakeup.avg"));
  ASSERT_EQ(all.size(), 1u);
  const v1::HistorySeries& series = all[0];
  EXPECT_TRUE(series.imported());
  EXPECT_EQ(series.key().metric(), "latt.wakeup.avg");
  EXPECT_EQ(series.key().machine(), "x1");
  EXPECT_EQ(series.better(), "lower") << "as our own loads know it";
  EXPECT_TRUE(std::isnan(series.drift()));
  EXPECT_THAT(series.note(), HasSubstr("no change is looked for"));
  EXPECT_THAT(series.warnings(),
              ElementsAre("memory differs beside the kernel: 6.1: 2 GB / not said; 6.2: not said",
                          "6.1: numbers of 2 texts from 2 sources together"));
  ASSERT_EQ(series.points_size(), 2);
  const v1::HistoryPoint& point = series.points(0);
  EXPECT_EQ(point.kernel(), "6.1");
  EXPECT_EQ(point.median(), 15);
  EXPECT_EQ(point.mad(), 5);
  EXPECT_EQ(point.runs(), 2u);
  EXPECT_EQ(point.boots() + point.epoch() + point.failed(), 0u);
  EXPECT_EQ(point.newest().seconds(), 200);
  ASSERT_EQ(point.imports_size(), 2);
  EXPECT_EQ(point.imports(0).import(), 4);
  EXPECT_EQ(point.imports(0).format(), "latt");
  EXPECT_EQ(point.imports(0).source(), "a mail");
  EXPECT_FALSE(point.imports(0).shipped());
  EXPECT_TRUE(point.imports(1).shipped());
}

// What would be a step of 15 % in the farm's own numbers, of as many runs as anybody wants.
TEST(ImportedHistoryOfTest, AStepIsNoChange) {
  store::ImportedHistory history;
  history.imports = {{1, Origin("", 1)}};
  for (int minor = 1; minor <= 40; ++minor) {
    for (int run = 0; run < 8; ++run) {
      history.runs.push_back(
          RunOf(1, absl::StrCat("6.", minor), (minor > 20 ? 115 : 100) + 0.1 * run));
    }
  }
  for (const bool absolute : {false, true}) {
    v1::GetHistoryRequest request = Of("latt.wakeup.avg");
    request.set_absolute(absolute);
    const v1::HistorySeries series = ImportedHistoryOf(history, request).at(0);
    EXPECT_EQ(series.points_size(), 40);
    EXPECT_EQ(series.changes_size() + series.control_size() + series.control_changes_size(), 0);
    EXPECT_TRUE(std::isnan(series.drift()));
    EXPECT_EQ(series.reference(), "");
    for (const v1::HistoryPoint& point : series.points()) EXPECT_FALSE(point.relative());
  }
}

TEST(ImportedHistoryOfTest, APointOfVeryManyTextsNamesSome) {
  store::ImportedHistory history;
  for (int64_t import = 1; import <= 300; ++import) {
    history.imports[import] = Origin("", import);
    history.runs.push_back(RunOf(import, "6.1", 1));
  }
  const v1::HistorySeries series = ImportedHistoryOf(history, Of("m")).at(0);
  EXPECT_EQ(series.points(0).runs(), 300u);
  EXPECT_EQ(series.points(0).imports_size(), 100);
  EXPECT_EQ(series.points(0).newest().seconds(), 300);
  EXPECT_EQ(series.better(), "");
}

}  // namespace
}  // namespace shakedown::service
