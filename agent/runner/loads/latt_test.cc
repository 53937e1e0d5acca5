#include "agent/runner/loads/latt.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "agent/runner/loads/latt_work.h"
#include "agent/runner/loads/process_tree.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(SleepSequenceTest, SameAsTheOriginals) {
  SleepSequence pauses(100, 500);
  for (uint32_t want : {211, 208, 323, 346, 384, 336, 337, 116}) EXPECT_EQ(pauses.NextMs(), want);
}

TEST(SleepSequenceTest, SumsOfManyRounds) {
  SleepSequence pauses(100, 500);
  uint64_t sum = 0;
  const std::map<int, double> want = {
      {40, 14.3}, {48, 17.2}, {386, 133.2}, {396, 137.2}, {433, 147.7}};
  for (int round = 1; round <= 433; ++round) {
    const uint32_t ms = pauses.NextMs();
    EXPECT_GE(ms, 100u);
    EXPECT_LE(ms, 599u);
    sum += ms;
    const auto known = want.find(round);
    if (known != want.end()) {
      EXPECT_NEAR(static_cast<double>(sum) / 1000, known->second, 0.05);
    }
  }
}

TEST(WorkItemTest, AnsiGeneratorGoesOnOverItems) {
  WorkItem work(64 << 10);
  EXPECT_EQ(work.NextRandom(), 16838u);  // The first three of the C standard's sample.
  EXPECT_EQ(work.NextRandom(), 5758u);
  EXPECT_EQ(work.NextRandom(), 10113u);
  WorkItem a(4096), b(4096);
  const size_t first = a.Do();
  EXPECT_EQ(first, b.Do());  // Every client does the same.
  EXPECT_GT(first, 1000u);
  EXPECT_LT(first, 4096u);
  const uint32_t next = a.NextRandom();
  WorkItem counted(0);
  for (int i = 0; i < 1024; ++i) counted.NextRandom();
  EXPECT_EQ(next, counted.NextRandom());
}

TEST(LattParametersTest, DefaultsAndBounds) {
  const LattParameters p = LattParametersOf({}).value();
  EXPECT_EQ(p.clients, 4u);
  EXPECT_EQ(p.min_sleep_ms, 100u);
  EXPECT_EQ(p.sleep_width_ms, 500u);
  EXPECT_EQ(p.work_kib, 0u);
  v1::LattLoad load;
  load.set_clients(513);
  EXPECT_EQ(LattParametersOf(load).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(FormatLattTest, Classic) {
  LattStats stats;
  for (uint64_t us : {10, 20, 30}) stats.wakeup.Add(us);
  EXPECT_EQ(FormatLatt({8, 100, 500, 0}, stats),
            "\nParameters: min_wait=100ms, max_wait=500ms, clients=8\nEntries logged: 3\n\n"
            "Wakeup averages\n-------------------------------------\n"
            "\tMax \t\t      30 usec\n\tAvg \t\t      20 usec\n"
            "\tStdev \t\t      10 usec\n\tStdev mean \t       6 usec\n");
  EXPECT_EQ(FormatLatt({1, 100, 500, 64}, LattStats()),
            "\nParameters: min_wait=100ms, max_wait=500ms, clients=1\nEntries logged: 0\n");
}

TEST(LattParametersTest, Profiles) {
  v1::LattLoad load;
  load.set_profile("0.1");
  EXPECT_EQ(LattParametersOf(load)->work_kib, 64u);
  load.set_work_kib(8);
  EXPECT_EQ(LattParametersOf(load)->work_kib, 8u);
  load.set_profile("2009-09-08");
  EXPECT_EQ(LattParametersOf(load).status().code(), absl::StatusCode::kInvalidArgument);
  load.clear_work_kib();
  EXPECT_TRUE(LattParametersOf(load)->classic);
  EXPECT_EQ(LattParametersOf(load)->work_kib, 0u);
  load.set_profile("0.2");
  EXPECT_EQ(LattParametersOf(load).status().code(), absl::StatusCode::kInvalidArgument);
}

// As the post of 2009 shows it.
TEST(FormatLattTest, TheVersionOf20090908) {
  LattStats stats;
  for (uint64_t us : {8064, 0, 0, 4032}) stats.wakeup.Add(us);
  EXPECT_EQ(FormatLatt({.clients = 4, .classic = true}, stats),
            "Entries: 4 (clients=4)\n\nAverages:\n------------------------------\n"
            "\tMax\t     8064 usec\n\tAvg\t     3024 usec\n\tStdev\t     3860 usec\n");
  EXPECT_EQ(FormatLatt({.clients = 4, .classic = true}, LattStats()), "Entries: 0 (clients=4)\n");
}

TEST(FormatLattTest, BothBlocksByteForByte) {
  LattStats stats;
  for (uint64_t us : {57655, 0, 1}) stats.wakeup.Add(us);
  stats.work.Add(126457);
  EXPECT_EQ(FormatLatt({1, 100, 500, 64}, stats),
            "\nParameters: min_wait=100ms, max_wait=500ms, clients=1\nEntries logged: 3\n\n"
            "Wakeup averages\n-------------------------------------\n"
            "\tMax \t\t   57655 usec\n\tAvg \t\t   19219 usec\n"
            "\tStdev \t\t   33287 usec\n\tStdev mean \t   19218 usec\n\n"
            "Work averages\n-------------------------------------\n"
            "\tMax \t\t  126457 usec\n\tAvg \t\t  126457 usec\n"
            "\tStdev \t\t     nan usec\n\tStdev mean \t     nan usec\n");
}

class RunLattTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(AdoptOrphans().ok()); }
  void TearDown() override { EXPECT_TRUE(EndDescendants(absl::Seconds(20), SystemClock()).ok()); }

  static v1::Load Around(const std::vector<std::string>& command, uint32_t clients) {
    v1::Load load;
    v1::LattLoad& latt = *load.mutable_latt();
    latt.set_clients(clients);
    latt.set_min_sleep_ms(2);
    latt.set_sleep_width_ms(4);
    for (const std::string& word : command) latt.add_command(word);
    return load;
  }
  static absl::StatusOr<v1::LoadRun> Run(const v1::Load& load) {
    return RunLattLoad(
        load, {SystemClock(), "/tmp", "/nonexistent", false, [](double, absl::string_view) {}});
  }
  static std::map<std::string, double> Values(const v1::LoadRun& run, uint32_t iteration) {
    std::map<std::string, double> values;
    for (const v1::Measurement& m : run.measurements()) {
      if (m.iteration() == iteration) values[m.metric()] = m.value();
    }
    return values;
  }
};

