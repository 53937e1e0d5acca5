#include "controller/plan/text.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

#include "controller/plan/check_job.h"
#include "controller/plan/estimate.h"

namespace shakedown::plan {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

struct GoodCase {
  std::string text;
  std::string proto;
  std::string printed;  // Canonical form.
};

class ParseLoadTest : public testing::TestWithParam<GoodCase> {};

TEST_P(ParseLoadTest, ReadsAndPrints) {
  v1::Load want;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(GetParam().proto, &want));
  const absl::StatusOr<v1::Load> got = ParseLoad(GetParam().text);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE(MessageDifferencer::Equals(*got, want)) << got->DebugString();
  EXPECT_EQ(PrintLoad(*got), GetParam().printed);
  const absl::StatusOr<v1::Load> again = ParseLoad(PrintLoad(*got));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(MessageDifferencer::Equals(*again, want)) << again->DebugString();
}

INSTANTIATE_TEST_SUITE_P(
    , ParseLoadTest,
    testing::ValuesIn<GoodCase>({
        {"make", "make {} iterations: 1", "make"},
        {"make warmups=1 jobs=4 iterations=2", "make { jobs: 4 } iterations: 2 warmups: 1",
         "make jobs=4 iterations=2 warmups=1"},
        {" make   targets=vmlinux,kernel/sched/ ",
         "make { targets: 'vmlinux' targets: 'kernel/sched/' } iterations: 1",
         "make targets=vmlinux,kernel/sched/"},
        {"latt",
         "latt { clients: 4 min_sleep_ms: 100 sleep_width_ms: 500 seconds: 15 make {} } "
         "iterations: 1",
         "latt"},
        {"latt clients=8 work=64 seconds=20 jobs=2",
         "latt { clients: 8 min_sleep_ms: 100 sleep_width_ms: 500 work_kib: 64 seconds: 20 make { "
         "jobs: 2 } } "
         "iterations: 1",
         "latt clients=8 work=64 seconds=20 jobs=2"},
        {"latt sleep=10 width=20 -- sleep 10",
         "latt { clients: 4 min_sleep_ms: 10 sleep_width_ms: 20 seconds: 15 command: 'sleep' "
         "command: '10' } "
         "iterations: 1",
         "latt sleep=10 width=20 -- sleep 10"},
        {"interbench",
         "interbench { benchmarks: 'Video' benchmarks: 'X' loads: 'Burn' seconds: 10 } iterations: "
         "1",
         "interbench"},
        {"interbench benchmarks=video,AUDIO loads=none,Burn seconds=30 burn_threads=4 "
         "loops_per_ms=12345678901",
         "interbench { benchmarks: 'Video' benchmarks: 'Audio' loads: 'None' loads: 'Burn' "
         "seconds: 30 "
         "burn_threads: 4 loops_per_ms: 12345678901 } iterations: 1",
         "interbench benchmarks=Video,Audio loads=None,Burn seconds=30 burn_threads=4 "
         "loops_per_ms=12345678901"},
    }));

struct BadCase {
  std::string text;
  std::string want;
};
class ParseLoadBadTest : public testing::TestWithParam<BadCase> {};

TEST_P(ParseLoadBadTest, SaysWhatIsWanted) {
  const absl::Status status = ParseLoad(GetParam().text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(, ParseLoadBadTest,
                         testing::ValuesIn<BadCase>({
                             {"", "want make, latt or interbench"},
                             {"hackbench", "load \"hackbench\": no such load"},
                             {"make -j4",
                              "load make: no option \"-j4\", want name=value with one of "
                              "iterations, jobs, targets, warmups"},
                             {"make jobs=four", "option \"jobs=four\": want a whole number"},
                             {"make jobs=-1", "want a whole number"},
                             {"make jobs=", "want a whole number"},
                             {"make jobs=5000000000", "want a whole number"},
                             {"make clients=4", "no option \"clients=4\""},
                             {"make targets=a,,b", "want names parted by single commas"},
                             {"latt --", "a command after it"},
                             {"make -- x", "wants the load latt before it"},
                             {"latt jobs=2 -- sleep 1", "are for make"},
                         }));

TEST(DefaultLoadsTest, TheThreeDefaultsFitAShortBoot) {
  double seconds = 0;
  for (const char* text : {"make", "latt", "interbench"})
    seconds += GuessLoadSeconds(*ParseLoad(text));
  EXPECT_LE(seconds, 70);
}

TEST(ParseVariantTest, TellsTunablesFromBootParameters) {
  const absl::StatusOr<v1::Variant> got = ParseVariant(
      "debian-6.12-hz1000 kernel.sched_autogroup_enabled=0 nohz=off sched/base_slice_ns=3000000 "
      "threadirqs "
      "boot:rcutree.use_softirq=0 isolcpus=a.b");
  ASSERT_TRUE(got.ok()) << got.status();
  v1::Variant want;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    kernel: "debian-6.12-hz1000"
    boot_parameters: "nohz=off" boot_parameters: "threadirqs"
    boot_parameters: "rcutree.use_softirq=0" boot_parameters: "isolcpus=a.b"
    tunables { name: "kernel.sched_autogroup_enabled" value: "0" }
    tunables { name: "sched/base_slice_ns" value: "3000000" })",
                                                            &want));
  EXPECT_TRUE(MessageDifferencer::Equals(*got, want)) << got->DebugString();
  EXPECT_EQ(PrintVariant(*got),
            "debian-6.12-hz1000 nohz=off threadirqs boot:rcutree.use_softirq=0 isolcpus=a.b "
            "kernel.sched_autogroup_enabled=0 sched/base_slice_ns=3000000");
  const absl::StatusOr<v1::Variant> again = ParseVariant(PrintVariant(*got));
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(MessageDifferencer::Equals(*again, want)) << again->DebugString();
}

TEST(ParseVariantTest, ATunableWithoutAValueIsRefusedWithAHint) {
  EXPECT_EQ(std::string(ParseVariant("debian-6.12 kernel.sched_foo").status().message()),
            "variant debian-6.12: \"kernel.sched_foo\" has no value, want kernel.sched_foo=VALUE "
            "for a tunable, or boot:kernel.sched_foo if it really is a boot parameter");
  EXPECT_FALSE(ParseVariant("debian-6.12 sched/base_slice_ns").ok());
  const absl::StatusOr<v1::Variant> variant = ParseVariant("debian-6.12 boot:a.b quiet");
  ASSERT_TRUE(variant.ok()) << variant.status();
  EXPECT_EQ(variant->boot_parameters(0), "a.b");
  EXPECT_EQ(PrintVariant(*variant), "debian-6.12 boot:a.b quiet");
}

TEST(ParseVariantTest, RefusesNothing) {
  EXPECT_EQ(ParseVariant(" \t").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace shakedown::plan
