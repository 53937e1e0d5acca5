#include "agent/runner/loads/conditions.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;

class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/conditions_test.XXXXXX";
    root_ = mkdtemp(folder);
  }
  void TearDown() override { fs::remove_all(root_); }
  void File(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << text << "\n";
  }
  std::string root_;
};

TEST_F(CgroupTest, TheTightestLevelOfVersion2) {
  File("user/cpu.max", "150000 100000");
  File("user/a/cpu.max", "max 100000");
  File("user/a/memory.max", "536870912");
  File("user/memory.max", "1073741824");
  const CgroupLimits limits = ReadCgroupLimits("0::/user/a\n", root_);
  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_EQ(limits.memory_bytes, 536870912u);
}

TEST_F(CgroupTest, Version1AndNoLimits) {
  File("memory/x/memory.limit_in_bytes", "9223372036854771712");
  File("cpu/x/cpu.cfs_quota_us", "-1");
  File("cpu/x/cpu.cfs_period_us", "100000");
  const std::string groups = "4:memory:/x\n3:cpu,cpuacct:/x\n1:name=systemd:/x\n";
  EXPECT_EQ(ReadCgroupLimits(groups, root_).cpus, std::nullopt);
  EXPECT_EQ(ReadCgroupLimits(groups, root_).memory_bytes, std::nullopt);
  File("cpu/x/cpu.cfs_quota_us", "50000");
  EXPECT_EQ(ReadCgroupLimits(groups, root_).cpus, 0.5);
}

TEST_F(CgroupTest, StrangeTextLimitsNothing) {
  File("secret/cpu.max", "1000 100000");
  for (const char* groups : {"", "0", "0::", "::::\n", "0::/../secret", "0::/gone"}) {
    EXPECT_EQ(ReadCgroupLimits(groups, root_ + "/inside").cpus, std::nullopt) << groups;
  }
}

Conditions Good() {
  Conditions conditions;
  conditions.online_cpus = 2;
  conditions.cpus = {0, 1};
  conditions.memory_kib = 8 << 20;
  return conditions;
}

TEST(NoConditionWarningsTest, WhereAllIsWell) {
  EXPECT_TRUE(ConditionWarnings("interbench", Good()).empty());
}

struct WarningCase {
  std::string name;
  void (*spoil)(Conditions&);
  std::string what, effect;
};
class ConditionWarningsTest : public testing::TestWithParam<WarningCase> {};
TEST_P(ConditionWarningsTest, OneLineWithTheEffect) {
  Conditions conditions = Good();
  GetParam().spoil(conditions);
  const std::vector<std::string> warnings = ConditionWarnings("interbench", conditions);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(absl::StartsWith(warnings[0], "interbench: "));
  EXPECT_TRUE(absl::StrContains(warnings[0], GetParam().what)) << warnings[0];
  EXPECT_TRUE(absl::StrContains(warnings[0], GetParam().effect)) << warnings[0];
  EXPECT_FALSE(absl::StrContains(warnings[0], "\n"));
}
INSTANTIATE_TEST_SUITE_P(
    , ConditionWarningsTest,
    testing::Values(WarningCase{"NoRealtime", [](Conditions& c) { c.realtime = false; },
                                "no RT permission", "count as latency"},
                    WarningCase{"NoCpu0",
                                [](Conditions& c) {
                                  c.cpus = {2, 3};
                                },
                                "CPU 0 is not in the cpuset (allowed: 2,3)", "CPU 2"},
                    WarningCase{"FewCpus", [](Conditions& c) { c.online_cpus = 8; },
                                "allows 2 of 8 CPUs", "presses that much harder"},
                    WarningCase{"CpuQuota", [](Conditions& c) { c.cgroup.cpus = 1.5; },
                                "1.50 of 2 CPUs", "throttled shows as latency"},
                    WarningCase{"MemoryLimit",
                                [](Conditions& c) { c.cgroup.memory_bytes = 512 << 20; },
                                "512 of 8192 MiB", "Memload"}),
    [](const auto& test) { return test.param.name; });

TEST(ReadConditionsTest, SeesThisMachine) {
  const Conditions conditions = ReadConditions();
  EXPECT_GE(conditions.online_cpus, 1u);
  ASSERT_FALSE(conditions.cpus.empty());
  EXPECT_EQ(FirstCpu(conditions), conditions.cpus[0]);
  const cpu_set_t one = JustCpu(3);
  EXPECT_TRUE(CPU_ISSET(3, &one));
  EXPECT_EQ(CPU_COUNT(&one), 1);
  EXPECT_GT(conditions.memory_kib, 0u);
}

}  // namespace
}  // namespace shakedown::runner
