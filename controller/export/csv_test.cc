#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "controller/export/export.h"
#include "controller/export/export_testing.h"

namespace shakedown::exporting {
namespace {

TEST(CsvTest, ARowAMeasurement) {
  v1::ReportData data = SampleJob();
  const std::vector<std::string> rows = absl::StrSplit(CsvRows(data), '\n');
  ASSERT_EQ(rows.size(), 7u) << "six and the end";
  EXPECT_EQ(rows[0],
            "17,17.1A,1,A,1,debian-6.1,debian-6.1,x1,measured,2027-01-15T08:00:01Z,make jobs=4,"
            "make.real,1,0,20.125,s");
  EXPECT_EQ(rows[2], "17,17.1B,1,B,1,mine,mine,x1,panicked,2027-01-15T08:00:01Z,,,,,,");
  const auto columns = [](const std::string& row) {
    return std::count(row.begin(), row.end(), ',');
  };
  EXPECT_EQ(columns(rows[0]), columns(CsvHeader()));
  EXPECT_EQ(columns(rows[2]), columns(CsvHeader()));
}

TEST(CsvTest, QuotesWhatMustBe) {
  v1::ReportData data = SampleJob();
  data.mutable_boots(0)->mutable_view()->set_machine("x,\"1\"\nz");
  EXPECT_THAT(CsvRows(data), testing::HasSubstr(",\"x,\"\"1\"\"\nz\",measured,"));
}

}  // namespace
}  // namespace shakedown::exporting
