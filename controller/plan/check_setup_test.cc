#include "controller/plan/check_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/plan/setup_text.h"

namespace shakedown::plan {
namespace {

using testing::HasSubstr;

v1::JobSpec SpecWith(const std::vector<std::string>& steps) {
  v1::JobSpec spec;
  spec.add_variants();
  v1::Tunable* tunable = spec.add_variants()->add_tunables();
  tunable->set_name("kernel.sched_autogroup_enabled");
  tunable->set_value("0");
  for (const std::string& step : steps) *spec.add_setup() = *ParseSetupStep(step);
  return spec;
}

std::string Wrong(const v1::JobSpec& spec, const Kernels& kernels = {}) {
  Errors errors;
  CheckSetup(spec, kernels, errors);
  return std::string(errors.AsStatus().message());
}

TEST(CheckSetupTest, AcceptsWhatTheTextAccepts) {
  EXPECT_EQ(Wrong(SpecWith({"stop cron", "drop_caches", "sysctl kernel.x=1"})), "");
}

TEST(CheckSetupTest, NamesTheStep) {
  v1::JobSpec spec = SpecWith({"stop cron"});
  spec.add_setup()->set_stop_service("../x");
  EXPECT_THAT(Wrong(spec), HasSubstr("setup step 2: "));
  spec = SpecWith({});
  for (int i = 0; i < 65; ++i) spec.add_setup()->set_drop_caches(true);
  EXPECT_THAT(Wrong(spec), HasSubstr("65"));
}

TEST(CheckSetupTest, AStepMayNotSetWhatAVariantSets) {
  const std::string want = "kernel.sched_autogroup_enabled, as variant B does";
  EXPECT_THAT(Wrong(SpecWith({"autogroup on"})), HasSubstr(want));
  EXPECT_THAT(Wrong(SpecWith({"sysctl kernel.sched_autogroup_enabled=0"})), HasSubstr(want));
}

TEST(CheckSetupTest, AStepMayNotSetWhatAKernelHasPinned) {
  v1::JobSpec spec = SpecWith({"autogroup off"});
  spec.mutable_variants(1)->clear_tunables();
  for (v1::Variant& variant : *spec.mutable_variants()) variant.set_kernel("debian-6.12");
  Kernels kernels;
  v1::Tunable* pinned = kernels["debian-6.12"].add_tunables();
  pinned->set_name("kernel.sched_autogroup_enabled");
  pinned->set_value("1");
  EXPECT_THAT(Wrong(spec, kernels),
              HasSubstr("setup step 1: sets kernel.sched_autogroup_enabled, which kernel "
                        "debian-6.12 has at 1: want it as a tunable of the variants"));
  pinned->set_name("kernel.other");
  EXPECT_EQ(Wrong(spec, kernels), "");
}

TEST(CheckSetupTest, SchedExt) {
  const auto wrong = [](const v1::SchedExt& scheduler) {
    Errors errors;
    CheckSchedExt(scheduler, "variant B", errors);
    return std::string(errors.AsStatus().message());
  };
  v1::SchedExt scheduler;
  EXPECT_THAT(wrong(scheduler), HasSubstr("words of the sched_ext program"));
  scheduler.add_command("/usr/bin/scx_simple");
  scheduler.set_ops("simple_1.0+x");
  EXPECT_EQ(wrong(scheduler), "");
  scheduler.add_command("two words");
  EXPECT_THAT(wrong(scheduler), HasSubstr("\"two words\""));
  scheduler.set_ops("a/b");
  EXPECT_THAT(wrong(scheduler), HasSubstr("\"a/b\""));
}

}  // namespace
}  // namespace shakedown::plan
