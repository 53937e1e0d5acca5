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

TEST(ParseLoadCommandLineTest, Interbench) {
  const v1::InterbenchLoad all =
      ParseLoadCommandLine({"interbench", "-t", "10"}).value().load.interbench();
  EXPECT_EQ(all.seconds(), 10u);
  EXPECT_EQ(all.loads_size(), 0);
  const v1::InterbenchLoad some = ParseLoadCommandLine({"interbench", "-w", "burn", "-w", "write",
                                                        "-x", "WRITE", "-X", "audio", "-L3"})
                                      .value()
                                      .load.interbench();
  EXPECT_EQ(Words(some.loads().begin(), some.loads().end()), Words{"burn"});
  EXPECT_EQ(Words(some.benchmarks().begin(), some.benchmarks().end()),
            (Words{"Video", "X", "Gaming"}));
  EXPECT_EQ(some.burn_threads(), 3u);
}

TEST(ParseLoadCommandLineTest, BadOnesNameTheWord) {
  const std::pair<Words, std::string> cases[] = {
      {{"hackbench"}, "hackbench"},       {{}, "command"},
      {{"latt"}, "no command"},           {{"latt", "-c"}, "-c"},
      {{"latt", "-cx", "true"}, "\"x\""}, {{"latt", "-q", "true"}, "-q"},
      {{"make", "-j", "-1"}, "-1"},       {{"make", "--json=1"}, "--json"},
      {{"interbench", "video"}, "video"}, {{"make", "-j99999999999"}, "99999999999"},
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
      "\"unit\":\"s\",\"iteration\":1,\"warmup\":false}],\"series\":[],\"warnings\":[],"
      "\"output\":\"x\\ny\"}\n");
}

}  // namespace
}  // namespace shakedown::runner
