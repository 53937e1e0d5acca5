#include "controller/plan/reproduce.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "proto/wire/subprocess.h"

namespace shakedown::plan {
namespace {

using testing::HasSubstr;
using testing::Not;

BootToRepeat ABoot() {
  BootToRepeat boot;
  boot.job = 17;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    title: "HZ and wake-up latency"
    loads { make { jobs: 4 targets: "kernel/sched/" } iterations: 2 warmups: 1 }
    loads { latt { clients: 8 seconds: 20 } }
    loads { latt { clients: 2 command: "sh" command: "-c" command: "echo it's; sleep 3" } }
    loads { interbench { benchmarks: "Video" loads: "Burn" seconds: 10 bench_nice: -5 profile: "0.31" } }
    loads { command { words: "tar" words: "xf" words: "a b.tar" } nice: 5 iterations: 1 }
    loads { tool { tool: "cyclictest" arguments: "-p80" seconds: 7 } iterations: 1 }
    loads { frames { fps: 60 seconds: 30 cpu_percent: 30 threads: 1 } iterations: 1 }
    loads { make { cold: true jobs_per_cpu: 1.5 } }
    setup { stop_service: "cron" }
    setup { governor: "performance" }
    setup { turbo: false }
    setup { autogroup: false }
    setup { tunable { name: "kernel.sched_rt_runtime_us" value: "-1" } }
    setup { tunable { name: "sched/features" value: "NO_HRTICK" } }
    setup { settle { max_load: 0.5 seconds: 5 } }
    setup { drop_caches: true }
    setup { require_ac: true }
    background { command { words: "mpg123" words: "-q" words: "a.mp3" } nice: -2 }
    background { audio: true })",
                                                            &boot.spec));
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    kernel: "debian-6.12" boot_parameters: "nohz=off"
    tunables { name: "kernel.sched_autogroup_enabled" value: "1" }
    sched_ext { command: "scx_simple" command: "-f" ops: "simple" })",
                                                            &boot.variant));
  boot.kernel.set_name("debian-6.12");
  boot.kernel.set_description("Debian's kernel\nwith two lines");
  boot.build.set_build_key(std::string(64, 'a'));
  boot.build.set_source_version("linux-source-6.12 6.12.57-1");
  boot.config.set_sha256(std::string(64, 'c'));
  boot.expected.set_release("6.12.57");
  boot.boot.set_name("17.3B");
  boot.boot.set_machine("vm1");
  boot.boot.set_state(v1::WORK_STATE_ENDED);
  boot.boot.set_outcome(v1::OUTCOME_MEASURED);
  return boot;
}

// OK when sh takes the text for a script.
absl::Status Syntax(const std::string& script, std::vector<std::string> argv = {"sh", "-n"}) {
  Command command;
  command.argv = std::move(argv);
  command.input = script;
  return RunForOutput(command).status();
}

TEST(ReproduceTest, HoldsEveryStepOfTheBoot) {
  const std::string script = ReproduceScript(ABoot());
  EXPECT_EQ(Syntax(script), absl::OkStatus());
  for (const char* text :
       {"#!/bin/sh\n# Repeats boot 17.3B by hand: it was measured\n",
        "# build key: aaaa",
        "# config, sha256: cccc",
        "# source: linux-source-6.12 6.12.57-1",
        "[ \"$(uname -r)\" = 6.12.57 ] || fail",
        "check_parameter 'nohz=off'\n",
        "set_file /proc/sys/kernel/sched_autogroup_enabled 1\n",
        "stop_service cron\n",
        "set_governor performance\n",
        "set_turbo 0\n",
        "set_file /proc/sys/kernel/sched_autogroup_enabled 0\n",
        "set_file /proc/sys/kernel/sched_rt_runtime_us -1\n",
        "set_feature NO_HRTICK\n",
        "  settle 0.5 0 5 120\n",
        "  drop_caches\n",
        "require_ac\n",
        "start_scheduler simple scx_simple -f\n",
        "\"$RUNNER\" make -C \"$TREE\" -j4 --iterations 2 --warmups 1 kernel/sched/\n",
        "\"$RUNNER\" latt -c 8 -s 100 -S 500 -x 0 --seconds 20 -- make -C \"$TREE\" ",
        " -- sh -c 'echo it'\\''s; sleep 3'\n",
        "\"$RUNNER\" interbench -t 10 -B -5 -W Video -w Burn --profile 0.31\n",
        "# the original: interbench -t 10 -B -5 -W Video -w Burn\n",
        "\"$RUNNER\" command 'nice=5' -- tar xf 'a b.tar'\n",
        "# the original: nice -n 5 time -p tar xf 'a b.tar'\n",
        "\"$RUNNER\" tool cyclictest 'seconds=7' -- -p80\n",
        "# the original: cyclictest -q -D 7 -p80\n",
        "\n\"$RUNNER\" frames 'fps=60'\n",
        " --cold $targets\n",
        "nice -n -2 mpg123 -q a.mp3 > /dev/null 2>&1 & background=\"$background $!\"",
        "not_repeated 'background audio'"}) {
    EXPECT_THAT(script, HasSubstr(text));
  }
}