TEST_F(RunLattTest, EntriesAreClientsTimesRounds) {
  v1::Load load = Around({"sleep", "0.1"}, 3);
  load.mutable_latt()->set_work_kib(1);
  load.set_iterations(1);
  load.set_warmups(1);
  const absl::StatusOr<v1::LoadRun> run = Run(load);
  ASSERT_TRUE(run.ok()) << run.status();
  for (uint32_t iteration : {1u, 2u}) {
    auto values = Values(*run, iteration);
    EXPECT_GT(values["latt.wakeup.n"], 0);
    EXPECT_EQ(static_cast<int>(values["latt.wakeup.n"]) % 3, 0);
    EXPECT_EQ(values["latt.work.n"], values["latt.wakeup.n"]);
    EXPECT_GE(values["latt.wakeup.max"], values["latt.wakeup.p99"]);
    EXPECT_GE(values["latt.wakeup.p99"], values["latt.wakeup.p50"]);
    EXPECT_GE(values["latt.wakeup.max"], values["latt.wakeup.avg"]);
    EXPECT_GE(values["latt.command.real"], 0.1);
    EXPECT_EQ(values["latt.command.runs"], 1);
    EXPECT_EQ(values["latt.command.status"], 0);
    EXPECT_EQ(values.count("latt.command.user") + values.count("latt.command.sys"), 2u);
  }
  ASSERT_EQ(run->histograms_size(), 4);  // Wake-up and work, twice.
  for (const v1::LatencyHistogram& histogram : run->histograms()) {
    auto values = Values(*run, histogram.iteration());
    uint64_t count = 0;
    for (const uint64_t n : histogram.count()) count += n;
    EXPECT_EQ(count, static_cast<uint64_t>(values[histogram.metric() + ".n"]));
    EXPECT_EQ(histogram.max(), static_cast<uint64_t>(values[histogram.metric() + ".max"]));
    EXPECT_EQ(histogram.unit(), "us");
    EXPECT_GE(histogram.duration_ms(), 1u);  // From when all clients are there.
  }
  EXPECT_TRUE(run->histograms(0).warmup());
  EXPECT_TRUE(run->measurements(0).warmup());
  EXPECT_FALSE(run->measurements(run->measurements_size() - 1).warmup());
}

TEST_F(RunLattTest, NoWorkNoWorkBlock) {
  const absl::StatusOr<v1::LoadRun> run = Run(Around({"sleep", "0.1"}, 2));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Values(*run, 1).count("latt.work.n"), 0u);
  EXPECT_FALSE(absl::StrContains(run->output(), "Work averages"));
  EXPECT_TRUE(absl::StrContains(run->output(), "Wakeup averages"));
}

TEST_F(RunLattTest, RepeatsForTheSecondsAsked) {
  v1::Load load = Around({"sleep", "0.1"}, 1);
  load.mutable_latt()->set_seconds(2);
  const absl::StatusOr<v1::LoadRun> run = Run(load);
  ASSERT_TRUE(run.ok()) << run.status();
  auto values = Values(*run, 1);
  EXPECT_GE(values["latt.command.runs"], 2);
  EXPECT_LE(values["latt.command.runs"], 20);
}

TEST_F(RunLattTest, FailuresOfTheCommand) {
  const absl::Status failed = Run(Around({"sh", "-c", "echo some words; exit 3"}, 1)).status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(absl::StrContains(failed.message(), "exit code 3")) << failed;
  EXPECT_TRUE(absl::StrContains(failed.message(), "some words")) << failed;
  const absl::Status absent = Run(Around({"no-such-program"}, 1)).status();
  EXPECT_EQ(absent.code(), absl::StatusCode::kNotFound);
  v1::Load quick = Around({"true"}, 1);
  quick.mutable_latt()->set_min_sleep_ms(2000);
  EXPECT_EQ(Run(quick).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace shakedown::runner
