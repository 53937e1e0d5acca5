#include "controller/plan/text.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

#include "controller/plan/check_job.h"
#include "controller/plan/estimate.h"
#include "controller/plan/text_activity.h"
#include "controller/plan/text_words.h"

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
        {"interbench benchmarks=custom loads=ring profile=HEAD bench_nice=-5 load_nice=10 realtime "
         "single_cpu custom_percent=30 custom_interval_us=20000 max_file_mib=100",
         "interbench { benchmarks: 'Custom' loads: 'Ring' seconds: 10 profile: 'HEAD' bench_nice: "
         "-5 "
         "load_nice: 10 realtime: true single_cpu: true custom_percent: 30 custom_interval_us: "
         "20000 "
         "max_file_mib: 100 } iterations: 1",
         "interbench benchmarks=Custom loads=Ring profile=HEAD bench_nice=-5 load_nice=10 "
         "custom_percent=30 custom_interval_us=20000 max_file_mib=100 realtime single_cpu"},
        {"make cold jobs=2x tree=linux-6.12 config=defconfig nice=10",
         "make { jobs_per_cpu: 2 cold: true tree: 'linux-6.12' config_target: 'defconfig' } "
         "iterations: 1 nice: 10",
         "make jobs=2x tree=linux-6.12 config=defconfig cold nice=10"},
        {"make jobs=1.5x", "make { jobs_per_cpu: 1.5 } iterations: 1", "make jobs=1.5x"},
        {"latt profile=2009-09-08 jobs=2x",
         "latt { clients: 4 min_sleep_ms: 100 sleep_width_ms: 500 seconds: 15 profile: "
         "'2009-09-08' "
         "make { jobs_per_cpu: 2 } } iterations: 1",
         "latt profile=2009-09-08 jobs=2x"},
        {"launch", "launch { count: 50 pause_ms: 100 } iterations: 1", "launch"},
        {"launch cold count=5 beside=burn:2 pause=1 -- /bin/echo hello",
         "launch { count: 5 pause_ms: 1 cold: true beside { burn_threads: 2 } program: '/bin/echo' "
         "program: 'hello' } iterations: 1",
         "launch count=5 pause=1 beside=burn:2 cold -- /bin/echo hello"},
        {"frames", "frames { fps: 25 seconds: 30 cpu_percent: 30 threads: 1 } iterations: 1",
         "frames"},
        {"frames fps=60 seconds=5 cpu=40 threads=2 beside=make:2x loops_per_ms=9 nice=-3",
         "frames { fps: 60 seconds: 5 cpu_percent: 40 threads: 2 beside { make { jobs_per_cpu: 2 } "
         "} "
         "loops_per_ms: 9 } iterations: 1 nice: -3",
         "frames fps=60 seconds=5 cpu=40 threads=2 beside=make:2x loops_per_ms=9 nice=-3"},
        {"frames beside=command:sleep,10",
         "frames { fps: 25 seconds: 30 cpu_percent: 30 threads: 1 "
         "beside { command { words: 'sleep' words: '10' } } } iterations: 1",
         "frames beside=command:sleep,10"},
        {"command parallel=2 latt -- ./debtree -a 'two words' it\\'s",
         "command { parallel: 2 under_latt: true latt { clients: 4 min_sleep_ms: 100 "
         "sleep_width_ms: "
         "500 } words: './debtree' words: '-a' words: 'two words' words: \"it's\" } iterations: 1",
         "command parallel=2 latt -- ./debtree -a 'two words' 'it'\\''s'"},
        {"command latt=8 -- ''",
         "command { under_latt: true latt { clients: 8 min_sleep_ms: 100 sleep_width_ms: 500 } "
         "words: "
         "'' } iterations: 1",
         "command latt=8 -- ''"},
        {"tool hackbench iterations=3 -- -g 10",
         "tool { tool: 'hackbench' seconds: 10 arguments: '-g' arguments: '10' } iterations: 3",
         "tool hackbench iterations=3 -- -g 10"},
        {"tool sysbench seconds=3", "tool { tool: 'sysbench' seconds: 3 } iterations: 1",
         "tool sysbench seconds=3"},
    }));

