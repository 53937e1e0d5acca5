#include "agent/laptop/owner/order_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::laptop {
namespace {

using testing::ElementsAre;

TEST(OrderWordsTest, EveryPlaceThatNamesAProgramIsACommand) {
  for (int place = 0; place < 6; ++place) {
    v1::BootOrder order;
    order.add_loads()->mutable_make();
    EXPECT_THAT(LoadsOf(order), ElementsAre("make"));
    v1::Load* load = order.mutable_loads(0);
    if (place == 0) load->mutable_latt()->add_command("sh");
    if (place == 1) load->mutable_launch()->add_program("sh");
    if (place == 2) load->mutable_launch()->mutable_beside()->mutable_command()->add_words("sh");
    if (place == 3) load->mutable_frames()->mutable_beside()->mutable_command()->add_words("sh");
    if (place == 4) load->mutable_command()->set_script("#!/bin/sh");
    if (place == 5) order.add_background()->mutable_command()->add_words("sh");
    EXPECT_THAT(LoadsOf(order), testing::Contains("command")) << place;
  }
}

TEST(OrderWordsTest, AMessageNobodyKnowsIsNone) {
  v1::BootOrder order;
  order.add_loads();
  order.add_setup();
  EXPECT_THAT(LoadsOf(order), ElementsAre("none"));
  EXPECT_THAT(SetupOf(order), ElementsAre("none"));
  EXPECT_FALSE(LoadIsHarmless("none"));
  EXPECT_FALSE(SetupIsHarmless("none"));
}

TEST(OrderWordsTest, ParametersThatRunMountOrHideAreNotHarmless) {
  for (const char* name : {"init",
                           "rdinit",
                           "root",
                           "initrd",
                           "systemd.run",
                           "systemd.unit",
                           "rd.break",
                           "break",
                           "shakedown.boot",
                           "panic",
                           "modprobe.blacklist",
                           "module_blacklist",
                           "lockdown",
                           "ima",
                           "efi",
                           "acpi_rsdp",
                           "dyndbg",
                           "usbcore.quirks",
                           "--",
                           "",
                           "sched",
                           "preempt_dynamic"}) {
    EXPECT_FALSE(BootParameterIsHarmless(name)) << name;
  }
  for (const char* name : {"preempt", "sched_verbose", "nohz_full", "rcutree.kthread_prio",
                           "intel_idle.max_cstate", "processor.max_cstate", "mitigations"}) {
    EXPECT_TRUE(BootParameterIsHarmless(name)) << name;
  }
}

TEST(OrderWordsTest, TunablesThatRunProgramsAreNotHarmless) {
  for (const char* name :
       {"kernel.core_pattern", "kernel.modprobe", "kernel.hotplug", "kernel.sysrq",
        "fs.suid_dumpable", "kernel.panic", "net.core.somaxconn"})
    EXPECT_FALSE(TunableIsHarmless(name)) << name;
  for (const char* name : {"kernel.sched_autogroup_enabled", "sched/base_slice_ns", "vm.swappiness",
                           "kernel.rr_interval"})
    EXPECT_TRUE(TunableIsHarmless(name)) << name;
}

TEST(OrderWordsTest, TheKernelReadsDashAndUnderscoreAsOne) {
  v1::BootOrder order;
  order.add_boot_parameters("nohz-full=1-3");
  order.add_boot_parameters("quiet");
  EXPECT_THAT(BootParametersOf(order), ElementsAre("nohz_full", "quiet"));
}

TEST(OrderWordsTest, OnlyAStartThatEndsCovers) {
  EXPECT_TRUE(Covers("kernel.sched_", "kernel.sched_bore"));
  EXPECT_TRUE(Covers("init", "init"));
  EXPECT_FALSE(Covers("init", "initcall_debug"));
  EXPECT_FALSE(Covers("", "init"));
  EXPECT_FALSE(Covers("", ""));
}

}  // namespace
}  // namespace shakedown::laptop
