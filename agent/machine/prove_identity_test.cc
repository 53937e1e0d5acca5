#include "agent/machine/prove_identity.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

constexpr char kBootId[] = "6a1a4c3e-9d0a-4f6c-8f35-0d5c7d3f1a11";

Wanted AWanted() {
  Wanted wanted;
  wanted.expected.set_release("6.12.43-shakedown-3f91c2aa07d1");
  wanted.expected.set_build_id("deadbeef");
  wanted.parameters = {"root=/dev/vda", "preempt=full", "nohz=off"};
  wanted.tunables.emplace_back();
  wanted.tunables[0].set_name("sched/base_slice_ns");
  wanted.tunables[0].set_value("3000000");
  wanted.boot_id = kBootId;
  return wanted;
}

v1::Identity AFound() {
  v1::Identity found;
  found.set_release("6.12.43-shakedown-3f91c2aa07d1");
  found.set_version("#1 SMP Thu Jan 1 00:00:00 UTC 1970");
  found.set_build_id("deadbeef");
  found.set_command_line("console=ttyS0 root=/dev/vda preempt=full panic=-1 nohz=off");
  found.set_boot_id(kBootId);
  v1::Tunable* tunable = found.add_tunables();
  tunable->set_name("sched/base_slice_ns");
  tunable->set_value("3000000");
  return found;
}

struct MismatchCase {
  std::string name;
  std::function<void(Wanted&, v1::Identity&)> change;
  std::string want;  // Part of the line; empty: proven.
};
class FindMismatchTest : public testing::TestWithParam<MismatchCase> {};

TEST_P(FindMismatchTest, NamesWhatDiffers) {
  Wanted wanted = AWanted();
  v1::Identity found = AFound();
  GetParam().change(wanted, found);
  const std::optional<std::string> line = FindMismatch(wanted, found);
  EXPECT_EQ(line.has_value(), !GetParam().want.empty()) << line.value_or("");
  EXPECT_THAT(line.value_or(""), testing::HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    , FindMismatchTest,
    testing::ValuesIn<MismatchCase>({
        {"Same", [](Wanted&, v1::Identity&) {}, ""},
        {"OtherRelease", [](Wanted&, v1::Identity& f) { f.set_release("6.1.0"); },
         "kernel release: wanted \"6.12.43-shakedown-3f91c2aa07d1\", found \"6.1.0\""},
        {"NoRelease", [](Wanted&, v1::Identity& f) { f.clear_release(); }, "found none"},
        {"OtherBuildId", [](Wanted&, v1::Identity& f) { f.set_build_id("cafe"); },
         "kernel build id: wanted \"deadbeef\", found \"cafe\""},
        {"NoBuildId", [](Wanted&, v1::Identity& f) { f.clear_build_id(); },
         "kernel build id: wanted \"deadbeef\", found none"},
        {"VersionNotAskedFor", [](Wanted&, v1::Identity& f) { f.set_version("#2"); }, ""},
        {"OtherVersion",
         [](Wanted& w, v1::Identity&) {
           w.expected.clear_build_id();
           w.expected.set_version("#1 Debian");
         },
         "kernel version: wanted \"#1 Debian\""},
        {"VersionForBuildId",
         [](Wanted& w, v1::Identity& f) {
           w.expected.clear_build_id();
           w.expected.set_version(f.version());
         },
         ""},
        {"NothingToProveBy", [](Wanted& w, v1::Identity&) { w.expected.clear_build_id(); },
         "neither"},
        {"OtherBootId",
         [](Wanted&, v1::Identity& f) { f.set_boot_id("7a1a4c3e-9d0a-4f6c-8f35-0d5c7d3f1a11"); },
         "boot id: wanted"},
        {"BootIdIsNone",
         [](Wanted& w, v1::Identity& f) {
           w.boot_id.clear();
           f.clear_boot_id();
         },
         "boot id"},
        {"ParameterLost",
         [](Wanted&, v1::Identity& f) { f.set_command_line("root=/dev/vda preempt=full"); },
         "boot parameter \"nohz=off\": wanted on the command line"},
        {"ParameterInPart",
         [](Wanted&, v1::Identity& f) {
           f.set_command_line("root=/dev/vda preempt=full nohz=offx");
         },
         "boot parameter \"nohz=off\""},
        {"OtherOrder",
         [](Wanted&, v1::Identity& f) {
           f.set_command_line("root=/dev/vda nohz=off preempt=full");
         },
         "boot parameter \"nohz=off\""},
        {"OtherTunable", [](Wanted&, v1::Identity& f) { f.mutable_tunables(0)->set_value("7"); },
         "tunable sched/base_slice_ns: wanted \"3000000\", found \"7\""},
        {"NoTunable", [](Wanted&, v1::Identity& f) { f.clear_tunables(); }, "was not read back"},
        {"ControlCharacters", [](Wanted&, v1::Identity& f) { f.set_release("\x1b[31m\n"); },
         "found \"\\x1b[31m\\n\""},
    }),
    [](const auto& test) { return test.param.name; });

struct TunableCase {
  std::string name, tunable, value, read_back;
  bool same;
};
class TunableTest : public testing::TestWithParam<TunableCase> {};

TEST_P(TunableTest, ValuesAreCompared) {
  v1::Tunable wanted, got;
  wanted.set_name(GetParam().tunable);
  wanted.set_value(GetParam().value);
  got.set_name(GetParam().tunable);
  got.set_value(GetParam().read_back);
  EXPECT_EQ(!FindTunableMismatch({wanted}, {got}).has_value(), GetParam().same);
}

INSTANTIATE_TEST_SUITE_P(
    , TunableTest,
    testing::ValuesIn<TunableCase>({
        {"LineFeed", "kernel.x", "6", "6\n", true},
        {"Blanks", "kernel.x", "1 2", "1\t2\n", true},
        {"Other", "kernel.x", "6", "60", false},
        {"Empty", "kernel.x", "6", "", false},
        {"Round", "sched/preempt", "full", "none voluntary (full)", true},
        {"Square", "x", "voluntary", "none [voluntary] full", true},
        {"NotChosen", "sched/preempt", "none", "none voluntary (full)", false},
        {"Feature", "sched/features", "NO_HRTICK", "PLACE_LAG NO_HRTICK WAKEUP_PREEMPTION", true},
        {"OtherFeature", "sched/features", "HRTICK", "PLACE_LAG NO_HRTICK", false},
        {"WordElsewhere", "kernel.x", "2", "1 2 3", false},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FindChangeTest, TellsEjectionFromTheRest) {
  EXPECT_FALSE(FindChange(AFound(), AFound()).has_value());
  v1::Identity before = AFound(), after = AFound();
  before.set_sched_ext_state("enabled");
  after.set_sched_ext_state("disabled");
  EXPECT_TRUE(FindChange(before, after)->scheduler);
  EXPECT_EQ(FindChange(before, after)->what,
            "sched_ext changed in mid-run: was \"enabled\", is \"disabled\"");
  after = before;
  after.set_sched_ext_ops("rusty");
  EXPECT_TRUE(FindChange(before, after)->scheduler);
  after = before;
  after.set_boot_id("x");
  EXPECT_FALSE(FindChange(before, after)->scheduler);
  after = before;
  after.clear_tunables();
  EXPECT_EQ(FindChange(before, after)->what,
            "tunable sched/base_slice_ns changed in mid-run: was \"3000000\", is none");
}

}  // namespace
}  // namespace shakedown::agent
