#include "controller/plan/check_job.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/plan/text.h"

namespace shakedown::plan {
namespace {

using ::testing::HasSubstr;

Kernels Catalog() {
  Kernels kernels;
  kernels["debian-6.1"].set_name("debian-6.1");
  kernels["debian-6.12"].set_name("debian-6.12");
  kernels["cfs-v6"].set_unbuildable("needs gcc 3.4: no such toolchain");
  return kernels;
}

v1::JobSpec GoodJob() {
  v1::JobSpec spec;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    title: "CFS against EEVDF"
    variants { kernel: "debian-6.1" }
    variants {
      kernel: "debian-6.12" boot_parameters: "nohz=off"
      tunables { name: "kernel.sched_autogroup_enabled" value: "0" }
      tunables { name: "sched/base_slice_ns" value: "3000000" }
    }
    loads { make { targets: "kernel/sched/" targets: "vmlinux" } }
    loads { latt { clients: 4 command: "sh" command: "-c" command: "burn 3" } }
    loads { interbench { benchmarks: "X" loads: "Burn" seconds: 10 } }
    machines { names: "vm1" tags: "tcg" }
    blocks: 2)",
                                                            &spec));
  return spec;
}

TEST(CheckJobTest, AcceptsAGoodJob) { EXPECT_EQ(CheckJob(GoodJob(), Catalog()), absl::OkStatus()); }

TEST(CheckJobTest, AcceptsEveryKindOfLoadAndActivity) {
  v1::JobSpec spec = GoodJob();
  ASSERT_TRUE(google::protobuf::TextFormat::MergeFromString(R"(
    loads { launch { cold: true beside { make {} } } nice: -5 }
    loads { frames { fps: 60 threads: 4 cpu_percent: 400 beside { burn_threads: 2 } } }
    loads { command { script: "#!/bin/sh\ntrue\n" parallel: 64 under_latt: true latt { clients: 8 } } }
    loads { tool { tool: "hackbench" arguments: "-g" arguments: "10" } }
    loads { make { tree: "linux-6.12" config_target: "tinyconfig" jobs_per_cpu: 1.5 cold: true } }
    background { audio: true } background { video: true nice: 19 name: "film" }
    background { command { words: "sleep" words: "1000" } })",
                                                            &spec));
  EXPECT_EQ(CheckJob(spec, Catalog()), absl::OkStatus());
}

TEST(CheckJobTest, AcceptsAAgainstA) {
  v1::JobSpec spec = GoodJob();
  *spec.mutable_variants(1) = spec.variants(0);
  EXPECT_EQ(CheckJob(spec, Catalog()), absl::OkStatus());
}

TEST(CheckJobTest, AcceptsTheLimits) {
  v1::JobSpec spec = GoodJob();
  while (spec.variants_size() < 26) *spec.add_variants() = spec.variants(0);
  while (spec.loads_size() < 32) *spec.add_loads() = spec.loads(0);
  spec.set_blocks(1000);
  spec.set_max_attempts(10);
  spec.set_title(std::string(196, 'x') + "\xf0\x9f\x90\xa7");
  spec.mutable_variants(0)->add_boot_parameters(std::string(256, 'p'));
  EXPECT_EQ(CheckJob(spec, Catalog()), absl::OkStatus());
}

struct BadCase {
  std::string name;
  std::function<void(v1::JobSpec&)> spoil;
  std::string want;  // Part of the message: object, value, what is wanted.
};

class CheckJobBadTest : public testing::TestWithParam<BadCase> {};

TEST_P(CheckJobBadTest, NamesObjectValueAndWanted) {
  v1::JobSpec spec = GoodJob();
  GetParam().spoil(spec);
  const absl::Status status = CheckJob(spec, Catalog());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().want));
  EXPECT_EQ(std::string(status.message()).find('\n'), std::string::npos);
}

v1::Variant& B(v1::JobSpec& spec) { return *spec.mutable_variants(1); }

