#include "controller/cli/imported_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/cli/history_lines.h"
#include "controller/cli/series_lines.h"
#include "controller/cli/text_width.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

v1::HistorySeries Published() {
  v1::HistorySeries series;
  series.set_imported(true);
  series.mutable_key()->set_metric("interbench.video.compile.deadlines_met");
  series.mutable_key()->set_machine("p4-ht");
  series.set_unit("%");
  series.set_better("higher");
  series.set_note("imported: nothing is looked for");
  series.set_drift(std::nan(""));
  series.set_machine_notes(1);
  for (const auto& [kernel, median] :
       {std::pair("2.6.35", 49.2), std::pair("2.6.35-ck1 rr_interval=6", 87.5)}) {
    v1::HistoryPoint* point = series.add_points();
    point->set_kernel(kernel);
    point->set_version("2.6.35");
    point->set_median(median);
    point->set_runs(1);
    v1::HistoryImport* import = point->add_imports();
    import->set_import(8 + series.points_size());
    import->set_format("interbench");
    import->set_source("linux-kernel, 2010-08-08");
    import->set_shipped(true);
  }
  series.mutable_points(1)->set_starred(true);
  series.mutable_points(1)->set_notes(2);
  return series;
}

TEST(ImportedTextTest, SaysWhatItIsAndWhereEachPointIsFrom) {
  v1::HistorySeries series = Published();
  const char kWant[] =
      "Imported: interbench.video.compile.deadlines_met [%] on p4-ht (higher is better)\n"
      "_#\n"
      "KERNEL                    RUNS  MEDIAN  MAD  IMPORT\n"
      "2.6.35                       1    49.2    -  9\n"
      "2.6.35-ck1 rr_interval=6     1   87.5*    -  10\n"
      "import 9, 10: published: linux-kernel, 2010-08-08\n"
      "*: an asterisk of the text's author; it plays no part\n"
      "imported: nothing is looked for\n"
      "notes: 2 on kernel:2.6.35-ck1, 1 on machine:p4-ht; see shakedown notes kernel:2.6.35-ck1\n";
  EXPECT_EQ(ImportedText(series, 0, false), kWant);
  EXPECT_EQ(HistoryText(series, 0, false), kWant);
}

TEST(ImportedTextTest, SeveralTextsOfOnePointAreAllNamed) {
  v1::HistorySeries series = Published();
  v1::HistoryPoint& point = *series.mutable_points(0);
  point.set_runs(7);
  point.set_mad(0.25);
  for (int i = 0; i < 4; ++i) {
    v1::HistoryImport* import = point.add_imports();
    import->set_import(20 + i);
    import->set_format("interbench");
    import->set_source(i == 3 ? "" : "a mail");
  }
  EXPECT_EQ(ImportsText(point), "9, 20, 21 and 2 more");
  EXPECT_EQ(SourcesText(point),
            "published: linux-kernel, 2010-08-08; interbench: a mail; interbench");
  EXPECT_THAT(ImportedText(series, 0, false),
              HasSubstr("     7    49.2  0.25  9, 20, 21 and 2 more\n"));
  EXPECT_THAT(ImportedText(series, 0, false),
              HasSubstr("import 9, 10: published: linux-kernel, 2010-08-08\n"
                        "import 20, 21, 22: interbench: a mail\n"
                        "import 23: interbench\n"));
  series.mutable_key()->set_loads("make -j4 (1); clients 8");
  series.set_unit("1");
  series.set_better("");
  series.add_warnings("config differs beside the kernel");
  const std::string text = ImportedText(series, 0, false);
  EXPECT_THAT(text, HasSubstr("deadlines_met on p4-ht, make -j4 (1); clients 8\n"));
  EXPECT_THAT(text, HasSubstr("\nconfig differs beside the kernel\n"));
  v1::GetHistoryResponse history;
  *history.add_series() = series;
  EXPECT_THAT(
      HistoryCsv(history),
      HasSubstr("interbench.video.compile.deadlines_met,1,p4-ht,make -j4 (1); clients 8,,0,"
                "2.6.35,2.6.35,0,0,49.200000000000003,0.25,0,,1,7,9 20 21 22 23,"
                "\"published: linux-kernel, 2010-08-08; interbench: a mail; interbench\"\n"));
}

