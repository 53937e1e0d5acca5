#include "agent/runner/cli.h"

#include <cmath>
#include <string>
#include <vector>

#include "agent/runner/json.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

using Words = std::vector<std::string>;

TEST(ParseLoadCommandLineTest, Latt) {
  for (const Words& words : {Words{"latt", "-c8", "-x", "0", "--", "make", "-j4"},
                             Words{"latt", "-c", "8", "-x0", "make", "-j4"}}) {
    const LoadCommandLine line = ParseLoadCommandLine(words).value();
    const v1::LattLoad& latt = line.load.latt();
    EXPECT_EQ(latt.clients(), 8u);
    EXPECT_EQ(latt.work_kib(), 0u);
    EXPECT_EQ(Words(latt.command().begin(), latt.command().end()), (Words{"make", "-j4"}));
  }
  const v1::LattLoad shell = ParseLoadCommandLine({"latt", "make -j4"}).value().load.latt();
  EXPECT_EQ(shell.clients(), 1u);
  EXPECT_EQ(shell.work_kib(), 64u);
  EXPECT_EQ(Words(shell.command().begin(), shell.command().end()), (Words{"sh", "-c", "make -j4"}));
}

TEST(ParseLoadCommandLineTest, Make) {
  const LoadCommandLine line =
      ParseLoadCommandLine({"make", "-j4", "-C", "/src", "--warmups=1", "--json", "kernel/", "a.o"})
          .value();
  EXPECT_EQ(line.load.make().jobs(), 4u);
  EXPECT_EQ(line.tree, "/src");
  EXPECT_EQ(line.load.warmups(), 1u);
  EXPECT_TRUE(line.json);
  EXPECT_EQ(line.load.make().targets_size(), 2);
}

TEST(ParseLoadCommandLineTest, LattAnswersAsTheOriginal) {
  EXPECT_EQ(ParseLoadCommandLine({"latt", "-V"}).value().answer->output, "latt-0.1\n");
  const LoadCommandLine none = ParseLoadCommandLine({"latt", "-c8"}).value();
  EXPECT_EQ(none.answer->error, "latt-0.1: [options] 'app'\n");
  EXPECT_EQ(none.answer->code, 1);
  EXPECT_NE(ParseLoadCommandLine({"latt", "-h"}).value().answer->output, "");
  const LoadCommandLine many = ParseLoadCommandLine({"latt", "-c600", "make"}).value();
  EXPECT_EQ(many.load.latt().clients(), 512u);
  ASSERT_EQ(many.notices.size(), 1u);
  const LoadCommandLine old = ParseLoadCommandLine({"latt", "--profile=2009-09-08", "a"}).value();
  EXPECT_EQ(old.load.latt().work_kib(), 0u);
  EXPECT_EQ(old.load.latt().profile(), "2009-09-08");
  EXPECT_TRUE(ParseLoadCommandLine({"latt", "-v", "a"}).value().verbose);
}

// 0 would stand for the farm's default, which is another number.
TEST(ParseLoadCommandLineTest, LattTakesNoZeroButForItsWork) {
  for (const char* option : {"-c0", "-s0", "-S0"}) {
    const auto line = ParseLoadCommandLine({"latt", option, "a"});
    ASSERT_FALSE(line.ok()) << option;
    EXPECT_EQ(line.status().message(), "option " + std::string(option, 2) + ": 0, want at least 1");
  }
  EXPECT_TRUE(ParseLoadCommandLine({"latt", "-x0", "a"}).ok());
}

TEST(ParseLoadCommandLineTest, LattCommandsForTheShell) {
  const auto command = [](const Words& words) {
    const v1::LattLoad latt = ParseLoadCommandLine(words).value().load.latt();
    return Words(latt.command().begin(), latt.command().end());
  };
  EXPECT_EQ(command({"latt", "a;b"}), (Words{"sh", "-c", "a;b"}));
  EXPECT_EQ(command({"latt", "./a-b_c.d"}), Words{"./a-b_c.d"});
  EXPECT_EQ(command({"latt", "sleep", "1 2"}), (Words{"sleep", "1 2"}));
}

TEST(ParseLoadCommandLineTest, InterbenchRunsAllByItself) {
  const v1::InterbenchLoad all =
      ParseLoadCommandLine({"interbench", "-t", "10"}).value().load.interbench();
  EXPECT_EQ(all.seconds(), 10u);
  EXPECT_EQ(Words(all.benchmarks().begin(), all.benchmarks().end()),
            (Words{"Audio", "Video", "X", "Gaming"}));
  EXPECT_EQ(Words(all.loads().begin(), all.loads().end()),
            (Words{"None", "Video", "X", "Burn", "Write", "Read", "Ring", "Compile", "Memload"}));
}

TEST(ParseLoadCommandLineTest, InterbenchSelection) {
  const v1::InterbenchLoad some = ParseLoadCommandLine({"interbench", "-w", "burn", "-w", "write",
                                                        "-x", "WRITE", "-X", "audio", "-L3"})
                                      .value()
                                      .load.interbench();
  EXPECT_EQ(Words(some.loads().begin(), some.loads().end()), Words{"Burn"});
  EXPECT_EQ(Words(some.benchmarks().begin(), some.benchmarks().end()),
            (Words{"Video", "X", "Gaming"}));
  EXPECT_EQ(some.burn_threads(), 3u);
}