INSTANTIATE_TEST_SUITE_P(
    , CheckJobBadTest,
    testing::ValuesIn<BadCase>({
        {"NoBlocks", [](auto& s) { s.set_blocks(0); }, "blocks 0: want 1 to 1000"},
        {"AMillionBlocks", [](auto& s) { s.set_blocks(1000000); },
         "blocks 1000000: want 1 to 1000"},
        {"QuickWithBlocks", [](auto& s) { s.set_stopping(v1::STOPPING_RULE_QUICK); },
         "blocks 2: STOPPING_RULE_QUICK knows its number, want 0"},
        {"LooksWithBlocks", [](auto& s) { s.set_stopping(v1::STOPPING_RULE_LOOKS); },
         "blocks 2: STOPPING_RULE_LOOKS knows"},
        {"UnknownRule", [](auto& s) { s.set_stopping(static_cast<v1::StoppingRule>(9)); },
         "stopping 9: want one of StoppingRule"},
        {"HugeBudget", [](auto& s) { s.set_budget_s(~0ull); },
         "budget_s 18446744073709551615: want 0 to 31536000"},
        {"FourPrimaries",
         [](auto& s) {
           for (const char* m : {"make.real", "make.user", "make.sys", "make.idle"}) {
             s.add_primary_metrics(m);
           }
         },
         "number of primary metrics 4: want 0 to 3"},
        {"PrimaryTwice",
         [](auto& s) {
           for (int i = 0; i < 2; ++i) s.add_primary_metrics("make.real");
         },
         "primary metric \"make.real\": named twice"},
        {"PrimaryIsNoName", [](auto& s) { s.add_primary_metrics("make real"); },
         "primary metric \"make real\": want a metric's name such as make.real"},
        {"PrimaryWithControls", [](auto& s) { s.add_primary_metrics("make.\n"); },
         "primary metric \"make.\\n\""},
        {"PrimaryForInformation", [](auto& s) { s.add_primary_metrics("latt.entries"); },
         "primary metric \"latt.entries\": is for information"},
        {"AControlOfOnesOwn", [](auto& s) { B(s).set_control(true); },
         "variant B: control: the farm adds it by itself"},
        {"NoLetterForTheControl",
         [](auto& s) {
           s.set_control(true);
           while (s.variants_size() < 26) *s.add_variants() = s.variants(0);
         },
         "number of variants of a job with a control 26: want 2 to 25"},
        {"OneVariant", [](auto& s) { s.mutable_variants()->RemoveLast(); },
         "number of variants 1: want 2 to 26"},
        {"TwentySevenVariants",
         [](auto& s) {
           while (s.variants_size() < 27) s.add_variants()->set_kernel("debian-6.1");
         },
         "number of variants 27: want 2 to 26"},
        {"NoLoad", [](auto& s) { s.clear_loads(); }, "number of loads 0: want 1 to 32"},
        {"ManyAttempts", [](auto& s) { s.set_max_attempts(11); }, "max_attempts 11: want 0 to 10"},
        {"HugeSeed", [](auto& s) { s.set_order_seed(~0ull); },
         "order_seed 18446744073709551615: want"},
        {"UnknownKernel", [](auto& s) { B(s).set_kernel("debian-7.0"); },
         "variant B: kernel \"debian-7.0\": not in the catalog"},
        {"KernelWithASlash", [](auto& s) { B(s).set_kernel("../etc"); }, "\"../etc\""},
        {"KernelOf300", [](auto& s) { B(s).set_kernel(std::string(300, 'k')); },
         "variant B: kernel"},
        {"KernelWithEmoji", [](auto& s) { B(s).set_kernel("\xf0\x9f\x90\xa7"); },
         "variant B: kernel \"\\xf0\\x9f"},
        {"Unbuildable", [](auto& s) { B(s).set_kernel("cfs-v6"); },
         "can not be built here: needs gcc 3.4"},
        {"LongTitle", [](auto& s) { s.set_title(std::string(201, 't')); },
         "(201 bytes): want at most 200"},
        {"TitleWithNewline", [](auto& s) { s.set_title("a\nb"); }, "title \"a\\nb\""},
        {"TitleNotUtf8", [](auto& s) { s.set_title("\xc0\x80"); }, "title \"\\xc0\\x80\""},
        {"TitleSurrogate", [](auto& s) { s.set_title("\xed\xa0\x80"); }, "title"},
        {"TitleC1", [](auto& s) { s.set_title("\xc2\x9b"); }, "without control characters"},
        {"TitleTurnsText", [](auto& s) { s.set_title("\xe2\x80\xae"); },
         "without control characters"},
        {"BootParameterWithBlank", [](auto& s) { B(s).add_boot_parameters("a b"); },
         "variant B: boot parameter \"a b\": want 1 to 256"},
        {"BootParameterWithQuote", [](auto& s) { B(s).add_boot_parameters("a=\"b\""); },
         "without blanks"},
        {"BootParameterEmpty", [](auto& s) { B(s).add_boot_parameters(""); },
         "boot parameter \"\""},
        {"BootParameterLong", [](auto& s) { B(s).add_boot_parameters(std::string(257, 'a')); },
         "want 1 to 256"},
        {"BootParameterDashes", [](auto& s) { B(s).add_boot_parameters("--"); },
         "ends the kernel's parameters"},
        {"TunableWithPath", [](auto& s) { B(s).mutable_tunables(1)->set_name("sched/../x"); },
         "tunable \"sched/../x\": want a sysctl"},
        {"TunableAbsolute", [](auto& s) { B(s).mutable_tunables(1)->set_name("/proc/x"); },
         "tunable \"/proc/x\""},
        {"TunableBare", [](auto& s) { B(s).mutable_tunables(1)->set_name("swappiness"); },
         "tunable \"swappiness\""},
        {"TunableDots", [](auto& s) { B(s).mutable_tunables(0)->set_name("kernel..x"); },
         "\"kernel..x\""},
        {"TunableEmptyValue", [](auto& s) { B(s).mutable_tunables(0)->clear_value(); },
         "tunable \"kernel.sched_autogroup_enabled\" value \"\": want"},
        {"TunableTwice", [](auto& s) { *B(s).add_tunables() = B(s).tunables(0); }, "set twice"},
        {"LoadWithoutKind", [](auto& s) { s.add_loads(); }, "load 4 names no load: want make"},
        {"Iterations", [](auto& s) { s.mutable_loads(0)->set_iterations(101); },
         "load 1: iterations 101: want 0 to 100"},
        {"Warmups", [](auto& s) { s.mutable_loads(0)->set_warmups(11); }, "load 1: warmups 11"},
        {"MakeVariable",
         [](auto& s) { s.mutable_loads(0)->mutable_make()->add_targets("CC=evil"); },
         "load 1: make: target \"CC=evil\""},
        {"MakeOption",
         [](auto& s) { s.mutable_loads(0)->mutable_make()->add_targets("-f/etc/passwd"); },
         "target \"-f/etc/passwd\""},
        {"Clients", [](auto& s) { s.mutable_loads(1)->mutable_latt()->set_clients(513); },
         "load 2: latt: clients 513: want 0 to 512"},
        {"CommandAndMake", [](auto& s) { s.mutable_loads(1)->mutable_latt()->mutable_make(); },
         "want one of the two"},
        {"Benchmark",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->add_benchmarks("Server"); },
         "load 3: interbench: benchmark \"Server\": want one of Audio, Video, X, Gaming"},
        {"BackgroundLoad",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->add_loads("Hack"); },
         "background load \"Hack\": want one of None"},
        {"OnlyItself", [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_loads(0, "X"); },
         "under itself alone"},
        {"CustomHalf",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_custom_percent(20); },
         "custom_interval_us 0: want 100 to 10000000"},
        {"CustomUndescribed",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->add_loads("Custom"); },
         "custom_percent 0: want 1 to 100"},
        {"InterbenchProfile",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_profile("0.30"); },
         "profile \"0.30\": want HEAD or 0.31"},
        {"RingIn031",
         [](auto& s) {
           s.mutable_loads(2)->mutable_interbench()->set_profile("0.31");
           s.mutable_loads(2)->mutable_interbench()->add_loads("Ring");
         },
         "profile 0.31 has none"},
        {"RealtimeX", [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_realtime(true); },
         "benchmark \"X\": never measured in real time"},
        {"InterbenchNice",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_bench_nice(-21); },
         "bench_nice -21: want -20 to 19"},
        {"NiceOfAll", [](auto& s) { s.mutable_loads(2)->set_nice(5); },
         "interbench: nice 5: want bench_nice and load_nice"},
        {"HugeFiles",
         [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_max_file_mib(1 << 21); },
         "max_file_mib 2097152"},
        {"FewLoops", [](auto& s) { s.mutable_loads(2)->mutable_interbench()->set_loops_per_ms(5); },
         "loops_per_ms 5: want 1000"},
        {"DaysOfInterbench",
         [](auto& s) {
           s.mutable_loads(2)->mutable_interbench()->set_seconds(600);
           s.mutable_loads(2)->set_iterations(100);
         },
         "seconds of all pairs and iterations 60300: want 1 to 43200"},
        {"LattProfile", [](auto& s) { s.mutable_loads(1)->mutable_latt()->set_profile("0.2"); },
         "latt: profile \"0.2\": want 0.1 or 2009-09-08"},
        {"OldLattWorks",
         [](auto& s) {
           s.mutable_loads(1)->mutable_latt()->set_profile("2009-09-08");
           s.mutable_loads(1)->mutable_latt()->set_work_kib(64);
         },
         "work_kib 64 in profile 2009-09-08: want 0"},
        {"Nice", [](auto& s) { s.mutable_loads(0)->set_nice(20); },
         "load 1: nice 20: want -20 to 19"},
        {"MakeJobsTwice",
         [](auto& s) {
           s.mutable_loads(0)->mutable_make()->set_jobs(2);
           s.mutable_loads(0)->mutable_make()->set_jobs_per_cpu(2);
         },
         "load 1: make: jobs and jobs_per_cpu: want one of the two"},
        {"MakeJobsOfNoNumber",
         [](auto& s) { s.mutable_loads(0)->mutable_make()->set_jobs_per_cpu(std::nan("")); },
         "jobs_per_cpu nan: want 0 to 64"},
        {"MakeTree", [](auto& s) { s.mutable_loads(0)->mutable_make()->set_tree("../x"); },
         "load 1: make: tree \"../x\""},
        {"MakeConfigTarget",
         [](auto& s) { s.mutable_loads(0)->mutable_make()->set_config_target("mrproper"); },
         "config_target \"mrproper\": want allnoconfig"},
        {"MakeConfigLong",
         [](auto& s) {
           s.mutable_loads(0)->mutable_make()->set_config(std::string((1 << 20) + 1, '#'));
         },
         "bytes of config 1048577"},
        {"LaunchCount", [](auto& s) { s.add_loads()->mutable_launch()->set_count(10001); },
         "load 4: launch: count 10001: want 0 to 10000"},
        {"LaunchBeside",
         [](auto& s) { s.add_loads()->mutable_launch()->mutable_beside()->set_burn_threads(0); },
         "load 4: launch: beside: burn_threads 0: want 1 to 1024"},
        {"FramesFps", [](auto& s) { s.add_loads()->mutable_frames()->set_fps(24); },
         "load 4: frames: fps 24: want 25, 30 or 60"},
        {"FramesTooMuch", [](auto& s) { s.add_loads()->mutable_frames()->set_cpu_percent(101); },
         "cpu_percent 101: want 0 to 100"},
        {"FramesBesideCommand",
         [](auto& s) { s.add_loads()->mutable_frames()->mutable_beside()->mutable_command(); },
         "frames: beside: number of command words 0: want 1 to 64"},
        {"CommandOfNothing", [](auto& s) { s.add_loads()->mutable_command(); },
         "load 4: command: neither words and script"},
        {"CommandTwice",
         [](auto& s) {
           s.add_loads()->mutable_command()->add_words("true");
           s.mutable_loads(3)->mutable_command()->set_script("#!/bin/sh");
         },
         "load 4: command: both words and script"},
        {"ScriptWithoutInterpreter",
         [](auto& s) { s.add_loads()->mutable_command()->set_script("echo"); },
         "script \"echo\": want \"#!\""},
        {"ScriptLong",
         [](auto& s) {
           s.add_loads()->mutable_command()->set_script("#!" + std::string(65536, 'x'));
         },
         "bytes of script 65538"},
        {"CommandLattCommand",
         [](auto& s) {
           s.add_loads()->mutable_command()->add_words("true");
           s.mutable_loads(3)->mutable_command()->mutable_latt()->add_command("false");
         },
         "latt: a command of its own"},
        {"ToolUnknown", [](auto& s) { s.add_loads()->mutable_tool()->set_tool("sh"); },
         "load 4: tool \"sh\": want one of hackbench, cyclictest"},
        {"ToolWords",
         [](auto& s) {
           s.add_loads()->mutable_tool()->set_tool("hackbench");
           s.mutable_loads(3)->mutable_tool()->add_arguments("a\nb");
         },
         "command word \"a\\nb\""},
        {"StressNgOfNothing", [](auto& s) { s.add_loads()->mutable_tool()->set_tool("stress-ng"); },
         "stress-ng without arguments"},
        {"ActivityOfNothing", [](auto& s) { s.add_background(); },
         "background activity 1 is nothing: want audio, video or command"},
        {"ActivityNice",
         [](auto& s) {
           s.add_background()->set_audio(true);
           s.mutable_background(0)->set_nice(-21);
         },
         "background activity 1: nice -21"},
        {"ActivityTwice",
         [](auto& s) {
           for (int i = 0; i < 2; ++i) {
             s.add_background()->set_audio(true);
             s.mutable_background(i)->set_name("music");
           }
         },
         "background activity 2: name \"music\": named twice"},
        {"ActivityName",
         [](auto& s) {
           s.add_background()->set_video(true);
           s.mutable_background(0)->set_name("A film");
         },
         "background activity 1: name"},
        {"ActivityCommand", [](auto& s) { s.add_background()->mutable_command(); },
         "background activity 1: number of command words 0: want 1 to 64"},
        {"MachineName", [](auto& s) { s.mutable_machines()->add_names("my laptop"); },
         "\"my laptop\""},
        {"MachineTag", [](auto& s) { s.mutable_machines()->add_tags(""); }, "machine tag"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckJobTest, SaysEverythingAtOnce) {
  v1::JobSpec spec = GoodJob();
  spec.set_blocks(0);
  B(spec).set_kernel("nope");
  const std::string message(CheckJob(spec, Catalog()).message());
  EXPECT_THAT(message, HasSubstr("blocks 0"));
  EXPECT_THAT(message, HasSubstr("; variant B: kernel \"nope\""));
}

