#include "agent/runner/setup/tunables.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(TunablePathTest, Good) {
  EXPECT_EQ(TunablePath("kernel.sched_autogroup_enabled").value(),
            "/proc/sys/kernel/sched_autogroup_enabled");
  EXPECT_EQ(TunablePath("net.core.busy_poll").value(), "/proc/sys/net/core/busy_poll");
  EXPECT_EQ(TunablePath("sched/base_slice_ns").value(), "/sys/kernel/debug/sched/base_slice_ns");
  EXPECT_EQ(TunablePath("sched/fair_server/cpu0/runtime").value(),
            "/sys/kernel/debug/sched/fair_server/cpu0/runtime");
}

TEST(TunablePathTest, Bad) {
  for (const std::string& name :
       {std::string(), std::string("kernel"), std::string("kernel..x"), std::string(".kernel.x"),
        std::string("kernel.x."), std::string("kernel/x"), std::string("/etc/passwd"),
        std::string("sched/../tracing/on"), std::string("sched//x"), std::string("sched/"),
        std::string("sched/."), std::string("sched/a..b"), std::string("tracing/on"),
        std::string("kernel.Sched"), std::string("kernel.a b"), std::string("kernel.a\nb"),
        std::string("kernel.a\0b", 10), std::string("kernel.\xf0\x9f\x92\xa9"),
        "kernel." + std::string(300, 'a')}) {
    EXPECT_EQ(TunablePath(name).status().code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

class TunableFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/tunables_test.XXXXXX";
    root_ = mkdtemp(folder);
    std::filesystem::create_directories(root_ + "/proc/sys/kernel");
    std::filesystem::create_directories(root_ + "/sys/kernel/debug/sched");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& path, const std::string& text) {
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(TunableFilesTest, WrittenAndReadBack) {
  Put("/proc/sys/kernel/x", "1\n");
  EXPECT_EQ(ReadTunable("kernel.x", root_).value(), "1");
  EXPECT_EQ(ApplyTunable("kernel.x", "0", root_).value(), "0");
  EXPECT_EQ(ReadTunable("kernel.x", root_).value(), "0");
}

TEST_F(TunableFilesTest, OneThatIsNotThereIsSaidWithThoseLikeIt) {
  for (const char* name : {"sched_autogroup_enabled", "sched_rt_period_us", "panic", "acct"}) {
    Put(std::string("/proc/sys/kernel/") + name, "1\n");
  }
  const auto refusal = [&](const std::string& name) {
    return std::string(ApplyTunable(name, "1", root_).status().message());
  };
  EXPECT_EQ(refusal("kernel.sched_autogroup_enable"),
            "tunable kernel.sched_autogroup_enable: this kernel has none (did you mean "
            "kernel.sched_autogroup_enabled?)");
  EXPECT_EQ(refusal("kernel.qqqqqq"), "tunable kernel.qqqqqq: this kernel has none");
  EXPECT_EQ(refusal("nofolder.sub.x"), "tunable nofolder.sub.x: this kernel has none");
  EXPECT_EQ(refusal("sched/base_slice_ns"), "tunable sched/base_slice_ns: this kernel has none");
}

TEST_F(TunableFilesTest, ChosenWordOfAList) {
  Put("/sys/kernel/debug/sched/preempt", "none (voluntary) full \n");
  EXPECT_EQ(ReadTunable("sched/preempt", root_).value(), "voluntary");
}

TEST_F(TunableFilesTest, AbsentIsAnErrorThatNamesIt) {
  const absl::Status read = ReadTunable("kernel.gone", root_).status();
  EXPECT_EQ(read.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(read.message().find("kernel.gone"), absl::string_view::npos);
  const absl::Status applied = ApplyTunable("kernel.gone", "1", root_).status();
  EXPECT_EQ(applied.code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/proc/sys/kernel/gone"));
}

TEST_F(TunableFilesTest, ValuesThatAreNoneAreRefused) {
  Put("/proc/sys/kernel/x", "1\n");
  for (const std::string& value : {std::string(), std::string("1\n2"), std::string(2000, '1')}) {
    EXPECT_EQ(ApplyTunable("kernel.x", value, root_).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(ReadTunable("kernel.x", root_).value(), "1");
}

}  // namespace
}  // namespace shakedown::runner