TEST(ParseLoadsTest, AListOfJobsIsALoadForEach) {
  const auto texts = [](const char* text) {
    std::vector<std::string> printed;
    const std::vector<v1::Load> loads = ParseLoads(text).value();
    for (const v1::Load& load : loads) printed.push_back(PrintLoad(load));
    return printed;
  };
  EXPECT_THAT(texts("make jobs=1,2,2x cold"),
              testing::ElementsAre("make jobs=1 cold", "make jobs=2 cold", "make jobs=2x cold"));
  EXPECT_THAT(texts("latt jobs=2,4 clients=8"),
              testing::ElementsAre("latt clients=8 jobs=2", "latt clients=8 jobs=4"));
  EXPECT_THAT(texts("make jobs=4"), testing::ElementsAre("make jobs=4"));
  // Behind the dashes it is somebody else's.
  EXPECT_THAT(texts("command -- x jobs=1,2"), testing::ElementsAre("command -- x jobs=1,2"));
  EXPECT_FALSE(ParseLoads("make jobs=1,,2").ok());
}

TEST(LoadFilesTest, FilesAreReadByWhoHasThem) {
  const FileReader files = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path == "gone") return absl::NotFoundError("gone: No such file");
    return "#!" + path;
  };
  const v1::Load script = ParseLoad("command script=./x parallel=2", files).value();
  EXPECT_EQ(script.command().script(), "#!./x");
  EXPECT_EQ(PrintLoad(script), "command parallel=2 'script=(5 bytes)'");
  EXPECT_EQ(ParseLoad("make config=a.config", files)->make().config(), "#!a.config");
  EXPECT_EQ(ParseLoad("make config=tinyconfig", files)->make().config_target(), "tinyconfig");
  EXPECT_EQ(ParseLoad("command script=gone", files).status().code(), absl::StatusCode::kNotFound);
}

TEST(SplitWordsTest, Table) {
  const auto words = [](const char* text) { return SplitWords(text).value(); };
  EXPECT_THAT(words("  a\tb "), testing::ElementsAre("a", "b"));
  EXPECT_THAT(words("a'b c'd"), testing::ElementsAre("ab cd"));
  EXPECT_THAT(words("'' x"), testing::ElementsAre("", "x"));
  EXPECT_THAT(words("a\\ b '\\'"), testing::ElementsAre("a b", "\\"));
  EXPECT_FALSE(SplitWords("a\\").ok());
  const Words hard = {"", " ", "'", "\\", "a'b", "\n", "x\\ 'y'", "plain"};
  EXPECT_EQ(SplitWords(JoinWords(hard)).value(), hard);
}

