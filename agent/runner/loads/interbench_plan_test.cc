#include "agent/runner/loads/interbench_plan.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

v1::InterbenchLoad Asked(const std::vector<std::string>& benchmarks,
                         const std::vector<std::string>& loads) {
  v1::InterbenchLoad load;
  for (const std::string& name : benchmarks) load.add_benchmarks(name);
  for (const std::string& name : loads) load.add_loads(name);
  return load;
}

std::string PairsOf(const InterbenchPlan& plan) {
  std::string text;
  for (const NamedTask& task : plan.tasks) {
    for (const NamedBackground& load : plan.loads) {
      if (!plan.Skips(task, load)) absl::StrAppend(&text, task.label, "/", load.label, " ");
    }
  }
  return text;
}

TEST(PlanInterbenchTest, DefaultsAreTheOriginals) {
  const InterbenchPlan plan = PlanInterbench({}, 4, 1000).value();
  EXPECT_EQ(PairsOf(plan),
            "Video/None Video/X Video/Burn Video/Write Video/Read Video/Compile Video/Memload "
            "X/None X/Video X/Burn X/Write X/Read X/Compile X/Memload ");
  EXPECT_EQ(plan.Pairs(), 14u);
  EXPECT_EQ(plan.seconds, 30u);
  EXPECT_EQ(plan.burn_threads, 4u);
}

TEST(PlanInterbenchTest, NoSwapNoMemload) {
  EXPECT_EQ(PlanInterbench({}, 2, 0).value().Pairs(), 12u);
  EXPECT_EQ(PlanInterbench(Asked({}, {"Memload"}), 2, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PlanInterbenchTest, TableOrderAnyCaseEachOnce) {
  const auto load = Asked({"gaming", "AUDIO", "audio"}, {"ring", "burn", "None", "Burn"});
  EXPECT_EQ(PairsOf(PlanInterbench(load, 2, 0).value()),
            "Audio/None Audio/Burn Audio/Ring Gaming/None Gaming/Burn Gaming/Ring ");
}

TEST(PlanInterbenchTest, SecondsAreRoundedUpToTens) {
  for (const auto& [asked, want] : {std::pair(1u, 10u), {10u, 10u}, {11u, 20u}, {30u, 30u}}) {
    v1::InterbenchLoad load;
    load.set_seconds(asked);
    EXPECT_EQ(PlanInterbench(load, 2, 0).value().seconds, want);
  }
}

TEST(PlanInterbenchTest, BadRequests) {
  v1::InterbenchLoad long_one, slow, wide;
  long_one.set_seconds(100000);
  slow.set_loops_per_ms(5);
  wide.set_burn_threads(100000);
  for (const v1::InterbenchLoad& load :
       {Asked({"Server"}, {}), Asked({"Burn"}, {}), Asked({}, {"Hack"}), Asked({}, {"Audio"}),
        Asked({"Video"}, {"Video"}), Asked({""}, {}), long_one, slow, wide}) {
    EXPECT_EQ(PlanInterbench(load, 2, 1000).status().code(), absl::StatusCode::kInvalidArgument)
        << PlanInterbench(load, 2, 1000).status();
  }
}

TEST(FormatInterbenchTest, ClassicTable) {
  InterbenchPlan plan;
  plan.loops_per_ms = 2000000;
  plan.burn_threads = 2;
  EXPECT_EQ(
      FormatInterbenchHead(plan, "6.12.1", "202611301530"),
      "Load set to 2 processors\n\nUsing 2000000 loops per ms, running every load for 30 seconds\n"
      "Benchmarking kernel 6.12.1 at datestamp 202611301530\n\n");
  const NamedTask video = {"Video", Task::kVideo, true};
  const NamedTask gaming = {"Gaming", Task::kGaming, false};
  const NamedBackground burn = {"Burn", Background::kBurn};
  EXPECT_EQ(FormatTaskHead(video),
            "--- Benchmarking simulated cpu of Video in the presence of simulated ---\n"
            "Load\tLatency +/- SD (ms)  Max Latency   % Desired CPU  % Deadlines Met\n");
  EXPECT_EQ(FormatTaskHead(gaming),
            "--- Benchmarking simulated cpu of Gaming in the presence of simulated ---\n"
            "Load\tLatency +/- SD (ms)  Max Latency   % Desired CPU\n");
  TaskResult result;
  for (int i = 0; i < 100; ++i) result.latency.Add(1000);
  result.counters = {993, 7, 995, 5};
  EXPECT_EQ(FormatRow(video, burn, result),
            "Burn\t   1.0 +/- 1.0        1.0\t\t99.3\t       99.5\n");
  EXPECT_EQ(FormatRow(gaming, burn, result), "Burn\t   1.0 +/- 1.0        1.0\t\t99.3\n");
}

}  // namespace
}  // namespace shakedown::runner
