// tests/golden/report/NAME.txtpb (ReportData) → NAME.txt, .json, .md, .html, .csv, and the layouts.
// SHAKEDOWN_REWRITE_GOLDEN=1 rewrites them.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/compare/make_report.h"
#include "controller/compare/print_report.h"
#include "controller/compare/render_report.h"
#include "proto/wire/files.h"

namespace shakedown::compare {
namespace {

std::string Folder() {
  const char* source = std::getenv("SHAKEDOWN_SOURCE_DIR");
  return absl::StrCat(source == nullptr ? "." : source, "/tests/golden/report/");
}

v1::Report ReportOf(const std::string& name) {
  const absl::StatusOr<std::string> text = ReadFile(absl::StrCat(Folder(), name, ".txtpb"));
  EXPECT_TRUE(text.ok()) << text.status();
  v1::ReportData data;
  EXPECT_TRUE(text.ok() && google::protobuf::TextFormat::ParseFromString(*text, &data)) << name;
  return MakeReport(data);
}

void ExpectGolden(const std::string& file, const std::string& got) {
  const std::string path = absl::StrCat(Folder(), file);
  if (std::getenv("SHAKEDOWN_REWRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(path, got).ok());
  }
  const absl::StatusOr<std::string> want = ReadFile(path);
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_EQ(got, *want) << "if the new text is right: SHAKEDOWN_REWRITE_GOLDEN=1";
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, TextIsAsBefore) {
  ExpectGolden(GetParam() + ".txt", PrintReport(ReportOf(GetParam())));
}

TEST_P(GoldenTest, JsonIsAsBefore) {
  ExpectGolden(GetParam() + ".json", ReportJson(ReportOf(GetParam())));
}

std::string Rendered(const std::string& name, const v1::GetReportRequest& request) {
  const absl::StatusOr<std::string> text = RenderReport(ReportOf(name), request);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

TEST_P(GoldenTest, OtherFormatsAreAsBefore) {
  for (const auto& [format, suffix] :
       {std::pair("markdown", "md"), {"html", "html"}, {"csv", "csv"}}) {
    v1::GetReportRequest request;
    request.set_format(format);
    const std::string text = Rendered(GetParam(), request);
    ExpectGolden(absl::StrCat(GetParam(), ".", suffix), text);
    EXPECT_EQ(text, Rendered(GetParam(), request)) << "the same data, other bytes";
  }
}

TEST(GoldenLayoutTest, AreAsBefore) {
  for (const auto& [name, layout] : {std::pair("verdicts", "2010"), {"two-versions", "2009"}}) {
    for (const char* asterisk : {"default", "classic"}) {
      v1::GetReportRequest request;
      request.set_layout(layout);
      request.set_asterisk(asterisk);
      const std::string text = Rendered(name, request);
      ExpectGolden(absl::StrCat(name, ".", layout, ".", asterisk, ".txt"), text);
      for (absl::string_view line : absl::StrSplit(text, '\n')) EXPECT_LE(line.size(), 78u) << line;
    }
  }
}

TEST_P(GoldenTest, TextFitsAMail) {
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(PrintReport(ReportOf(GetParam())), '\n'))) {
    EXPECT_LE(line.size(), 78u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(, GoldenTest,
                         testing::Values("two-kernels", "build-failed", "hostile", "verdicts",
                                         "two-versions", "not-comparable", "control", "looks"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace shakedown::compare