TEST(CheckJobTest, AMessageStaysBounded) {
  v1::JobSpec spec = GoodJob();
  for (int i = 0; i < 1000; ++i) B(spec).add_boot_parameters(std::string(10000, ' '));
  const std::string message(CheckJob(spec, Catalog()).message());
  EXPECT_LT(message.size(), 8000u);
  EXPECT_THAT(message, HasSubstr("errors more"));
}

TEST(WithDefaultsTest, SaysEverything) {
  v1::JobSpec spec;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    variants { kernel: "a" } variants { kernel: "b" }
    loads { make {} } loads { latt {} } loads { interbench { seconds: 11 } } blocks: 1)",
                                                            &spec));
  v1::JobSpec want;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    title: "a against b"
    variants { kernel: "a" } variants { kernel: "b" }
    loads { make {} iterations: 1 }
    loads { latt { clients: 4 min_sleep_ms: 100 sleep_width_ms: 500 make {} } iterations: 1 }
    loads { interbench { benchmarks: "Video" benchmarks: "X" loads: "Burn" seconds: 20 } iterations: 1 }
    blocks: 1 max_attempts: 3
    stopping: STOPPING_RULE_FIXED)",
                                                            &want));
  const v1::JobSpec got = WithDefaults(spec);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(got, want)) << got.DebugString();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(WithDefaults(got), got));
}

