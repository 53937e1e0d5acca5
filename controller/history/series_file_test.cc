#include "controller/history/series_file.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "google/protobuf/struct.pb.h"

namespace shakedown::history {
namespace {

std::vector<std::string> Keys(const SeriesFile& series) {
  std::vector<std::string> keys;
  for (const SeriesPoint& point : series.points) keys.push_back(point.key);
  return keys;
}

TEST(SeriesFileTest, PointsComeInTheOrderOfTheirKeys) {
  const auto series = ReadSeries("s.csv",
                                 "\xef\xbb\xbf"
                                 "kernel,n,latt.wakeup.avg\r\n# from 2010\n\n6.12,3,30.5\n6.9,3,9\n"
                                 "\"6.10-rc1\",3,10\n6.9,4,8\n6.11,2,\n",
                                 "");
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ(series->column, "latt.wakeup.avg");
  // Equal keys keep the file's order.
  EXPECT_EQ(Keys(*series), (std::vector<std::string>{"6.9", "6.9", "6.10-rc1", "6.12"}));
  EXPECT_EQ(series->points[0].value, 9);
  EXPECT_EQ(series->points[1].value, 8);
  EXPECT_EQ(series->left_out, 1u);
}

TEST(SeriesFileTest, ColumnsByNameNumberAndWithoutAHeader) {
  EXPECT_EQ(ReadSeries("s", "k,a,b\n1,2,3\n", "a")->points[0].value, 2);
  EXPECT_EQ(ReadSeries("s", "k,a,b\n1,2,3\n", "2")->points[0].value, 2);
  EXPECT_EQ(ReadSeries("s", "1,2,3\n2,4,5\n", "")->points.size(), 2u);
  EXPECT_EQ(ReadSeries("s", "1,2,3\n2,4,5\n", "")->column, "column 3");
  EXPECT_EQ(Keys(*ReadSeries("s", "10,1\n9,1\n010,2\n", "")),
            (std::vector<std::string>{"9", "10", "010"}));
}

TEST(SeriesFileTest, RefusalsNameLineAndColumn) {
  const auto error = [](absl::string_view text, absl::string_view column = "") {
    return std::string(ReadSeries("s.csv", text, column).status().message());
  };
  EXPECT_EQ(error(""), "s.csv: no points; want lines of an order key and a value");
  EXPECT_EQ(error("k,v\n"), "s.csv: no points; want lines of an order key and a value");
  EXPECT_EQ(error("1\n"),
            "s.csv: line 1, column 1: one column; want an order key and at least one value, parted "
            "by commas");
  EXPECT_EQ(error("k,v\n1,2\n2,nan\n"),
            "s.csv: line 3, column 2: v is \"nan\", want a number such as 12.5");
  EXPECT_EQ(error("k,v\n1,2\n2,3 ms\n"),
            "s.csv: line 3, column 2: v is \"3 ms\", want a number such as 12.5");
  EXPECT_EQ(error("k,v\n1,2,3\n"), "s.csv: line 2, column 3: the line has 3 cells, want 2");
  EXPECT_EQ(error("k,v\n,3\n"), "s.csv: line 2, column 1: the order key is empty");
  EXPECT_EQ(error("k,v\n1,\"3\n"), "s.csv: line 2, column 2: the quote is not closed on its line");
  EXPECT_EQ(error("k,a,b\n1,2,3\n", "c"),
            "s.csv: no column \"c\"; want one of a, b, or a number from 2 to 3");
}

TEST(SeriesFileTest, JsonIsValidWhateverTheKeys) {
  SeriesFile series;
  series.points = {{"a\"b\\", 0}, {"\xff", 0}, {"c", 0}, {"q\"\xfe", 5}, {"e", 5}, {"f", 5}};
  const std::vector<ChangePoint> points = {{3, 1.0 / 0.0, 0, 0, 5}};
  google::protobuf::Struct json;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(PrintChangePointsJson(series, points), &json)
          .ok());
  const auto& point =
      json.fields().at("changepoints").list_value().values(0).struct_value().fields();
  EXPECT_EQ(point.at("index").number_value(), 3);
  EXPECT_TRUE(point.at("magnitude").has_null_value());
  EXPECT_EQ(point.at("after_median").number_value(), 5);
}

TEST(SeriesFileTest, TextSaysWhatWasSearchedAndFound) {
  const auto series = ReadSeries("s", "1,10\n2,10\n3,10\n4,\n5,12\n6,12\n7,12\n", "");
  ASSERT_TRUE(series.ok());
  std::vector<double> values;
  for (const SeriesPoint& point : series->points) values.push_back(point.value);
  EXPECT_EQ(PrintChangePoints(*series, FindChangePoints(values), {}),
            "6 points; steps of more than 2.5 % with p below 0.001: 1.\n"
            "Rows without a value, left out: 1.\n"
            "\n"
            " index  first of the new                before     after    change         p\n"
            "     3  5                                   10        12   +20.0 %         0\n"
            "\n"
            "A step is a reason to measure again, paired and in blocks; it does not say\n"
            "what caused it.\n");
}

}  // namespace
}  // namespace shakedown::history
