#include "agent/runner/loads/command.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "agent/runner/loads/load_testing.h"
#include "agent/runner/loads/timed_command.h"
#include "agent/runner/loads/tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CommandTest : public LoadTest {
 protected:
  static v1::Load Words(const std::vector<std::string>& words, uint32_t parallel = 0) {
    v1::Load load;
    for (const std::string& word : words) load.mutable_command()->add_words(word);
    load.mutable_command()->set_parallel(parallel);
    return load;
  }
  static v1::Load Script(const std::string& text) {
    v1::Load load;
    load.mutable_command()->set_script(text);
    return load;
  }
};

TEST_F(CommandTest, Timed) {
  const absl::StatusOr<v1::LoadRun> run = RunCommandLoad(Words({"sleep", "0.02"}), context_);
  ASSERT_TRUE(run.ok()) << run.status();
  auto values = Values(*run);
  EXPECT_GE(values["command.real"], 0.02);
  EXPECT_EQ(values["command.exit_code"], 0);
  EXPECT_EQ(values.count("command.copy.avg"), 0u);
  EXPECT_THAT(run->output(), HasSubstr("real\t0m0."));
}

TEST_F(CommandTest, AScriptRunsByItsFirstLineInAFolderOfItsOwn) {
  const absl::StatusOr<v1::LoadRun> run = RunCommandLoad(
      Script("#!/bin/sh\npwd; stat -c 'mode %a' \"$0\"; echo \"$0 $#\"\n"), context_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(run->output(), HasSubstr(context_.scratch + "/command\n"));
  EXPECT_THAT(run->output(), HasSubstr("mode 700\n"));
}

TEST_F(CommandTest, CopiesRunAtOneTimeAndAreTimedEach) {
  // Each copy waits until all three have come: one after the other they would wait for ever.
  const std::string folder = context_.scratch;
  const absl::StatusOr<v1::LoadRun> run = RunCommandLoad(
      Words({"sh", "-c",
             "touch " + folder + "/$$; while [ $(ls " + folder + " | wc -l) -lt 3 ]; do :; done"},
            3),
      context_);
  ASSERT_TRUE(run.ok()) << run.status();
  auto values = Values(*run);
  EXPECT_GE(values["command.real"], values["command.copy.max"]);
  EXPECT_GE(values["command.copy.max"], values["command.copy.avg"]);
  EXPECT_GT(values["command.copy.avg"], 0);
}

TEST_F(CommandTest, UnderLatt) {
  v1::Load load = Script("#!/bin/sh\nsleep 0.1\n");
  load.mutable_command()->set_under_latt(true);
  load.mutable_command()->set_parallel(2);
  v1::LattLoad& latt = *load.mutable_command()->mutable_latt();
  latt.set_clients(2);
  latt.set_min_sleep_ms(2);
  latt.set_sleep_width_ms(2);
  const absl::StatusOr<v1::LoadRun> run = RunCommandLoad(load, context_);
  ASSERT_TRUE(run.ok()) << run.status();
  auto values = Values(*run);
  EXPECT_GE(values["latt.command.real"], 0.1);
  EXPECT_GT(values["latt.wakeup.n"], 0);
}

TEST_F(CommandTest, FailuresNameTheCopyAndTheExitCode) {
  const absl::Status status =
      RunCommandLoad(Words({"sh", "-c", "echo oh; exit 9"}, 2), context_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("iteration 1: copy 1 of 2: sh: exit code 9"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("oh"));
}

TEST_F(CommandTest, ForAPersonAnExitCodeIsAResult) {
  context_.for_person = true;
  const absl::StatusOr<v1::LoadRun> run =
      RunCommandLoad(Words({"sh", "-c", "exit 9"}, 2), context_);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Values(*run)["command.exit_code"], 9);
  EXPECT_THAT(run->output(), HasSubstr("exit code 9\n"));
}

TEST_F(CommandTest, BadRequests) {
  v1::Load both = Words({"true"});
  both.mutable_command()->set_script("#!/bin/sh\n");
  for (const v1::Load& load : {both, Words({}), Script("echo hello"),
                               Script("#!" + std::string(70000, 'x')), Words({"true"}, 65)}) {
    EXPECT_EQ(RunCommandLoad(load, context_).status().code(), absl::StatusCode::kInvalidArgument)
        << load.command().words_size();
  }
}

v1::ToolLoad Tool(const std::string& name, const std::vector<std::string>& arguments = {},
                  uint32_t seconds = 0) {
  v1::ToolLoad tool;
  tool.set_tool(name);
  for (const std::string& argument : arguments) tool.add_arguments(argument);
  tool.set_seconds(seconds);
  return tool;
}

TEST(ToolArgvTest, Table) {
  EXPECT_THAT(ToolArgv(Tool("hackbench", {"-g", "3"})).value(),
              ElementsAre("hackbench", "-g", "3"));
  EXPECT_THAT(ToolArgv(Tool("cyclictest", {"-p80"}, 5)).value(),
              ElementsAre("cyclictest", "-q", "-D", "5", "-p80"));
  EXPECT_THAT(ToolArgv(Tool("stress-ng", {"--switch", "2"})).value(),
              ElementsAre("stress-ng", "--metrics-brief", "--timeout", "10s", "--switch", "2"));
  EXPECT_THAT(ToolArgv(Tool("sysbench")).value(),
              ElementsAre("sysbench", "threads", "--time=10", "run"));
  EXPECT_THAT(ToolArgv(Tool("perf-pipe", {"-l", "10"})).value(),
              ElementsAre("perf", "bench", "sched", "pipe", "-l", "10"));
  for (const v1::ToolLoad& bad :
       {Tool("sh", {"-c", "reboot"}), Tool("cyclictest", {"-qN"}), Tool("cyclictest", {"--nsecs"}),
        Tool("stress-ng"), Tool("hackbench", {}, 3601)}) {
    EXPECT_EQ(ToolArgv(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad.tool();
  }
}

TEST_F(CommandTest, AToolRunsOrSaysWhichPackageItWants) {
  v1::Load load;
  *load.mutable_tool() = Tool("hackbench", {"-g", "1", "-l", "1"});
  const absl::StatusOr<v1::LoadRun> run = RunToolLoad(load, context_);
  if (FindProgram("hackbench").empty()) {
    EXPECT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(run.status().message()), HasSubstr("the package rt-tests"));
    return;
  }
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_THAT(run->tool_version(), testing::StartsWith("hackbench V "));
  EXPECT_EQ(Values(*run).count("hackbench.time"), 1u);
}

}  // namespace
}  // namespace shakedown::runner