TEST(ImportedTextTest, FitsTheScreen) {
  v1::HistorySeries series = Published();
  for (const size_t columns : {40, 80, 120}) {
    const std::string text = ImportedText(series, columns, true);
    const std::vector<std::string> lines = absl::StrSplit(text, '\n');
    for (size_t i = 2; i < 5; ++i) EXPECT_LE(Width(lines[i]), columns) << lines[i];
    EXPECT_THAT(text, HasSubstr("87.5*"));
  }
}

TEST(ImportedTextTest, HostileNamesDrawNothing) {
  v1::HistorySeries series = Published();
  for (std::string* text :
       {series.mutable_key()->mutable_machine(), series.mutable_key()->mutable_loads(),
        series.mutable_points(0)->mutable_kernel(),
        series.mutable_points(0)->mutable_imports(0)->mutable_source(), series.add_warnings()}) {
    *text = "x\x1b[2J\nroot# ";
  }
  series.mutable_points(0)->set_notes(1);
  const std::string text = ImportedText(series, 80, true);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\nroot")));
}

TEST(ImportedTextTest, OfVeryManySourcesSomeAreNamed) {
  v1::HistorySeries series = Published();
  for (int i = 0; i < 50; ++i) {
    v1::HistoryImport* import = series.mutable_points(0)->add_imports();
    import->set_import(100 + i);
    import->set_source(absl::StrCat("mail ", i));
  }
  EXPECT_THAT(ImportedText(series, 0, false),
              HasSubstr("\n43 more sources: see shakedown imports --machine p4-ht\n"));
}

TEST(NotesLineTest, SomeOfMany) {
  v1::HistorySeries series;
  EXPECT_EQ(NotesLine(series), "");
  for (int i = 1; i <= 8; ++i) {
    series.add_points()->set_kernel(absl::StrCat("6.", i));
    series.mutable_points(i - 1)->set_notes(i);
  }
  *series.add_points() = series.points(0);  // The same kernel in another epoch.
  EXPECT_EQ(NotesLine(series),
            "notes: 1 on kernel:6.1, 2 on kernel:6.2, 3 on kernel:6.3, 4 on kernel:6.4, 5 on "
            "kernel:6.5 and on 3 more; see shakedown notes kernel:6.1\n");
}

TEST(SeriesTextTest, ImportedOnesHaveATitleOfTheirOwn) {
  v1::ListSeriesResponse all;
  EXPECT_EQ(SeriesText(all, 0, absl::UTCTimeZone()), "");
  v1::SeriesView& imported = *all.add_series();
  imported.set_imported(true);
  imported.mutable_key()->set_metric("latt.wakeup.avg");
  imported.mutable_key()->set_machine("hp-2510p");
  imported.mutable_key()->set_loads("make -j4 (3); clients 8");
  imported.set_unit("us");
  imported.set_points(2);
  imported.mutable_newest()->set_seconds(1252368000);
  const std::string its =
      "Imported results\n"
      "METRIC           UNIT  MACHINE   OF                       KERNELS  NEWEST\n"
      "latt.wakeup.avg  us    hp-2510p  make -j4 (3); clients 8        2  2009-09-08 00:00\n";
  EXPECT_EQ(SeriesText(all, 0, absl::UTCTimeZone()), its);
  v1::SeriesView& measured = *all.add_series();
  measured.mutable_key()->set_metric("make.real");
  measured.mutable_key()->set_machine("x1");
  measured.mutable_key()->set_loads("make");
  measured.mutable_key()->set_config_class("debian");
  measured.set_unit("s");
  measured.set_points(12);
  measured.set_epochs(1);
  EXPECT_EQ(SeriesText(all, 0, absl::UTCTimeZone()),
            absl::StrCat("METRIC     UNIT  MACHINE  LOAD  CLASS   KERNELS  EPOCHS  NEWEST\n"
                         "make.real  s     x1       make  debian       12       1\n\n",
                         its));
}

}  // namespace
}  // namespace shakedown::cli
