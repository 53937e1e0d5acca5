#include "agent/runner/setup/machine_setup.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <new>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "agent/runner/setup/fake_root.h"
#include "agent/runner/telemetry/task_stat.h"
#include "controller/plan/setup_text.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

v1::ApplySetup Wanted(const std::vector<std::string>& texts) {
  v1::ApplySetup wanted;
  for (const std::string& text : texts) *wanted.add_steps() = *plan::ParseSetupStep(text);
  return wanted;
}
const std::vector<std::string> kAll = {"stop cron", "governor performance", "turbo off",
                                       "autogroup off", "drop_caches"};

class SetupTest : public testing::Test {
 protected:
  void SetUp() override { root_.PutMachine(); }
  std::string SchedExtProgram(const std::string& script) {
    root_.Put("/sys/kernel/sched_ext/state", "disabled\n");
    return root_.PutProgram("/scx", script);
  }
  // Enables "simple" and disables it when it is told to end.
  std::string GoodProgram() {
    const std::string folder = root_.path() + "/sys/kernel/sched_ext";
    return SchedExtProgram(
        absl::StrCat("trap 'kill $!; echo disabled > ", folder, "/state; exit 0' TERM\nmkdir -p ",
                     folder, "/root; echo simple > ", folder, "/root/ops; echo enabled > ", folder,
                     "/state\nsleep 1000 & wait\n"));
  }
  FakeRoot root_;
};

TEST_F(SetupTest, EchoesDoesAndTakesBack) {
  MachineSetup setup(root_.path(), SystemClock());
  const auto records = setup.Apply(Wanted(kAll));
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 5u);
  EXPECT_EQ((*records)[0].step(), "stop cron");
  EXPECT_EQ((*records)[0].before(), "running");
  EXPECT_EQ((*records)[0].undo(), "service cron start");
  EXPECT_EQ((*records)[1].before(), "schedutil");
  EXPECT_TRUE(absl::StrContains((*records)[1].undo(), "printf '%s\\n' schedutil > /sys/"));
  EXPECT_EQ((*records)[4].undo(), "");
  EXPECT_FALSE(root_.Runs("cron"));
  EXPECT_EQ(root_.Get("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"), "performance");
  EXPECT_EQ(root_.Get("/sys/devices/system/cpu/intel_pstate/no_turbo"), "1");
  EXPECT_TRUE(setup.BeforeLoad().ok());
  EXPECT_EQ(root_.Get("/proc/sys/vm/drop_caches"), "3\n");
  EXPECT_TRUE(absl::IsFailedPrecondition(setup.Apply(Wanted(kAll)).status()));
  ASSERT_TRUE(setup.Undo().ok());
  EXPECT_TRUE(root_.IsAsItWas());
  EXPECT_TRUE(setup.records()[0].undone());
  EXPECT_FALSE(setup.records()[4].undone());
}

TEST_F(SetupTest, ALaterStepThatFailsTakesTheEarlierBack) {
  MachineSetup setup(root_.path(), SystemClock());
  const auto records = setup.Apply(Wanted({"stop cron", "turbo off", "stop bluetooth"}));
  EXPECT_TRUE(
      absl::StartsWith(records.status().message(), "setup: stop bluetooth: service bluetooth: "))
      << records.status();
  EXPECT_TRUE(root_.IsAsItWas());
}

TEST_F(SetupTest, TheSameThingTwiceComesBackToWhatItWas) {
  root_.Put("/proc/sys/kernel/x", "1\n");
  MachineSetup setup(root_.path(), SystemClock());
  ASSERT_TRUE(setup.Apply(Wanted({"sysctl kernel.x=2", "sysctl kernel.x=3"})).ok());
  EXPECT_EQ(root_.Get("/proc/sys/kernel/x"), "3");
  ASSERT_TRUE(setup.Undo().ok());
  EXPECT_EQ(root_.Get("/proc/sys/kernel/x"), "1");
}

TEST_F(SetupTest, OnlyLookingNeedsNoJournal) {
  std::filesystem::remove_all(root_.path() + "/run");
  root_.Put("/proc/loadavg", "0.10 0.2 0.3 1/99 5\n");
  MachineSetup setup(root_.path(), SystemClock());
  ASSERT_TRUE(setup.Apply(Wanted({"settle:load=1", "require_ac"})).ok());
  EXPECT_EQ(setup.settles().size(), 1u);
}

// What a child that is killed in the middle tells.
struct Shared {
  pid_t guardian, scheduler;
};

class KilledTest : public SetupTest {
 protected:
  void SetUp() override {
    SetupTest::SetUp();
    void* memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = new (memory) Shared();
  }
  void TearDown() override { munmap(shared_, sizeof(Shared)); }