TEST(WithDefaultsTest, KeepsWhatIsSaid) {
  v1::JobSpec spec = GoodJob();
  spec.set_max_attempts(1);
  spec.mutable_loads(0)->set_iterations(5);
  const v1::JobSpec got = WithDefaults(spec);
  EXPECT_EQ(got.title(), "CFS against EEVDF");
  EXPECT_EQ(got.max_attempts(), 1u);
  EXPECT_EQ(got.loads(0).iterations(), 5u);
  EXPECT_FALSE(got.loads(1).latt().has_make());
}

TEST(CheckJobTest, APrimaryMetricIsOneThatTheLoadsMeasure) {
  const auto wrong = [](const char* load, const char* primary, v1::StoppingRule rule) {
    v1::JobSpec spec = GoodJob();
    spec.clear_loads();
    *spec.add_loads() = *ParseLoad(load);
    if (rule != v1::STOPPING_RULE_FIXED) spec.set_blocks(0);
    spec.set_stopping(rule);
    if (*primary != 0) spec.add_primary_metrics(primary);
    return std::string(CheckJob(spec, Catalog()).message());
  };
  constexpr auto kFixed = v1::STOPPING_RULE_FIXED, kLooks = v1::STOPPING_RULE_LOOKS;
  EXPECT_EQ(wrong("launch", "launch.warm.avg", kLooks), "");
  EXPECT_EQ(wrong("command latt -- true", "latt.wakeup.avg", kFixed), "");
  EXPECT_EQ(wrong("tool perf-pipe", "perf-pipe.op", kFixed), "");
  EXPECT_THAT(wrong("launch", "launch.warm.agv", kFixed),
              HasSubstr("primary metric \"launch.warm.agv\": no such metric, want one such as "
                        "launch.*.avg"));
  EXPECT_THAT(wrong("latt", "make.real", kFixed),
              HasSubstr("\"make.real\": no load of the job measures it; they measure latt.*"));
  EXPECT_THAT(wrong("frames", "", kLooks), HasSubstr("looks: no load of the job has a primary"));
  EXPECT_EQ(wrong("frames", "", kFixed), "");
}

