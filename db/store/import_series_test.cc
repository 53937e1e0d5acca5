// Imports as series: listed without a look at their values, gone with their imports.
#include "db/store/import_series.h"

#include <gmock/gmock.h>

#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/store/imports.h"
#include "db/store/migrate.h"
#include "db/store/pool.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

v1::ImportedValue Value(const std::string& variant, const std::string& metric, double number) {
  v1::ImportedValue value;
  value.set_variant(variant);
  value.set_metric(metric);
  value.set_value(number);
  value.set_unit("ms");
  value.set_direction("lower");
  value.set_run(1);
  value.set_iteration(1);
  value.set_line(7);
  return value;
}

NewImport Small(const std::string& raw, std::vector<v1::ImportedValue> values) {
  return {.file = "log.txt",
          .raw = raw,
          .format = "interbench",
          .machine = "p4-ht",
          .source = "https://example.org/1",
          .submitter = "ann",
          .facts = {{"memory", "1 GB"}},
          .variants = {{"A", "2.6.35", ""}, {"B", "2.6.35", "rr_interval=6"}},
          .values = std::move(values)};
}

class ImportSeriesTest : public StoreTest {
 protected:
  int64_t Add(const NewImport& import) {
    const auto added = AddImport(db(), import);
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() ? added->import() : 0;
  }
  // "a.b|p4-ht|detail|ms 2".
  std::vector<std::string> List(const std::string& prefix = "", const std::string& machine = "",
                                uint32_t limit = 100) {
    const auto all = ListImportedSeries(db(), prefix, machine, limit);
    EXPECT_TRUE(all.ok()) << all.status();
    std::vector<std::string> texts;
    for (const v1::SeriesView& view : *all) {
      EXPECT_TRUE(view.imported());
      EXPECT_EQ(view.epochs(), 0u);
      texts.push_back(absl::StrCat(view.key().metric(), "|", view.key().machine(), "|",
                                   view.key().loads(), "|", view.unit(), " ", view.points()));
    }
    return texts;
  }
};

TEST_F(ImportSeriesTest, WhatDiffersBesideTheKernelIsASeriesOfItsOwn) {
  std::vector<v1::ImportedValue> values = {Value("A", "m.x", 1), Value("B", "m.x", 2),
                                           Value("A", "m.x", 3), Value("A", "m.x", 4),
                                           Value("A", "m_y", 5), Value("A", "m.w", 6)};
  values[2].set_detail("make -j4");
  values[3].set_unit("us");
  values[5].set_warmup(true);
  NewImport import = Small("one", values);
  Add(import);
  import.machine = "x1";
  import.values = {values[0]};
  Add(import);
  EXPECT_THAT(List("m.x"), ElementsAre("m.x|p4-ht||ms 2", "m.x|p4-ht||us 1",
                                       "m.x|p4-ht|make -j4|ms 1", "m.x|x1||ms 1"));
  EXPECT_THAT(List("", "x1"), ElementsAre("m.x|x1||ms 1"));
  EXPECT_THAT(List("m.", "", 2), SizeIs(2));
  EXPECT_THAT(List("m.w"), IsEmpty()) << "warm-ups are in no series";
  EXPECT_THAT(List("m_"), ElementsAre("m_y|p4-ht||ms 1")) << "taken as it is";
  EXPECT_THAT(List("%"), IsEmpty());
}

TEST_F(ImportSeriesTest, AnotherTextOfAKernelIsNoOtherKernel) {
  Add(Small("one", {Value("A", "m.x", 1)}));
  NewImport later = Small("two", {Value("A", "m.x", 2)});
  later.measured.emplace();
  later.measured->set_seconds(4000000000);
  Add(later);
  EXPECT_THAT(List(), ElementsAre("m.x|p4-ht||ms 1"));
  EXPECT_EQ(ListImportedSeries(db(), "", "", 1)->front().newest().seconds(), 4000000000);
}

TEST_F(ImportSeriesTest, WhatGoesWithItsImportIsListedNoMore) {
  NewImport shipped = Small("one", {Value("A", "m.x", 1), Value("A", "m.y", 1)});
  shipped.shipped = true;
  ASSERT_TRUE(PutShippedImports(db(), {shipped}).ok());
  Add(Small("two", {Value("B", "m.y", 1)}));
  EXPECT_THAT(List(), ElementsAre("m.x|p4-ht||ms 1", "m.y|p4-ht||ms 2"));
  ASSERT_TRUE(PutShippedImports(db(), {}).ok());
  EXPECT_THAT(List("", "", 1), ElementsAre("m.y|p4-ht||ms 1"));
  ASSERT_TRUE(PutShippedImports(db(), {shipped}).ok());
  EXPECT_THAT(List(), SizeIs(2));
}

TEST_F(ImportSeriesTest, WhatIsWithdrawnIsNoPointAnyMore) {
  const int64_t wrong = Add(Small("one", {Value("A", "m.x", 1), Value("A", "m.y", 1)}));
  Add(Small("two", {Value("B", "m.y", 1)}));
  ASSERT_TRUE(WithdrawImport(db(), wrong, "ben", "of another kernel").ok());
  EXPECT_THAT(List(), ElementsAre("m.y|p4-ht||ms 1"));
  EXPECT_TRUE(ReadImportedHistory(db(), "m.x", "", 100)->runs.empty());
  EXPECT_THAT(ReadImportedHistory(db(), "m.y", "", 100)->runs, SizeIs(1));
  Add(Small("one", {Value("A", "m.x", 1)}));
  EXPECT_THAT(List("m.x"), SizeIs(1));
}

