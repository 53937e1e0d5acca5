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
  constexpr uint64_t kPlenty = uint64_t{100} << 30;
  EXPECT_EQ(LoadFileBytes(kHeadFileBytes, kPlenty, 0, 2), kHeadFileBytes);
  EXPECT_EQ(LoadFileBytes(kHeadFileBytes, 1000000000, 0, 2), 250000000u);
  EXPECT_EQ(LoadFileBytes(kHeadFileBytes, 1000000000, 0, 1), 500000000u);
  EXPECT_EQ(LoadFileBytes(kHeadFileBytes, 0, 0, 1), 0u);
  EXPECT_EQ(LoadFileBytes(kHeadFileBytes, kPlenty, 64 << 20, 2), uint64_t{32 << 20});
  EXPECT_EQ(LoadFileBytes(kHeadFileBytes, 1000000000, kPlenty, 1), 800000000u);
  // A machine with 512 GiB of memory in profile 0.31.
  EXPECT_EQ(LoadFileBytes(uint64_t{512} << 30, kPlenty, 0, 2), kPlenty / 4);
}

std::string NameOf(Background load) {
  constexpr const char* kNames[] = {"None", "Video", "X",       "Burn",    "Write",
                                    "Read", "Ring",  "Compile", "Memload", "Custom"};
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
    settings_.custom = {50, 2000};
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
                                         Background::kMemload, Background::kCustom),
                         [](const auto& test) { return NameOf(test.param); });

// A stop at any moment ends all threads of the ring.
TEST(RingTest, EndsAtEveryMoment) {
  for (int round = 0; round < 400; ++round) {
    BackgroundSettings settings;
    settings.burn_threads = 1 + static_cast<uint32_t>(round % 4);
    StopSignal stop;
    std::thread load([&] { EXPECT_TRUE(RunBackground(Background::kRing, settings, stop).ok()); });
    for (int i = 0; i < round % 50; ++i) std::this_thread::yield();
    stop.Ask();
    load.join();
  }
}

TEST(RunBackgroundErrorTest, MissingReadFileIsAnErrorThatNamesIt) {
  BackgroundSettings settings;
  settings.folder = "/nonexistent";
  StopSignal stop;
  const absl::Status status = RunBackground(Background::kRead, settings, stop);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("interbench.read"), absl::string_view::npos);
}

// /dev/full is a disk without room.
TEST(RunBackgroundErrorTest, AFullDiskIsNamedAndEndsTheLoad) {
  char folder[] = "/tmp/background_test.XXXXXX";
  BackgroundSettings settings;
  settings.folder = mkdtemp(folder);
  settings.write_bytes = 1 << 20;
  std::filesystem::create_symlink("/dev/full", settings.folder + "/interbench.write");
  StopSignal stop;  // Never asked.
  const absl::Status status = RunBackground(Background::kWrite, settings, stop);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message().find("interbench write: no space left on " + settings.folder), 0u)
      << status;
  std::filesystem::create_symlink("/dev/full", settings.folder + "/interbench.read");
  EXPECT_EQ(MakeReadFile(settings.folder, 1 << 20).code(), absl::StatusCode::kResourceExhausted);
  std::filesystem::remove(settings.folder + "/interbench.read");
  EXPECT_EQ(MakeReadFile(settings.folder, 1 << 20, -absl::Seconds(1)).code(),
            absl::StatusCode::kDeadlineExceeded);
  std::filesystem::remove_all(settings.folder);
}

}  // namespace
}  // namespace shakedown::runner