TEST(ParseLoadCommandLineTest, EveryOptionOfInterbench) {
  const LoadCommandLine line =
      ParseLoadCommandLine({"interbench", "-l2000000", "-B", "-5", "-N10", "-u", "-b", "-c", "-r",
                            "-C", "20", "-I", "5000", "-m", "a comment", "--max-file=64",
                            "--profile=0.31"})
          .value();
  const v1::InterbenchLoad& bench = line.load.interbench();
  EXPECT_EQ(bench.loops_per_ms(), 2000000u);
  EXPECT_EQ(bench.bench_nice(), -5);
  EXPECT_EQ(bench.load_nice(), 10);
  EXPECT_TRUE(bench.single_cpu() && bench.realtime());
  EXPECT_EQ(bench.custom_percent(), 20u);
  EXPECT_EQ(bench.custom_interval_us(), 5000u);
  EXPECT_EQ(bench.max_file_mib(), 64u);
  EXPECT_EQ(Words(bench.benchmarks().begin(), bench.benchmarks().end()),
            (Words{"Audio", "Video", "Custom"}));
  EXPECT_EQ(Words(bench.loads().begin(), bench.loads().end()),
            (Words{"None", "Video", "X", "Burn", "Write", "Read", "Compile", "Memload", "Custom"}));
  EXPECT_EQ(line.comment, "a comment");
  EXPECT_TRUE(line.force_calibration && line.console_only && line.memload_by_default);
  const LoadCommandLine help = ParseLoadCommandLine({"interbench", "-h"}).value();
  EXPECT_NE(help.answer->error, "");
  EXPECT_EQ(help.answer->code, 0);
}

TEST(ParseLoadCommandLineTest, MakeAsItIsSubmitted) {
  const LoadCommandLine line =
      ParseLoadCommandLine({"make", "-j2x", "--cold", "--config", "tinyconfig", "--nice", "-3"})
          .value();
  EXPECT_EQ(line.load.make().jobs_per_cpu(), 2);
  EXPECT_TRUE(line.load.make().cold());
  EXPECT_EQ(line.load.make().config_target(), "tinyconfig");
  EXPECT_EQ(line.load.nice(), -3);
}

TEST(ParseLoadCommandLineTest, LoadsInTheWordsOfSubmit) {
  const LoadCommandLine frames =
      ParseLoadCommandLine({"frames", "--json", "--iterations", "3", "--warmups=1", "fps=60",
                            "beside=burn:2", "nice=5"})
          .value();
  EXPECT_TRUE(frames.json);
  EXPECT_EQ(frames.load.iterations(), 3u);
  EXPECT_EQ(frames.load.warmups(), 1u);
  EXPECT_EQ(frames.load.nice(), 5);
  EXPECT_EQ(frames.load.frames().fps(), 60u);
  EXPECT_EQ(frames.load.frames().beside().burn_threads(), 2u);
  const v1::LaunchLoad launch =
      ParseLoadCommandLine({"launch", "count=5", "cold", "--", "/bin/echo", "--json"})
          .value()
          .load.launch();
  EXPECT_TRUE(launch.cold());
  EXPECT_EQ(Words(launch.program().begin(), launch.program().end()),
            (Words{"/bin/echo", "--json"}));
  const v1::CommandLoad command =
      ParseLoadCommandLine({"command", "--limit", "9", "parallel=2", "--", "sh", "-c", "a b"})
          .value()
          .load.command();
  EXPECT_EQ(command.parallel(), 2u);
  EXPECT_EQ(Words(command.words().begin(), command.words().end()), (Words{"sh", "-c", "a b"}));
  const v1::ToolLoad tool =
      ParseLoadCommandLine({"tool", "hackbench", "--", "-g", "3"}).value().load.tool();
  EXPECT_EQ(tool.tool(), "hackbench");
  EXPECT_EQ(tool.arguments_size(), 2);
}

TEST(ParseLoadCommandLineTest, BadOnesNameTheWord) {
  const std::pair<Words, std::string> cases[] = {
      {{"hackbench"}, "hackbench"},
      {{}, "command"},
      {{"interbench", "-n"}, "-n"},
      {{"latt", "-c"}, "-c"},
      {{"interbench", "-L0"}, "-L"},
      {{"interbench", "-C5"}, "both or neither"},
      {{"interbench", "-B20"}, "-B"},
      {{"interbench", "-wHack"}, "Hack"},
      {{"interbench", "-r", "-WX"}, "X"},
      {{"interbench", "-wBurn", "-xBurn"}, "no load"},
      {{"latt", "-cx", "true"}, "\"x\""},
      {{"latt", "-q", "true"}, "-q"},
      {{"frames", "fps"}, "fps"},
      {{"frames", "--bogus=1"}, "--bogus"},
      {{"tool"}, "tool"},
      {{"make", "-j2y"}, "2y"},
      {{"make", "-j", "-1"}, "-1"},
      {{"make", "--json=1"}, "--json"},
      {{"interbench", "video"}, "video"},
      {{"make", "-j99999999999"}, "99999999999"},
  };
  for (const auto& [words, part] : cases) {
    const absl::Status status = ParseLoadCommandLine(words).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find(part), absl::string_view::npos) << status;
  }
}

TEST(JsonTest, StringsAndNumbers) {
  EXPECT_EQ(JsonString("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  EXPECT_EQ(JsonNumber(0.1), "0.1");
  EXPECT_EQ(JsonNumber(std::nan("")), "null");
  v1::LoadRun run;
  run.set_output("x\ny");
  v1::Measurement& m = *run.add_measurements();
  m.set_metric("make.real");
  m.set_value(1.5);
  m.set_unit("s");
  m.set_iteration(1);
  EXPECT_EQ(
      ToJson(run),
      "{\"load\":0,\"duration_ms\":0,\"measurements\":[{\"metric\":\"make.real\",\"value\":1.5,"
      "\"unit\":\"s\",\"iteration\":1,\"warmup\":false}],\"series\":[],\"histograms\":[],"
      "\"warnings\":[],"
      "\"output\":\"x\\ny\"}\n");
}

}  // namespace
}  // namespace shakedown::runner
