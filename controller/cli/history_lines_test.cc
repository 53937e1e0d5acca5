#include "controller/cli/history_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "controller/cli/text_width.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SparklineTest, HighestIsHighest) {
  EXPECT_EQ(Sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 0, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(Sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 0, false), "_.-~=+*#");
  EXPECT_EQ(Sparkline({3, 3, 3}, 0, false), "===");
  EXPECT_EQ(Sparkline({}, 10, true), "");
  EXPECT_EQ(Sparkline({0, std::nan(""), 7}, 0, false), "_?#");
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(Sparkline({-most, most}, 0, false), "_#");
}

TEST(SparklineTest, FitsTheScreen) {
  std::vector<double> values(1000, 1);
  values[999] = 2;
  for (const size_t columns : {1, 7, 80}) {
    EXPECT_EQ(Width(Sparkline(values, columns, true)), columns);
  }
}

v1::HistorySeries Stepped() {
  v1::HistorySeries series;
  series.mutable_key()->set_metric("make.real");
  series.mutable_key()->set_machine("x1");
  series.mutable_key()->set_loads("make jobs=4");
  series.mutable_key()->set_config_class("debian");
  series.set_unit("s");
  series.set_better("lower");
  series.set_reference("debian-6.1 6.1.140-1");
  series.set_drift(std::nan(""));
  for (int i = 0; i < 6; ++i) {
    v1::HistoryPoint* point = series.add_points();
    point->set_kernel(absl::StrCat("debian-6.", i + 1));
    point->set_version(absl::StrCat("6.", i + 1, ".9-1"));
    point->set_epoch(1);
    point->set_median(i < 3 ? 10 : 11.5);
    point->set_boots(8);
    point->set_mad(0.1);
  }
  v1::HistoryChange* change = series.add_changes();
  change->set_index(3);
  change->set_before_median(10);
  change->set_after_median(11.5);
  change->set_level("alarm");
  change->set_p(1e-9);
  change->set_regression(4);
  return series;
}

TEST(HistoryTextTest, ATableWithItsMarks) {
  v1::HistorySeries series = Stepped();
  EXPECT_EQ(HistoryText(series, 0, false),
            "make.real [s] on x1, make jobs=4, kernels debian (lower is better)\n"
            "___###\n"
            "KERNEL      VERSION  BOOTS  FAILED  MEDIAN  MAD  CHANGE\n"
            "debian-6.1  6.1.9-1      8              10  0.1\n"
            "debian-6.2  6.2.9-1      8              10  0.1\n"
            "debian-6.3  6.3.9-1      8              10  0.1\n"
            "debian-6.4  6.4.9-1      8            11.5  0.1  alarm +15.0%, p 1e-09, regression 4\n"
            "debian-6.5  6.5.9-1      8            11.5  0.1\n"
            "debian-6.6  6.6.9-1      8            11.5  0.1\n");
  series.mutable_points(0)->set_relative(true);
  series.mutable_points(5)->set_epoch(2);
  series.add_epoch_changes("cpu.microcode 0x1 → 0x2");
  series.set_drift(0.031);
  v1::HistoryChange* moved = series.add_control_changes();
  moved->set_before_median(10);
  moved->set_after_median(9);
  const std::string text = HistoryText(series, 80, true);
  for (const char* part :
       {"relative to debian-6.1 6.1.140-1 of the same blocks", "EPOCH",
        "epoch 2: cpu.microcode 0x1 → 0x2", "drift over the last 20 kernels: +3.1%",
        "environment changed: debian-6.1 6.1.140-1 itself -10.0%"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(HistoryTextTest, HostileNamesDrawNothing) {
  v1::HistorySeries series = Stepped();
  series.mutable_key()->set_machine("x\x1b[2J\nroot# ");
  series.mutable_points(0)->set_kernel("a\r\nb");
  series.set_note("\x1b]0;title\x07");
  const std::string text = HistoryText(series, 80, true);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\nroot")));
}

TEST(HistoryCsvTest, CellsStayCells) {
  v1::GetHistoryResponse history;
  *history.add_series() = Stepped();
  v1::HistorySeries& series = *history.mutable_series(0);
  series.mutable_points()->DeleteSubrange(1, 5);
  series.mutable_key()->set_machine("=cmd|' /C calc'!A0");
  series.mutable_key()->set_loads("make \"x\", y\nz");
  EXPECT_EQ(
      HistoryCsv(history),
      "metric,unit,machine,loads,class,epoch,kernel,version,boots,failed,median,mad,relative,"
      "change,imported,runs,imports,source\n"
      "make.real,s,'=cmd|' /C calc'!A0,\"make \"\"x\"\", y z\",debian,1,debian-6.1,6.1.9-1,8,0,"
      "10,0.10000000000000001,0,,0,0,,\n");
}

TEST(RegressionTextTest, SaysWhatBecameOfIt) {
  v1::RegressionView view;
  view.set_regression(3);
  view.set_state(v1::REGRESSION_STATE_SUSPECTED);
  view.set_blocked("machine \"x1\": no such machine\x1b[2J");
  view.set_mail("Subject: x\n");
  v1::RegressionEvent* event = view.add_events();
  event->set_by("ada\nfarm");
  event->set_state(v1::REGRESSION_STATE_WONT_FIX);
  event->set_why("as \x1b[31mwanted");
  const std::string text = RegressionText(view, absl::UTCTimeZone());
  EXPECT_EQ(text.find("Suspected change 3: not confirmed\n"), 0u) << text;
  EXPECT_THAT(text, HasSubstr("won't fix by ada"));
  EXPECT_THAT(text, HasSubstr("regressions reopen 3"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  v1::ListRegressionsResponse all;
  view.set_magnitude(INFINITY);
  *all.add_regressions() = view;
  EXPECT_THAT(RegressionsText(all, 0), HasSubstr("from 0"));
  EXPECT_THAT(RegressionsText(all, 0), Not(HasSubstr("\x1b")));
}

TEST(RegressionTextTest, OnlyWhatIsConfirmedIsCalledARegression) {
  v1::RegressionView view;
  view.set_regression(3);
  for (const v1::RegressionState state :
       {v1::REGRESSION_STATE_SUSPECTED, v1::REGRESSION_STATE_CONFIRMING,
        v1::REGRESSION_STATE_REFUTED, v1::REGRESSION_STATE_ACKNOWLEDGED}) {
    view.set_state(state);
    EXPECT_EQ(RegressionTitle(view).find("suspected change 3: "), 0u) << RegressionTitle(view);
  }
  view.set_improvement(true);
  EXPECT_THAT(RegressionText(view, absl::UTCTimeZone()),
              HasSubstr("Suspected change 3: acknowledged (for the better)\n"));
  view.set_confirmed(true);
  EXPECT_EQ(RegressionTitle(view), "improvement 3: acknowledged");
  view.set_improvement(false);
  EXPECT_EQ(RegressionTitle(view), "regression 3: acknowledged");
  view.set_state(v1::REGRESSION_STATE_CONFIRMED);
  EXPECT_THAT(RegressionText(view, absl::UTCTimeZone()), HasSubstr("Regression 3: confirmed\n"));
}

}  // namespace
}  // namespace shakedown::cli
