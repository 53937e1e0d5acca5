#include "agent/runner/loads/background.h"

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(MemloadMibTest, Table) {
  EXPECT_EQ(MemloadMib(1024 * 1024, 1024 * 1024), 1126u);  // 110 % of the memory.
  EXPECT_EQ(MemloadMib(1024 * 1024, 10 * 1024), 1033u);    // Memory and swap less 64 KiB.
  EXPECT_EQ(MemloadMib(64u << 20, 64u << 20), 2930u);
  EXPECT_EQ(MemloadMib(0, 0), 0u);
}

TEST(LoadFileBytesTest, BoundedByFreeSpace) {
  EXPECT_EQ(LoadFileBytes(uint64_t{100} << 30), kWantedFileBytes);
  EXPECT_EQ(LoadFileBytes(1000000000), 400000000u);
  EXPECT_EQ(LoadFileBytes(0), 0u);
}

std::string NameOf(Background load) {
  constexpr const char* kNames[] = {"None", "Video", "X",       "Burn",   "Write",
                                    "Read", "Ring",  "Compile", "Memload"};
  return kNames[static_cast<int>(load)];
}

class RunBackgroundTest : public testing::TestWithParam<Background> {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/background_test.XXXXXX";
    settings_.folder = mkdtemp(folder);
    settings_.loops_per_ms = 10000;
    settings_.burn_threads = 3;
    settings_.write_bytes = 1 << 20;
    settings_.memory_mib = 8;
  }
  void TearDown() override { std::filesystem::remove_all(settings_.folder); }
  BackgroundSettings settings_;
};

TEST_P(RunBackgroundTest, RunsUntilStoppedAndLeavesNoFile) {
  ASSERT_TRUE(MakeReadFile(settings_.folder, 100000).ok());
  EXPECT_EQ(std::filesystem::file_size(settings_.folder + "/interbench.read"), 100000u);
  StopSignal stop;
  std::atomic<bool> ended = false;
  absl::Status status;
  std::thread load([&] {
    status = RunBackground(GetParam(), settings_, stop);
    ended = true;
  });
  const std::string written = settings_.folder + "/interbench.write";
  const bool writes = GetParam() == Background::kWrite || GetParam() == Background::kCompile;
  const absl::Time until = absl::Now() + absl::Seconds(30);
  while (writes && !std::filesystem::exists(written) && absl::Now() < until)
    std::this_thread::yield();
  EXPECT_EQ(std::filesystem::exists(written), writes);
  EXPECT_FALSE(ended);
  stop.Ask();
  load.join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_FALSE(std::filesystem::exists(written));
}
INSTANTIATE_TEST_SUITE_P(, RunBackgroundTest,
                         testing::Values(Background::kNone, Background::kVideo, Background::kX,
                                         Background::kBurn, Background::kWrite, Background::kRead,
                                         Background::kRing, Background::kCompile,
                                         Background::kMemload),
                         [](const auto& test) { return NameOf(test.param); });

TEST(RunBackgroundErrorTest, MissingReadFileIsAnErrorThatNamesIt) {
  BackgroundSettings settings;
  settings.folder = "/nonexistent";
  StopSignal stop;
  const absl::Status status = RunBackground(Background::kRead, settings, stop);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("interbench.read"), absl::string_view::npos);
}

}  // namespace
}  // namespace shakedown::runner
