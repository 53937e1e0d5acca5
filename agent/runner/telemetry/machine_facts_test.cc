#include "agent/runner/telemetry/machine_facts.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

class MachineFactsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/machine_facts";
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(MachineFactsTest, NothingThere) {
  EXPECT_FALSE(ReadOnAc(root_));
  EXPECT_FALSE(ReadScheduler(root_));
  EXPECT_FALSE(ReadOomKills(root_));
}

TEST_F(MachineFactsTest, AcOfALaptop) {
  Put("/sys/class/power_supply/BAT0/type", "Battery\n");
  EXPECT_FALSE(ReadOnAc(root_));
  Put("/sys/class/power_supply/AC/type", "Mains\n");
  Put("/sys/class/power_supply/AC/online", "0\n");
  EXPECT_EQ(ReadOnAc(root_), false);
  Put("/sys/class/power_supply/ucsi/type", "USB\n");
  Put("/sys/class/power_supply/ucsi/online", "1\n");
  EXPECT_EQ(ReadOnAc(root_), true);
}

TEST_F(MachineFactsTest, Scheduler) {
  Put("/sys/kernel/sched_ext/state", "disabled\n");
  EXPECT_EQ(ReadScheduler(root_), "disabled - 0");
  Put("/sys/kernel/sched_ext/state", "enabled\n");
  Put("/sys/kernel/sched_ext/root/ops", "simple\n");
  Put("/sys/kernel/sched_ext/enable_seq", "3\n");
  EXPECT_EQ(ReadScheduler(root_), "enabled simple 3");
}

TEST_F(MachineFactsTest, OomKills) {
  Put("/proc/vmstat", "nr_free_pages 5\noom_kill 2\n");
  EXPECT_EQ(ReadOomKills(root_), 2u);
}

TEST_F(MachineFactsTest, ClocksOfThisMachine) {
  MachineFacts facts;
  ReadClocks(facts);
  ASSERT_TRUE(facts.suspended && facts.wall_offset);
  EXPECT_GT(*facts.suspended, absl::Seconds(-1));
  EXPECT_GT(*facts.wall_offset, absl::ZeroDuration());
}

}  // namespace
}  // namespace shakedown::runner
