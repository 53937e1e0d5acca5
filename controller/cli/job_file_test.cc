#include "controller/cli/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "proto/wire/files.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kGood[] = R"(# Two schedulers.
title: "CFS against EEVDF"
variants { kernel: "debian-6.1" }
variants { kernel: "debian-6.12" tunables { name: "kernel.sched_autogroup_enabled" value: "0" } }
loads { latt { clients: 8 } }
blocks: 2
)";

TEST(JobFileTest, ReadsAJob) {
  const absl::StatusOr<v1::JobSpec> spec = ParseJobFile(kGood, "job.txtpb");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->blocks(), 2);
  EXPECT_EQ(spec->variants(1).tunables(0).value(), "0");
  EXPECT_EQ(spec->loads(0).latt().clients(), 8);
}

struct BadCase {
  const char* name;
  const char* text;
  const char* want;
};
class BadJobFileTest : public testing::TestWithParam<BadCase> {};
TEST_P(BadJobFileTest, NamesThePlace) {
  const absl::StatusOr<v1::JobSpec> spec = ParseJobFile(GetParam().text, "job.txtpb");
  ASSERT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr(GetParam().want));
}
INSTANTIATE_TEST_SUITE_P(, BadJobFileTest,
                         testing::ValuesIn<BadCase>({
                             {"UnknownField", "title: \"x\"\nblocsk: 2\n",
                              "job.txtpb:2:7: Message type"},
                             {"UnknownFieldNamed", "title: \"x\"\nblocsk: 2\n", "blocsk"},
                             {"UnknownLoad", "loads {\n  iotest { }\n}", "job.txtpb:2:10: "},
                             {"WrongType", "blocks: two", "job.txtpb:1:9: "},
                             {"Negative", "blocks: -1", "job.txtpb:1:9: "},
                             {"TooLarge", "blocks: 99999999999", "job.txtpb:1:9: "},
                             {"Unclosed", "variants { kernel: \"a\"\n", "job.txtpb:2:1: "},
                             {"UnclosedString", "title: \"abc\n", "job.txtpb:1:12: "},
                             {"SecondTitle", "title: \"a\"\ntitle: \"b\"", "job.txtpb:2:"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(JobFileTest, RefusesAFileThatIsTooLong) {
  const std::string text(kMaxJobFile + 1, '#');
  EXPECT_THAT(std::string(ParseJobFile(text, "job.txtpb").status().message()),
              HasSubstr("1048577 bytes"));
}

TEST(JobFileTest, StopsComplainingAboutSomethingElseAltogether) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\"\n";
  EXPECT_LT(ParseJobFile(text, "noise").status().message().size(), 2000);
}

TEST(ReadJobFileTest, NamesAnAbsentFile) {
  const absl::Status status = ReadJobFile("/nonexistent/job.txtpb").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), StartsWith("job file: /nonexistent/job.txtpb: "));
}

TEST(ReadJobFileTest, ReadsFromDisk) {
  const std::string path =
      std::filesystem::path(testing::TempDir()) / "shakedown_job_file_test.txtpb";
  ASSERT_TRUE(WriteFileAtomically(path, kGood).ok());
  EXPECT_TRUE(ReadJobFile(path).ok());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace shakedown::cli
