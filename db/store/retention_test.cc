#include "db/store/retention.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "db/store/boots.h"
#include "db/store/logs.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ThinSeriesTest, AMinuteEach) {
  // 20 s a value: three a minute.
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const ThinnedSeries thinned = ThinSeries({1, 9, 2, 7, gap, 8, gap, gap, gap, 4}, 20000);
  EXPECT_THAT(thinned.min, ElementsAre(1, 7, testing::IsNan(), 4));
  EXPECT_THAT(thinned.median, ElementsAre(2, 7.5, testing::IsNan(), 4));
  EXPECT_THAT(thinned.max, ElementsAre(9, 8, testing::IsNan(), 4));
  EXPECT_TRUE(ThinSeries({}, 1000).min.empty());
}

class RetentionTest : public StoreTest {
 protected:
  // A boot whose result has a series of three minutes, and a log of `bytes`.
  std::string Boot(v1::Outcome outcome, size_t bytes) {
    Submit({"a", "b"});
    BuildAll();
    const v1::SyncResponse work = Sync(Agent("host", {"vm1"}));
    EXPECT_EQ(work.boots_size(), 1);
    const v1::BootOrder order = work.boots_size() == 1 ? work.boots(0) : v1::BootOrder();
    std::string text;
    while (text.size() < bytes) absl::StrAppend(&text, "line ", text.size(), "\n");
    const std::string& id = order.attempt_id();
    uint64_t at = 0;
    while (at < text.size()) {
      const auto end = AppendLog(db(), "host", id, order.epoch(), at,
                                 absl::string_view(text).substr(at, kMaxLogPiece));
      EXPECT_TRUE(end.ok()) << end.status();
      if (!end.ok()) break;
      at = *end;
    }
    v1::BootResult result =
        outcome == v1::OUTCOME_MEASURED ? Measured(order) : Ended(order, outcome, "BUG");
    if (outcome == v1::OUTCOME_MEASURED) {
      v1::Series& series = *result.mutable_load_runs(0)->add_series();
      series.set_name("vmstat.cs");
      series.set_unit("1/s");
      series.set_step_ms(1000);
      for (int i = 0; i < 180; ++i) series.add_values(i);
      result.mutable_load_runs(0)->add_top()->add_tasks()->set_command("cc1");
    }
    EXPECT_TRUE(RecordBoot(db(), "host", result).ok());
    return id;
  }
  void Age(const std::string& span) {
    for (const char* table : {"boots", "builds"}) {
      Sql(absl::StrCat("UPDATE ", table, " SET ended_at = ended_at - interval '", span, "'"));
    }
  }
  RetentionBatch Thin(int most = 20) {
    const auto batch = ThinOld(db(), absl::Hours(24 * 30), most);
    EXPECT_TRUE(batch.ok()) << batch.status();
    return batch.value_or(RetentionBatch());
  }
  std::string Measurements() {
    return Sql("SELECT string_agg(m::text, ';' ORDER BY m::text) FROM measurements m");
  }
};

TEST_F(RetentionTest, ThinsWhatIsOld) {
  const std::string id = Boot(v1::OUTCOME_MEASURED, 300000);
  const std::string measurements = Measurements();
  EXPECT_TRUE(Thin().Done()) << "nothing is old yet";
  EXPECT_EQ(Sql("SELECT string_agg(name, ' ') FROM series"), "vmstat.cs");
  Age("31 days");
  const RetentionBatch batch = Thin();
  EXPECT_EQ(batch.series, 1);
  EXPECT_EQ(batch.tops, 1);
  EXPECT_EQ(batch.logs, 1);
  EXPECT_EQ(
      Sql("SELECT string_agg(name || ' ' || step_ms || ' ' || values::text, '; ' ORDER BY name) "
          "FROM series"),
      "vmstat.cs.max 60000 {59,119,179}; vmstat.cs.median 60000 {29.5,89.5,149.5}; "
      "vmstat.cs.min 60000 {0,60,120}");
  EXPECT_EQ(Sql("SELECT count(*) FROM top_snapshots"), "0");
  EXPECT_EQ(Measurements(), measurements) << "never touched";
  const auto log = ReadLog(db(), id, 0);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_TRUE(log->closed);
  EXPECT_EQ(log->end, log->data.size());
  EXPECT_LT(log->end, kKeptLogHead + kKeptLogTail + 100);
  EXPECT_THAT(log->data, StartsWith("line 0\nline 7\n"));
  EXPECT_THAT(log->data, HasSubstr(" bytes of this log are no longer kept]\n"));
  EXPECT_TRUE(Thin().Done()) << "each once";
}

TEST_F(RetentionTest, FindingsKeepTheirLogs) {
  const std::string id = Boot(v1::OUTCOME_PANICKED, 300000);
  Age("31 days");
  EXPECT_EQ(Thin().logs, 0);
  EXPECT_GE(ReadLog(db(), id, 0)->end, 300000u);
}

TEST_F(RetentionTest, ShortLogsStayWhole) {
  Boot(v1::OUTCOME_MEASURED, 60000);
  Age("31 days");
  EXPECT_EQ(Thin().logs, 0);
}

TEST_F(RetentionTest, GoesOnWhereItWas) {
  for (int i = 0; i < 3; ++i) Submit({"a", "b"});
  Sql("UPDATE boots SET state = 'ended', outcome = 'cancelled', ended_at = now() - interval '40 "
      "days'");
  int boots = 0;
  for (int i = 0; i < 10; ++i) boots += Thin(1).boots;
  EXPECT_EQ(boots, 6);
  EXPECT_TRUE(Thin().Done());
}

}  // namespace
}  // namespace shakedown::store
