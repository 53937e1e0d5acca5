#include "controller/compare/comparability.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"

namespace shakedown::compare {
namespace {

TEST(DiffersTest, Table) {
  EXPECT_TRUE(Differs("cpu.governor", "schedutil", "performance"));
  EXPECT_FALSE(Differs("cpu.governor", "schedutil", "schedutil"));
  EXPECT_FALSE(Differs("cpu.governor", "schedutil", "")) << "could not be read";
  EXPECT_FALSE(Differs("memory_kib", "480000", "440000")) << "the kernel's own part";
  EXPECT_TRUE(Differs("memory_kib", "1000000", "2000000"));
  EXPECT_TRUE(Differs("memory_kib", "1000000", "many"));
  EXPECT_FALSE(Differs("mitigations", "meltdown: Mitigation: PTI",
                       "meltdown: Mitigation: PTI; x: Vulnerable"));
  EXPECT_FALSE(
      Differs("mitigations", "mds: Mitigation: Clear", "mds: Mitigation: Clear CPU buffers"));
  EXPECT_TRUE(Differs("mitigations", "meltdown: Mitigation: PTI", "meltdown: Vulnerable"));
  EXPECT_FALSE(Differs("mitigations", "spectre_v2: Mitigation: Retpolines; STIBP: disabled",
                       "spectre_v2: Mitigation: Retpolines; STIBP: forced"));
  EXPECT_FALSE(Differs("kernel.preempt_mode", "none (voluntary) full", "(voluntary) full lazy"));
  EXPECT_TRUE(Differs("kernel.preempt_mode", "none (voluntary) full", "none voluntary (full)"));
}

TEST(TierTest, Table) {
  EXPECT_EQ(TierOf("cpu.governor"), Tier::kHard);
  EXPECT_EQ(TierOf("input.linux-6.12"), Tier::kHard);
  EXPECT_EQ(TierOf("cpu.microcode"), Tier::kSoft);
  EXPECT_EQ(TierOf("never.heard"), Tier::kSoft);
  EXPECT_EQ(TierOf("tunables"), Tier::kSubject);
  EXPECT_EQ(TierWord(Tier::kHard), "hard");
}

struct Side {
  const char* kernel = "a";
  const char* version = "6.12.57-1";
  std::vector<std::string> fragments = {"guest.config"};
  std::vector<std::string> patches;
  const char* parameter = "";
  const char* tunable = "";
  std::map<std::string, std::string> facts = {};
  const char* machine = "vm1";
};

v1::ReportData DataOf(const std::vector<Side>& sides) {
  v1::ReportData data;
  for (const Side& side : sides) {
    v1::ReportData::VariantData* variant = data.add_variants();
    variant->mutable_variant()->set_kernel(side.kernel);
    if (*side.parameter != '\0') variant->mutable_variant()->add_boot_parameters(side.parameter);
    if (*side.tunable != '\0') variant->mutable_variant()->add_tunables()->set_name(side.tunable);
    for (const auto& fragment : side.fragments) {
      variant->mutable_kernel()->mutable_config()->add_fragments(fragment);
    }
    for (const auto& patch : side.patches)
      variant->mutable_kernel()->add_patches()->set_sha256(patch);
    variant->mutable_build()->set_source_version(side.version);
    variant->mutable_expected()->set_release(side.version);
    v1::ReportData::BootData* boot = data.add_boots();
    boot->mutable_view()->set_block(1);
    boot->mutable_view()->set_variant(static_cast<uint32_t>(data.variants_size() - 1));
    boot->mutable_view()->set_outcome(v1::OUTCOME_MEASURED);
    boot->mutable_view()->set_machine(side.machine);
    auto& facts = *boot->mutable_result()->mutable_fingerprint()->mutable_facts();
    facts["cpu.online"] = "0-1";
    for (const auto& [name, value] : side.facts) facts[name] = value;
  }
  return data;
}

struct ConfoundedCase {
  const char* name;
  Side base;
  Side challenger;
  const char* want;  // Names, parted by commas.
};
class ConfoundedTest : public testing::TestWithParam<ConfoundedCase> {};
TEST_P(ConfoundedTest, SameBothWays) {
  for (const bool turned : {false, true}) {
    v1::Report report;
    const Side& a = turned ? GetParam().challenger : GetParam().base;
    const Side& b = turned ? GetParam().base : GetParam().challenger;
    AddComparability(DataOf({a, b}), &report);
    const std::string got =
        report.confounded().empty() ? "" : absl::StrJoin(report.confounded(0).names(), ",");
    EXPECT_EQ(got, GetParam().want);
    EXPECT_TRUE(report.hard_differences().empty());
  }
}
INSTANTIATE_TEST_SUITE_P(
    , ConfoundedTest,
    testing::ValuesIn<ConfoundedCase>({
        {"Same", {}, {}, ""},
        {"OtherVersion", {}, {.kernel = "b", .version = "6.1.164-1"}, ""},
        {"AFragmentOfTheVersion",
         {.fragments = {"guest.config", "guest-6.12.config"}},
         {.kernel = "b", .version = "6.1.164-1"},
         ""},
        {"AFragmentOfAnotherVersion",
         {.fragments = {"guest.config", "guest-6.1.config"}},
         {.kernel = "b", .version = "6.1.164-1"},
         "source version,config"},
        {"OtherConfig", {}, {.kernel = "b", .fragments = {"guest.config", "hz-1000.config"}}, ""},
        {"OtherPatch", {}, {.kernel = "b", .patches = {"p"}}, ""},
        {"VersionAndPatch",
         {},
         {.kernel = "b", .version = "6.1.164-1", .patches = {"p"}},
         "source version,patches"},
        {"VersionAndConfig",
         {},
         {.kernel = "b", .version = "6.1.164-1", .fragments = {"guest.config", "hz-1000.config"}},
         "source version,config"},
        {"DeclaredParameter", {}, {.parameter = "nohz=off"}, ""},
        {"DeclaredTunable", {}, {.tunable = "kernel.x"}, ""},
        {"KernelAndItsTunable", {}, {.kernel = "b", .version = "6.1", .tunable = "kernel.x"}, ""},
        {"AFactNobodyDeclared",
         {.facts = {{"autogroup", "0"}}},
         {.facts = {{"autogroup", "1"}}},
         "autogroup"},
        {"AFactThatATunableExplains",
         {.facts = {{"autogroup", "0"}}},
         {.tunable = "kernel.sched_autogroup_enabled", .facts = {{"autogroup", "1"}}},
         ""},
        {"AFactThatTheConfigExplains",
         {.facts = {{"kernel.hz", "250"}}},
         {.kernel = "b", .fragments = {"hz"}, .facts = {{"kernel.hz", "1000"}}},
         ""},
        {"AVersionThatAlsoBringsAnotherHz",
         {.facts = {{"kernel.hz", "250"}}},
         {.kernel = "b", .version = "6.1", .facts = {{"kernel.hz", "1000"}}},
         "source version,kernel.hz"},
        {"ASoftFact",
         {.facts = {{"clocksource", "hpet"}}},
         {.facts = {{"clocksource", "tsc"}}},
         ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(HardTest, NamesTheFactAndTheBlock) {
  v1::Report report;
  AddComparability(DataOf({{.facts = {{"cpu.governor", "schedutil"}}},
                           {.facts = {{"cpu.governor", "performance"}}},
                           {.facts = {{"cpu.governor", "schedutil"}}, .machine = "vm2"}}),
                   &report);
  ASSERT_EQ(report.hard_differences_size(), 2);
  EXPECT_EQ(report.hard_differences(0).letter(), "B");
  EXPECT_EQ(report.hard_differences(0).name(), "cpu.governor");
  EXPECT_EQ(report.hard_differences(0).challenger(), "performance");
  EXPECT_EQ(report.hard_differences(0).block(), 1u);
  EXPECT_EQ(report.hard_differences(1).letter(), "C");
  EXPECT_EQ(report.hard_differences(1).name(), "machine");
}

TEST(HardTest, ABootThatFailedSaysNothing) {
  v1::ReportData data = DataOf({{}, {.facts = {{"cpu.online", "0"}}}});
  data.mutable_boots(1)->mutable_view()->set_outcome(v1::OUTCOME_PANICKED);
  v1::Report report;
  AddComparability(data, &report);
  EXPECT_TRUE(report.hard_differences().empty());
}

}  // namespace
}  // namespace shakedown::compare
