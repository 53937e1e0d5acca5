#include "controller/cli/why_waits.h"

#include <gtest/gtest.h>

#include "controller/cli/job_views.h"

namespace shakedown::cli {
namespace {

v1::ListMachinesResponse Machines(std::initializer_list<const char*> states) {
  v1::ListMachinesResponse machines;
  int n = 0;
  for (const char* state : states) {
    v1::MachineView& machine = *machines.add_machines();
    machine.set_name("vm" + std::to_string(++n));
    machine.add_tags("kvm");
    machine.set_state(state);
    if (machine.state() == "running") machine.set_detail("boots 16.2B");
  }
  return machines;
}

TEST(WhyWaitsTest, ForABuild) {
  v1::JobView job = MakeJob(1);
  v1::BuildView& build = *job.mutable_builds(1);
  build.set_state(v1::WORK_STATE_RUNNING);
  build.set_phase("compile");
  build.set_progress(0.43F);
  job.mutable_boots(1)->set_state(v1::WORK_STATE_WAITING);
  EXPECT_EQ(WhyWaits(job, job.boots(1), {}), "build of debian-6.12: compile 43%");
  EXPECT_EQ(WhyWaits(job, job.boots(0), Machines({"idle"})), "build of debian-6.12: compile 43%")
      << "a block begins when all its kernels are there";
}

TEST(WhyWaitsTest, ForWhatComesBeforeIt) {
  v1::JobView job = MakeJob(2);
  EXPECT_EQ(WhyWaits(job, job.boots(0), Machines({"idle"})), "next");
  EXPECT_EQ(WhyWaits(job, job.boots(1), Machines({"idle"})), "after 17.1A");
  EXPECT_EQ(WhyWaits(job, job.boots(2), Machines({"idle"})), "after block 1");
  SetRunning(*job.mutable_boots(1), "make", 0);
  EXPECT_EQ(WhyWaits(job, job.boots(1), {}), "");
  EXPECT_EQ(WhyWaits(job, job.boots(0), {}), "after 17.1B") << "in the order BA";
}

TEST(WhyWaitsTest, ForAMachine) {
  v1::JobView job = MakeJob(1);
  EXPECT_EQ(WhyWaits(job, job.boots(0), Machines({"running", "offline"})),
            "vm1 is busy: boots 16.2B, vm2 is offline");
  EXPECT_EQ(WhyWaits(job, job.boots(0), Machines({"running", "idle"})), "next");
  v1::ListMachinesResponse away = Machines({"running", "needs_hands"});
  away.mutable_machines(0)->set_detail("boots 16.2B: away until 14:02 UTC: reboots into 6.12.9");
  away.mutable_machines(1)->set_detail("last seen 2 h ago; to do: press the power button");
  EXPECT_EQ(WhyWaits(job, job.boots(0), away),
            "vm1 is busy: boots 16.2B: away until 14:02 UTC: reboots into 6.12.9, "
            "vm2 needs hands: last seen 2 h ago; to do: press the power button");
  job.mutable_boots(0)->set_machine("vm1");
  EXPECT_EQ(WhyWaits(job, job.boots(0), Machines({"running", "idle"})), "vm1 is busy: boots 16.2B")
      << "a block stays on its machine";
  job.mutable_boots(0)->clear_machine();
  job.mutable_spec()->mutable_machines()->add_tags("laptop");
  EXPECT_EQ(WhyWaits(job, job.boots(0), Machines({"idle"})), "no machine fits");
}

TEST(WhyWaitsTest, WhatHasEndedDoesNot) {
  v1::JobView job = MakeJob(1);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  EXPECT_EQ(WhyWaits(job, job.boots(0), {}), "");
}

}  // namespace
}  // namespace shakedown::cli
