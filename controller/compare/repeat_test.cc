#include "controller/compare/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "controller/plan/text.h"

namespace shakedown::compare {
namespace {

TEST(ShellWordTest, Table) {
  EXPECT_EQ(ShellWord("debian-6.1"), "debian-6.1");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("O'Brien $(x)"), "'O'\\''Brien $(x)'");
}

TEST(RepeatCommandTest, SaysAllThatMakesTheSameJob) {
  v1::JobView job;
  *job.mutable_spec()->add_variants() = *plan::ParseVariant("a");
  *job.mutable_spec()->add_variants() = *plan::ParseVariant("b nohz=off kernel.x=1");
  *job.mutable_spec()->add_loads() = *plan::ParseLoad("make jobs=2");
  *job.mutable_spec()->add_loads() = *plan::ParseLoad("latt");
  job.mutable_spec()->mutable_machines()->add_names("vm1");
  job.mutable_spec()->mutable_machines()->add_tags("kvm");
  job.mutable_spec()->set_blocks(4);
  job.mutable_spec()->set_max_attempts(5);
  job.mutable_spec()->set_title("a & b");
  job.mutable_plan()->set_order_seed(77);
  EXPECT_EQ(
      absl::StrJoin(RepeatCommand(job), " "),
      "shakedown submit --baseline a --challenger 'b nohz=off kernel.x=1' --load 'make jobs=2' "
      "--load latt --machine vm1 --tag kvm --blocks 4 --attempts 5 --seed 77 --title 'a & b'");
}

TEST(RepeatCommandTest, SaysWhenItEnds) {
  v1::JobView job;
  for (const char* kernel : {"a", "b", "a"}) job.mutable_spec()->add_variants()->set_kernel(kernel);
  job.mutable_spec()->mutable_variants(2)->set_control(true);
  job.mutable_spec()->set_control(true);
  *job.mutable_spec()->add_loads() = *plan::ParseLoad("make");
  job.mutable_spec()->set_max_attempts(3);
  job.mutable_spec()->set_stopping(v1::STOPPING_RULE_LOOKS);
  job.mutable_spec()->set_budget_s(14400);
  job.mutable_spec()->add_primary_metrics("make.user");
  job.mutable_plan()->set_order_seed(77);
  EXPECT_EQ(absl::StrJoin(RepeatCommand(job), " "),
            "shakedown submit --baseline a --challenger b --load make --looks --budget 14400s "
            "--primary make.user --control --seed 77 --title ''");
  job.mutable_spec()->set_stopping(v1::STOPPING_RULE_QUICK);
  EXPECT_EQ(RepeatCommand(job)[4], "--quick");
}

TEST(RepeatCommandTest, WordsWithBlanksAndActivitiesAreQuoted) {
  v1::JobView job;
  v1::CommandLoad* load = job.mutable_spec()->add_loads()->mutable_command();
  for (const char* word : {"sh", "-c", "echo x; exit"}) load->add_words(word);
  job.mutable_spec()->mutable_loads(0)->set_iterations(1);
  job.mutable_spec()->add_background()->set_audio(true);
  v1::Activity* film = job.mutable_spec()->add_background();
  film->set_nice(5);
  film->mutable_command()->add_words("a film");
  EXPECT_THAT(RepeatCommand(job),
              testing::IsSupersetOf({R"(--load 'command -- sh -c '\''echo x; exit'\''')",
                                     R"(--background audio)",
                                     R"(--background 'command nice=5 -- '\''a film'\''')"}));
}

TEST(RepeatCommandTest, WhatNoLineCanSayWantsAJobFile) {
  v1::Load script, config, beside;
  script.mutable_command()->set_script("#!/bin/sh\n");
  config.mutable_make()->set_config("CONFIG_A=y\n");
  beside.mutable_frames()->mutable_beside()->mutable_make()->add_targets("vmlinux");
  for (const v1::Load& load : {script, config, beside}) {
    v1::JobView job;
    *job.mutable_spec()->add_loads() = load;
    job.mutable_plan()->set_order_seed(3);
    EXPECT_EQ(absl::StrJoin(RepeatCommand(job), " "),
              "shakedown submit JOBFILE # with order_seed: 3 in it");
  }
}

}  // namespace
}  // namespace shakedown::compare