TEST(CheckJobTest, AcceptsEachStoppingRule) {
  for (const auto rule : {v1::STOPPING_RULE_QUICK, v1::STOPPING_RULE_LOOKS}) {
    v1::JobSpec spec = GoodJob();
    spec.set_blocks(0);
    spec.set_stopping(rule);
    spec.set_budget_s(4 * 3600);
    spec.set_control(true);
    spec.add_primary_metrics("make.real");
    spec.add_primary_metrics("latt.wakeup.p99.9");
    spec.add_primary_metrics("interbench.video.burn.latency.max");
    EXPECT_EQ(CheckJob(spec, Catalog()), absl::OkStatus());
  }
}

TEST(WithDefaultsTest, AControlIsAOnceMore) {
  v1::JobSpec spec = GoodJob();
  spec.mutable_variants(0)->add_boot_parameters("nosmt");
  spec.set_control(true);
  const v1::JobSpec whole = WithDefaults(spec);
  ASSERT_EQ(whole.variants_size(), 3);
  EXPECT_TRUE(whole.variants(2).control());
  EXPECT_EQ(whole.variants(2).boot_parameters(0), "nosmt");
  EXPECT_FALSE(whole.variants(0).control());
  EXPECT_EQ(whole.title(), "CFS against EEVDF");
  EXPECT_EQ(WithDefaults(whole).variants_size(), 3) << "once";
  EXPECT_EQ(whole.stopping(), v1::STOPPING_RULE_FIXED);
}

}  // namespace
}  // namespace shakedown::plan