TEST(ReproduceTest, HostileTextLeavesNeitherQuotesNorComments) {
  const std::string marker = testing::TempDir() + "/reproduce-was-here";
  std::filesystem::remove(marker);
  const std::string evil = absl::StrCat("'\n\"; touch ", marker, "; $(touch ", marker, ") `touch ",
                                        marker, "` \\\n#\r\n& \x1b[2J\xff '\\''");
  BootToRepeat boot = ABoot();
  boot.spec.set_title(evil);
  boot.boot.set_name(evil);
  boot.boot.set_reason(evil);
  boot.boot.set_machine(evil);
  boot.kernel.set_name(evil);
  boot.kernel.set_note(evil);
  boot.kernel.add_boot_parameters(evil);
  boot.expected.set_release(evil);
  boot.build.set_source_version(evil);
  boot.variant.add_boot_parameters(evil);
  boot.variant.mutable_tunables(0)->set_name(evil);
  boot.variant.mutable_tunables(0)->set_value(evil);
  boot.variant.mutable_sched_ext()->set_ops(evil);
  boot.variant.mutable_sched_ext()->set_command(0, evil);
  boot.result.mutable_identity()->set_command_line(evil);
  for (int i = 0; i < boot.spec.setup_size(); ++i) {
    v1::SetupRecord* record = boot.result.add_setup();
    record->set_before(evil);
    record->set_undo(evil);
  }
  boot.spec.mutable_setup(0)->set_stop_service(evil);
  boot.spec.mutable_setup(1)->set_governor(evil);
  boot.spec.mutable_setup(5)->mutable_tunable()->set_value(evil);
  boot.spec.mutable_loads(0)->mutable_make()->set_targets(0, evil);
  boot.spec.mutable_loads(0)->mutable_make()->set_tree(evil);
  boot.spec.mutable_loads(2)->mutable_latt()->set_command(2, evil);
  boot.spec.mutable_loads(3)->mutable_interbench()->set_benchmarks(0, evil);
  boot.spec.mutable_loads(3)->mutable_interbench()->set_profile(evil);
  boot.spec.mutable_loads(4)->mutable_command()->set_script(evil);
  boot.spec.mutable_loads(5)->mutable_tool()->set_tool(evil);
  boot.spec.mutable_loads(5)->mutable_tool()->set_arguments(0, evil);
  boot.spec.mutable_background(0)->mutable_command()->set_words(0, evil);
  const std::string script = ReproduceScript(boot);
  EXPECT_EQ(Syntax(script), absl::OkStatus());
  // It stops at the release that no machine has, after every text before that was read.
  EXPECT_FALSE(Syntax(script, {"sh"}).ok());
  // Its steps run with functions that do nothing: only a text that broke out could do something.
  std::string tame = script;
  const size_t steps = tame.find("# Is this the kernel?");
  ASSERT_NE(steps, std::string::npos);
  const std::string nothing =
      "fail() { :; }\ncheck_parameter() { :; }\nset_file() { :; }\nset_feature() { :; }\n"
      "stop_service() { :; }\nset_governor() { :; }\nset_turbo() { :; }\nrequire_ac() { :; }\n"
      "start_scheduler() { :; }\nsettle() { :; }\ndrop_caches() { :; }\nnot_repeated() { :; }\n"
      "stop_background() { :; }\nmake() { :; }\nnice() { :; }\ncyclictest() { :; }\n"
      "sleep() { :; }\nsaved=/nonexistent\nRUNNER=true\nTREE=/nonexistent\nbackground=\n";
  Syntax(nothing + tame.substr(steps), {"sh"}).IgnoreError();
  EXPECT_FALSE(std::filesystem::exists(marker));
}

TEST(ReproduceTest, ABootThatHasNotRunYet) {
  BootToRepeat boot = ABoot();
  boot.boot.clear_outcome();
  boot.boot.set_state(v1::WORK_STATE_QUEUED);
  boot.boot.clear_machine();
  boot.expected.Clear();
  const std::string script = ReproduceScript(boot);
  EXPECT_EQ(Syntax(script), absl::OkStatus());
  EXPECT_THAT(script, HasSubstr("it has not ended"));
  EXPECT_THAT(script, Not(HasSubstr("uname")));
}

TEST(ReproduceTest, ShellcheckHasNothingToSay) {
  const absl::Status status = Syntax(ReproduceScript(ABoot()), {"shellcheck", "--shell=sh", "-"});
  if (absl::IsNotFound(status)) GTEST_SKIP() << "shellcheck is not installed";
  EXPECT_EQ(status, absl::OkStatus());
}

}  // namespace
}  // namespace shakedown::plan
