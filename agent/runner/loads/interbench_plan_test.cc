#include "agent/runner/loads/interbench_plan.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/loads/interbench_text.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

constexpr InterbenchMachine kMachine = {4, 8 << 20, 1000};
constexpr InterbenchMachine kNoSwap = {2, 8 << 20, 0};

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
  const InterbenchPlan plan = PlanInterbench({}, kMachine).value();
  EXPECT_EQ(PairsOf(plan),
            "Video/None Video/X Video/Burn Video/Write Video/Read Video/Ring Video/Compile "
            "Video/Memload "
            "X/None X/Video X/Burn X/Write X/Read X/Ring X/Compile X/Memload ");
  EXPECT_EQ(plan.Pairs(), 16u);
  EXPECT_EQ(plan.seconds, 30u);
  EXPECT_EQ(plan.burn_threads, 4u);
}

TEST(PlanInterbenchTest, NoSwapNoMemload) {
  EXPECT_EQ(PlanInterbench({}, kNoSwap).value().Pairs(), 14u);
  EXPECT_EQ(PlanInterbench(Asked({}, {"Memload"}), kNoSwap).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PlanInterbenchTest, TableOrderAnyCaseEachOnce) {
  const auto load = Asked({"gaming", "AUDIO", "audio"}, {"ring", "burn", "None", "Burn"});
  EXPECT_EQ(PairsOf(PlanInterbench(load, kNoSwap).value()),
            "Audio/None Audio/Burn Audio/Ring Gaming/None Gaming/Burn Gaming/Ring ");
}

TEST(PlanInterbenchTest, SecondsAreRoundedUpToTens) {
  for (const auto& [asked, want] : {std::pair(1u, 10u), {10u, 10u}, {11u, 20u}, {30u, 30u}}) {
    v1::InterbenchLoad load;
    load.set_seconds(asked);
    EXPECT_EQ(PlanInterbench(load, kNoSwap).value().seconds, want);
  }
}

TEST(PlanInterbenchTest, Profile031) {
  v1::InterbenchLoad load;
  load.set_profile("0.31");
  load.set_single_cpu(true);
  const InterbenchPlan plan = PlanInterbench(load, kMachine).value();
  EXPECT_EQ(plan.burn_threads, 4u);
  EXPECT_FALSE(absl::StrContains(PairsOf(plan), "Ring"));
  EXPECT_FALSE(plan.single_cpu);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_TRUE(absl::StrContains(plan.warnings[0], "single_cpu"));
  load.add_loads("Ring");
  EXPECT_EQ(PlanInterbench(load, kMachine).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PlanInterbenchTest, CustomJoinsWhatIsEmpty) {
  v1::InterbenchLoad load;
  load.set_custom_percent(20);
  load.set_custom_interval_us(5000);
  const InterbenchPlan plan = PlanInterbench(load, kMachine).value();
  EXPECT_TRUE(absl::StrContains(PairsOf(plan), "X/Custom Custom/None"));
  EXPECT_FALSE(absl::StrContains(PairsOf(plan), "Custom/Custom"));
  EXPECT_EQ(plan.custom.percent, 20);
  EXPECT_EQ(plan.custom.interval_us, 5000);
  load.clear_custom_percent();
  EXPECT_EQ(PlanInterbench(load, kMachine).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlanInterbench(Asked({"Custom"}, {}), kMachine).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PlanInterbenchTest, Realtime) {
  v1::InterbenchLoad load = Asked({}, {"None", "Burn"});
  load.set_realtime(true);
  const InterbenchPlan plan = PlanInterbench(load, kMachine).value();
  EXPECT_EQ(PairsOf(plan), "Audio/None Audio/Burn Video/None Video/Burn ");
  EXPECT_EQ(plan.MetricPrefix(plan.tasks[1], plan.loads[1]), "interbench.rt.video.burn");
  load.add_benchmarks("Gaming");
  EXPECT_EQ(PlanInterbench(load, kMachine).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PlanInterbenchTest, FilesThatLoadsNeed) {
  const auto plan = [](const char* load) {
    return PlanInterbench(Asked({"Audio"}, {load}), kMachine).value();
  };
  EXPECT_TRUE(plan("Compile").Writes() && plan("Compile").Reads());
  EXPECT_TRUE(plan("Write").Writes() && !plan("Write").Reads());
  EXPECT_TRUE(plan("Read").Reads() && !plan("Read").Writes());
  EXPECT_FALSE(plan("Burn").Reads() || plan("Burn").Writes());
}

TEST(PlanInterbenchTest, BadRequests) {
  v1::InterbenchLoad long_one, slow, wide, nicer, unknown, huge, tiny;
  nicer.set_bench_nice(-21);
  unknown.set_profile("0.30");
  huge.set_max_file_mib(uint64_t{1} << 40);
  tiny.set_custom_percent(1);
  tiny.set_custom_interval_us(1);
  long_one.set_seconds(100000);
  slow.set_loops_per_ms(5);
  wide.set_burn_threads(100000);
  for (const v1::InterbenchLoad& load :
       {Asked({"Server"}, {}), Asked({"Burn"}, {}), Asked({}, {"Hack"}), Asked({}, {"Audio"}),
        Asked({"Video"}, {"Video"}), Asked({""}, {}), long_one, slow, wide, nicer, unknown, huge,
        tiny}) {
    EXPECT_EQ(PlanInterbench(load, kMachine).status().code(), absl::StatusCode::kInvalidArgument)
        << PlanInterbench(load, kMachine).status();
  }
}

TaskResult Injected() {
  TaskResult result;
  for (int i = 0; i < 100; ++i) result.latency.Add(1000);
  result.counters = {993, 7, 995, 5};
  return result;
}
constexpr NamedTask kVideo = {"Video", Task::kVideo, true};
constexpr NamedTask kGaming = {"Gaming", Task::kGaming, false};
constexpr NamedBackground kBurn = {"Burn", Background::kBurn};

TEST(FormatInterbenchTest, Head) {
  InterbenchPlan plan;
  plan.loops_per_ms = 2000000;
  plan.burn_threads = 2;
  EXPECT_EQ(
      FormatInterbenchHead(plan, "6.12.1", "202611301530", ""),
      "Load set to 2 processors\n\nUsing 2000000 loops per ms, running every load for 30 seconds\n"
      "Benchmarking kernel 6.12.1 at datestamp 202611301530\n\n");
  plan.profile = InterbenchProfile::k031;
  EXPECT_EQ(FormatInterbenchHead(plan, "2.6.35", "201008140913", "HZ 1000"),
            "\nUsing 2000000 loops per ms, running every load for 30 seconds\n"
            "Benchmarking kernel 2.6.35 at datestamp 201008140913\nComment: HZ 1000\n\n");
}

TEST(FormatInterbenchTest, Tables) {
  InterbenchPlan plan;
  EXPECT_EQ(FormatTaskHead(plan, kVideo),
            "--- Benchmarking simulated cpu of Video in the presence of simulated ---\n"
            "Load\tLatency +/- SD (ms)  Max Latency   % Desired CPU  % Deadlines Met\n");
  EXPECT_EQ(FormatTaskHead(plan, kGaming),
            "--- Benchmarking simulated cpu of Gaming in the presence of simulated ---\n"
            "Load\tLatency +/- SD (ms)  Max Latency   % Desired CPU\n");
  EXPECT_EQ(FormatRow(plan, kVideo, kBurn, Injected()),
            "Burn\t   1.0 +/- 1.0        1.0\t\t99.3\t       99.5\n");
  EXPECT_EQ(FormatRow(plan, kGaming, kBurn, Injected()),
            "Burn\t   1.0 +/- 1.0        1.0\t\t99.3\n");
}

TEST(FormatInterbenchTest, NiceAndRealtime) {
  InterbenchPlan plan;
  plan.bench_nice = -5;
  plan.load_nice = 10;
  EXPECT_EQ(FormatTaskHead(plan, kVideo),
            "--- Benchmarking simulated cpu of Video nice -5 in the presence of simulated nice 10 "
            "---\nLoad\tLatency +/- SD (ms)  Max Latency   % Desired CPU  % Deadlines Met\n");
  plan.realtime = true;
  EXPECT_EQ(FormatTaskHead(plan, kVideo),
            "--- Benchmarking simulated cpu of Video real time in the presence of simulated nice "
            "10 ---\nLoad\tLatency +/- SD (us)  Max Latency   % Desired CPU  % Deadlines Met\n");
  EXPECT_EQ(FormatRow(plan, kVideo, kBurn, Injected()),
            "Burn\t1000.0 +/- 1005.0  1000.0\t\t99.3\t       99.5\n");
}

// Rows as published in 2010: three significant digits of a percentage, wide latencies.
TEST(FormatInterbenchTest, WideAndSmallNumbers) {
  TaskResult result;
  result.latency.Add(123456789);
  result.counters = {1, 9999, 1, 99999};
  EXPECT_EQ(FormatRow({}, kVideo, {"Memload", Background::kMemload}, result),
            "Memload\t123456.8 +/- 0.0     123456.8\t\t0.01\t      0.001\n");
}

}  // namespace
}  // namespace shakedown::runner