struct ActivityCase {
  std::string text;
  std::string proto;
  std::string printed;
};
TEST(ParseActivityTest, ReadsAndPrints) {
  for (const auto& [text, proto, printed] : std::vector<ActivityCase>{
           {"audio", "audio: true", "audio"},
           {"video nice=-5 name=film", "video: true nice: -5 name: 'film'",
            "video name=film nice=-5"},
           {"command mpg123 -q x.mp3", "command { words: 'mpg123' words: '-q' words: 'x.mp3' }",
            "command -- mpg123 -q x.mp3"},
           {"command nice=19 -- name=x", "command { words: 'name=x' } nice: 19",
            "command nice=19 -- name=x"},
       }) {
    v1::Activity want;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(proto, &want));
    const absl::StatusOr<v1::Activity> got = ParseActivity(text);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(MessageDifferencer::Equals(*got, want)) << got->DebugString();
    EXPECT_EQ(PrintActivity(*got), printed);
    EXPECT_TRUE(MessageDifferencer::Equals(ParseActivity(printed).value(), want)) << printed;
  }
  for (const char* text : {"", "music", "command", "command nice=3", "command --", "audio loud",
                           "video nice=x", "video name="}) {
    EXPECT_EQ(ParseActivity(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

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
                             {"", "want make, latt, interbench, launch, frames, command or tool"},
                             {"hackbench", "load \"hackbench\": no such load"},
                             {"make -j4",
                              "load make: no option \"-j4\", want name=value with one of "
                              "config, iterations, jobs, nice, targets, tree, warmups; or cold"},
                             {"make jobs=four", "option \"jobs=four\": want a whole number"},
                             {"make jobs=2y", "such as 2x"},
                             {"make jobs=0x", "such as 2x"},
                             {"make jobs=1.5", "want a whole number"},
                             {"make config=./x", "want allnoconfig, defconfig or tinyconfig"},
                             {"make nice=--3", "may have a minus"},
                             {"make nice=", "may have a minus"},
                             {"make cold=1", "no option \"cold=1\""},
                             {"latt cold", "no option \"cold\""},
                             {"interbench nice=3", "no option \"nice=3\""},
                             {"launch beside=burn", "want burn:THREADS"},
                             {"launch beside=burn:x", "want a whole number"},
                             {"frames beside=make:x", "such as 2x"},
                             {"frames -- x", "a load that takes words"},
                             {"command script=x", "want a program behind"},
                             {"tool", "want its name behind it"},
                             {"tool seconds=3", "want its name behind it"},
                             {"latt -- sh -c 'a b", "want a second '"},
                             {"make jobs=-1", "want a whole number"},
                             {"make jobs=0", "want a whole number from 1"},
                             {"latt clients=0", "want a whole number from 1"},
                             {"latt width=0", "want a whole number from 1"},
                             {"interbench seconds=0", "want a whole number from 1"},
                             {"launch count=0", "want a whole number from 1"},
                             {"launch beside=burn:0", "want a whole number from 1"},
                             {"frames fps=0", "want a whole number from 1"},
                             {"command parallel=0 -- true", "want a whole number from 1"},
                             {"command latt=0 -- true", "want a whole number from 1"},
                             {"tool hackbench seconds=0", "want a whole number from 1"},
                             {"make iterations=0", "want a whole number from 1"},
                             {"make jobs=", "want a whole number"},
                             {"make jobs=5000000000", "want a whole number"},
                             {"make clients=4", "no option \"clients=4\""},
                             {"make targets=a,,b", "want names parted by single commas"},
                             {"latt --", "a word after it"},
                             {"make -- x", "wants a load that takes words"},
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

TEST(VariantTextTest, SchedExtProgramStandsAtTheEnd) {
  const std::string text =
      "debian-6.12 nohz=off kernel.x=1 scx:simple -- /usr/bin/scx_simple -f a=b";
  const absl::StatusOr<v1::Variant> variant = ParseVariant(text);
  ASSERT_TRUE(variant.ok()) << variant.status();
  EXPECT_EQ(variant->sched_ext().ops(), "simple");
  ASSERT_EQ(variant->sched_ext().command_size(), 3);
  EXPECT_EQ(variant->boot_parameters_size(), 1);
  EXPECT_EQ(PrintVariant(*variant), text);
  EXPECT_EQ(PrintVariant(*ParseVariant("k -- scx_simple")), "k -- scx_simple");
  EXPECT_FALSE(ParseVariant("k --").ok());
  EXPECT_FALSE(ParseVariant("k scx:simple").ok());
  EXPECT_FALSE(ParseVariant("k")->has_sched_ext());
  v1::Variant odd;
  odd.set_kernel("k");
  odd.add_boot_parameters("scx:x");
  odd.add_boot_parameters("--");
  EXPECT_EQ(ParseVariant(PrintVariant(odd))->boot_parameters_size(), 2);
}

}  // namespace
}  // namespace shakedown::plan
