#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/escaping.h"
#include "controller/export/export.h"

namespace shakedown::exporting {
namespace {

v1::GetImportResponse Sample() {
  v1::GetImportResponse import;
  import.mutable_import()->set_import(3);
  import.mutable_import()->set_machine("p4-ht");
  import.mutable_import()->set_format("interbench");
  import.set_raw(std::string("raw \0\xff text\n", 12));
  v1::ImportedValue& value = *import.add_values();
  value.set_metric("interbench.video.burn.latency.avg");
  value.set_kernel("2.6.35-ck1");
  value.set_run(1);
  value.set_line(7);
  value.set_value(0.1);
  value.set_unit("ms");
  return import;
}

TEST(ImportJsonLinesTest, KeepsTheTextByteForByte) {
  const std::string lines = ImportJsonLines(Sample());
  const size_t end = lines.find('\n');
  const auto head = nlohmann::json::parse(lines.substr(0, end));
  std::string raw;
  ASSERT_TRUE(absl::Base64Unescape(head["raw"].get<std::string>(), &raw));
  EXPECT_EQ(raw, Sample().raw());
  const auto value = nlohmann::json::parse(lines.substr(end));
  EXPECT_EQ(value["type"], "imported_value");
  EXPECT_EQ(value["import"], 3);
  EXPECT_EQ(value["kernel"], "2.6.35-ck1");
  EXPECT_EQ(value["value"].get<double>(), 0.1);
}

TEST(ImportCsvRowsTest, HasTheColumnsOfAll) {
  const std::string row = ImportCsvRows(Sample());
  EXPECT_EQ(row,
            ",import 3,,,,2.6.35-ck1,,p4-ht,,,,interbench.video.burn.latency.avg,1,0,0.1,ms\n");
  const std::string header = CsvHeader();
  EXPECT_EQ(std::count(row.begin(), row.end(), ','), std::count(header.begin(), header.end(), ','));
}

}  // namespace
}  // namespace shakedown::exporting
