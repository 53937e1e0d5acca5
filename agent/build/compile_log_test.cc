#include "agent/build/compile_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kFailed[] =
    "  CC      kernel/sched/core.o\n"
    "  CC      kernel/sched/fair.o\n"
    "In file included from kernel/sched/fair.c:12:\n"
    "kernel/sched/fair.c:770:9: error: expected ';' before 'return'\n"
    "  770 |         retrun 1;\n"
    "      |         ^~~~~~\n"
    "make[3]: *** [scripts/Makefile.build:229: kernel/sched/fair.o] Error 1\n"
    "make[2]: *** [scripts/Makefile.build:478: kernel/sched] Error 2\n"
    "  CC      mm/slub.o\n"
    "make: *** [Makefile:250: __sub-make] Error 2\n";

TEST(CompileLogTest, GivesTheCompilersErrorAndNotTheEchoes) {
  CompileLog log;
  log.Add(kFailed);
  EXPECT_EQ(log.FirstErrors(),
            "kernel/sched/fair.c:770:9: error: expected ';' before 'return'\n"
            "  770 |         retrun 1;\n"
            "      |         ^~~~~~");
  EXPECT_EQ(log.Objects(), 3u);
  EXPECT_EQ(log.HostFault(), "");
}

TEST(CompileLogTest, IsTheSameInAnyPieces) {
  CompileLog whole, pieces;
  whole.Add(kFailed);
  for (const char* byte = kFailed; *byte != 0; ++byte) pieces.Add(absl::string_view(byte, 1));
  EXPECT_EQ(pieces.FirstErrors(), whole.FirstErrors());
  EXPECT_EQ(pieces.Objects(), whole.Objects());
}

struct Sign {
  std::string name;
  std::string line;
  bool host;
};

class HostFaultTest : public testing::TestWithParam<Sign> {};

TEST_P(HostFaultTest, IsToldFromTheKernelsFault) {
  CompileLog log;
  log.Add(GetParam().line + "\n");
  EXPECT_EQ(!log.HostFault().empty(), GetParam().host);
}

INSTANTIATE_TEST_SUITE_P(
    , HostFaultTest,
    testing::ValuesIn<Sign>({
        {"FullDisk", "fatal error: closing dependency file a.d: No space left on device", true},
        {"Tar", "tar: linux/a.c: Cannot write: No space left on device", true},
        {"Memory", "gcc: fatal error: Killed signal terminated program cc1", true},
        {"Compiler", "a.c:1:1: error: unknown type name 'spcae'", false},
        {"Linker", "ld: a.o: undefined reference to `b'", false},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CompileLogTest, PatchThatDoesNotApplyShowsFileAndHunk) {
  CompileLog log;
  log.Add(
      "patching file kernel/sched/fair.c\nHunk #2 FAILED at 512.\n1 out of 2 hunks FAILED\n"
      "--- kernel/sched/fair.c\n+++ kernel/sched/fair.c\n@@ -512,3 +512,4 @@\n");
  EXPECT_THAT(log.FirstErrors(), HasSubstr("Hunk #2 FAILED at 512."));
}

TEST(CompileLogTest, WithoutAnErrorLineTheLastLinesAreShown) {
  CompileLog log;
  for (int i = 0; i < 50; ++i) log.Add("line " + std::to_string(i) + "\n");
  log.Add("no newline");
  EXPECT_THAT(log.FirstErrors(), HasSubstr("line 49\nno newline"));
  EXPECT_THAT(log.FirstErrors(), Not(HasSubstr("line 39\n")));
}

TEST(CompileLogTest, AFloodStaysSmall) {
  CompileLog log;
  const std::string flood(1 << 20, 'x');
  for (int i = 0; i < 30; ++i) log.Add("error: " + flood + "\n" + flood);
  EXPECT_LE(log.FirstErrors().size(), 8192u);
}

}  // namespace
}  // namespace shakedown::agent