TEST_F(ImportSeriesTest, TheLongestTextsAreTaken) {
  std::string metric, detail;  // Of many different pieces: what is compressed takes less.
  for (int i = 0; metric.size() < 900; ++i) absl::StrAppend(&metric, i * 7919 % 10007, ".");
  for (int i = 0; detail.size() < 900; ++i) absl::StrAppend(&detail, i * 6007 % 10009, " ");
  v1::ImportedValue value = Value("A", metric, 1);
  value.set_detail(detail);
  value.set_unit(detail);
  Add(Small("one", {value}));
  EXPECT_THAT(List(metric), SizeIs(1));
}

TEST_F(ImportSeriesTest, ManyAtOnceNameEachSeriesOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      std::vector<v1::ImportedValue> values;
      for (int j = 0; j < 50; ++j) {
        values.push_back(Value("A", absl::StrCat("m.", i % 2 == 0 ? j : 49 - j), 1));
      }
      Add(Small(absl::StrCat("text ", i), values));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(List(), SizeIs(50));
  EXPECT_EQ(Sql("SELECT count(*) FROM import_series"), "50");
  EXPECT_EQ(Sql("SELECT count(*) FROM import_points"), "300");
}

TEST_F(ImportSeriesTest, ImportsThatWereThereBeforeAreListedToo) {
  const std::unique_ptr<Database> old = DatabaseBefore("0014_import_series.sql");
  const absl::Status filled = Write(*old, [&](Transaction& tx) {
    tx.exec(
        "INSERT INTO imports (identity, file, sha256, raw, format, machine, source, submitter, "
        "facts, refused, value_count, shipped) VALUES (repeat('a', 64), 'f', repeat('a', 64), "
        "'raw', 'latt', 'p4-ht', '', 'ann', '{}', 0, 1, false)");
    tx.exec("INSERT INTO import_variants SELECT id, 0, '', '2.6.35', '' FROM imports");
    tx.exec(
        "INSERT INTO import_values SELECT id, n, 0, 'm.x', '', 'ms', true, '', 1, n, n = 1, false, "
        "'', 1, n FROM imports, generate_series(1, 3) n");
    return absl::OkStatus();
  });
  ASSERT_TRUE(filled.ok()) << filled;
  ASSERT_TRUE(Migrate(*old).ok());
  const auto listed = ListImportedSeries(*old, "", "", 10);
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_EQ(listed->front().points(), 1u);
}

std::string RunText(const ImportedRun& run) {
  return absl::StrCat(KernelText(run.kernel, run.tunables), " ", run.detail, "#", run.run, "=",
                      run.value, run.starred ? "*" : "", " ", run.unit, " ", run.direction);
}

TEST_F(ImportSeriesTest, RunsOfOneMetricWithTheirTexts) {
  std::vector<v1::ImportedValue> values = {Value("A", "m.x", 100), Value("A", "m.x", 1),
                                           Value("A", "m.x", 3),   Value("A", "m.x", 7),
                                           Value("B", "m.x", 9),   Value("B", "m.xy", 4)};
  values[0].set_warmup(true);
  values[3].set_run(2);
  values[3].set_starred(true);
  values[4].set_detail("make -j4");
  const int64_t one = Add(Small("one", values));
  NewImport elsewhere = Small("one", {values[1]});
  elsewhere.machine = "x1";
  elsewhere.facts.clear();
  const int64_t two = Add(elsewhere);
  const auto history = ReadImportedHistory(db(), "m.x", "");
  ASSERT_TRUE(history.ok()) << history.status();
  std::vector<std::string> texts;
  for (const ImportedRun& run : history->runs) texts.push_back(RunText(run));
  EXPECT_THAT(texts,
              ElementsAre("2.6.35 #1=2 ms lower", "2.6.35 #2=7* ms lower",
                          "2.6.35 rr_interval=6 make -j4#1=9 ms lower", "2.6.35 #1=1 ms lower"));
  ASSERT_THAT(history->imports, SizeIs(2));
  const ImportOrigin& origin = history->imports.at(one);
  EXPECT_EQ(origin.machine, "p4-ht");
  EXPECT_EQ(origin.format, "interbench");
  EXPECT_EQ(origin.source, "https://example.org/1");
  EXPECT_FALSE(origin.shipped);
  EXPECT_EQ(origin.facts.at("memory"), "1 GB");
  EXPECT_GT(origin.when.seconds(), 1700000000);
  EXPECT_THAT(history->imports.at(two).facts, IsEmpty());
  EXPECT_THAT(ReadImportedHistory(db(), "m.x", "x1")->runs, SizeIs(1));
  EXPECT_THAT(ReadImportedHistory(db(), "m.", "")->runs, IsEmpty());
  EXPECT_THAT(ReadImportedHistory(db(), "m.x", "", 3).status(),
              IsError(absl::StatusCode::kResourceExhausted, "more than 3 imported runs"));
}

}  // namespace
}  // namespace shakedown::store
