#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "controller/export/export.h"
#include "controller/export/export_testing.h"

namespace shakedown::exporting {
namespace {

std::vector<nlohmann::json> Objects(const std::string& text) {
  std::vector<nlohmann::json> objects;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

TEST(JsonLinesTest, AJobItsBootsTheirMeasurements) {
  const auto objects = Objects(JsonLines(SampleJob()));
  std::string types;
  for (const auto& object : objects) types += object["type"].get<std::string>()[0];
  EXPECT_EQ(types, "jbmmbbmbbm");
  EXPECT_EQ(objects[0]["title"], "CFS, \"EEVDF\"");
  EXPECT_EQ(objects[0]["loads"][0], "make jobs=4");
  EXPECT_EQ(objects[0]["variants"][1]["kernel"], "mine");
  EXPECT_EQ(objects[1]["boot"], "17.1A");
  EXPECT_EQ(objects[1]["facts"]["cpu.model"], "A, \"B\"");
  EXPECT_EQ(objects[1]["started"], "2027-01-15T08:00:01Z");
  EXPECT_EQ(objects[2]["value"].get<double>(), 20.125);
  EXPECT_EQ(objects[4]["outcome"], "panicked");
  EXPECT_FALSE(objects[4].contains("ended")) << "what is not known is absent";
}

TEST(JsonLinesTest, TheSameDataAreTheSameBytes) {
  EXPECT_EQ(JsonLines(SampleJob()), JsonLines(SampleJob()));
}

TEST(JsonLinesTest, ForeignBytesAreText) {
  v1::ReportData data = SampleJob();
  data.mutable_boots(1)->mutable_view()->set_reason("line\nend \x01 \xc3\xa4");
  const std::string text = JsonLines(data);
  EXPECT_EQ(Objects(text)[4]["reason"], "line\nend \x01 \xc3\xa4");
}

TEST(ParseFormatTest, KnowsThree) {
  for (const char* word : {"json", "csv", "kcidb"}) EXPECT_TRUE(ParseFormat(word).ok()) << word;
  EXPECT_FALSE(ParseFormat("xml").ok());
}

}  // namespace
}  // namespace shakedown::exporting