  // Sets up in a child, which then gets SIGKILL; with its guardian when that is to die as well.
  void SetUpAndKill(const v1::ApplySetup& wanted, bool guardian_too) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto* setup = new MachineSetup(root_.path(), SystemClock());
      if (!setup->Apply(wanted).ok()) _exit(1);
      for (const pid_t pid : setup->own()) {
        const std::optional<TaskStat> task = ReadTask(pid);
        (task && task->command == "scx" ? shared_->scheduler : shared_->guardian) = pid;
      }
      [[maybe_unused]] const ssize_t ignored = write(ready[1], "r", 1);
      for (;;) pause();
    }
    close(ready[1]);
    char byte;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    ASSERT_GT(shared_->guardian, 1);
    if (guardian_too) kill(shared_->guardian, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  static bool Await(const std::function<bool()>& condition) {
    const absl::Duration until = SystemClock().Elapsed() + absl::Seconds(30);
    while (!condition() && SystemClock().Elapsed() < until) {
      SystemClock().Sleep(absl::Milliseconds(5));
    }
    return condition();
  }
  static bool IsGone(pid_t pid) {
    const std::optional<TaskStat> task = ReadTask(pid);
    return !task || task->state == 'Z';
  }
  Shared* shared_ = nullptr;
};

TEST_F(KilledTest, TheGuardianTakesBack) {
  SetUpAndKill(Wanted(kAll), false);
  EXPECT_TRUE(Await([&] { return root_.IsAsItWas(); }));
  EXPECT_TRUE(Await([&] { return IsGone(shared_->guardian); }));
}

TEST_F(KilledTest, WithItsGuardianWhoComesNextTakesBack) {
  SetUpAndKill(Wanted(kAll), true);
  EXPECT_FALSE(root_.IsAsItWas());
  // A new setup first, which then starts from the true state.
  MachineSetup next(root_.path(), SystemClock());
  const auto records = next.Apply(Wanted({"governor performance"}));
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_EQ((*records)[0].before(), "schedutil");
  EXPECT_TRUE(root_.Runs("cron"));
  ASSERT_TRUE(next.Undo().ok());
  EXPECT_TRUE(root_.IsAsItWas());
}

TEST_F(KilledTest, ASchedExtProgramIsGoneToo) {
  v1::ApplySetup wanted = Wanted({"turbo off"});
  wanted.mutable_sched_ext()->add_command(GoodProgram());
  SetUpAndKill(wanted, false);
  ASSERT_GT(shared_->scheduler, 1);
  EXPECT_TRUE(Await([&] { return root_.IsAsItWas(); }));
  EXPECT_TRUE(Await([&] { return IsGone(shared_->scheduler); }));
}

TEST_F(SetupTest, WhatIsLeftStandsUntilItIsUndone) {
  {
    MachineSetup setup(root_.path(), SystemClock());
    ASSERT_TRUE(setup.Apply(Wanted(kAll)).ok());
    setup.Leave();
  }
  EXPECT_FALSE(root_.IsAsItWas());
  EXPECT_TRUE(UndoLeftovers(root_.path(), absl::Seconds(5), SystemClock()).ok());
  EXPECT_TRUE(root_.IsAsItWas());
}

TEST_F(SetupTest, SchedExtProgramStartsStaysAndEnds) {
  v1::ApplySetup wanted;
  wanted.mutable_sched_ext()->add_command(GoodProgram());
  wanted.mutable_sched_ext()->set_ops("simple");
  MachineSetup setup(root_.path(), SystemClock());
  const auto records = setup.Apply(wanted);
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(setup.own().size(), 2u);  // With the guardian.
  pid_t pid = 0;
  ASSERT_TRUE(absl::SimpleAtoi(absl::StripPrefix((*records)[0].undo(), "kill "), &pid));
  EXPECT_EQ(setup.own().count(pid), 1u);
  EXPECT_TRUE(ReadTask(pid));
  ASSERT_TRUE(setup.Undo().ok());
  EXPECT_FALSE(ReadTask(pid));
  EXPECT_EQ(root_.Get("/sys/kernel/sched_ext/state"), "disabled\n");
}

TEST_F(SetupTest, SchedExtFailuresTellWhoseTheyAre) {
  v1::ApplySetup wanted;
  wanted.mutable_sched_ext()->add_command("/nonexistent/scx");
  const auto error = [&] {
    return std::string(MachineSetup(root_.path(), SystemClock()).Apply(wanted).status().message());
  };
  EXPECT_EQ(error(), "setup: sched_ext: this kernel has no sched_ext");
  root_.Put("/sys/kernel/sched_ext/state", "disabled\n");
  EXPECT_EQ(error(), "setup: sched_ext: /nonexistent/scx: no such program on this machine");
  wanted.mutable_sched_ext()->set_command(0, SchedExtProgram("echo 'verifier: bad'; exit 3\n"));
  const std::string ended = error();
  EXPECT_TRUE(absl::StartsWith(ended, "sched_ext: ")) << ended;
  EXPECT_TRUE(absl::StrContains(ended, "code 3")) << ended;
  EXPECT_TRUE(absl::StrContains(ended, "verifier: bad")) << ended;
  root_.Put("/sys/kernel/sched_ext/state", "enabled\n");
  EXPECT_TRUE(absl::StrContains(error(), "is enabled already"));
}

}  // namespace
}  // namespace shakedown::runner
