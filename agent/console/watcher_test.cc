#include "agent/console/watcher.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown::console {
namespace {

struct LineCase {
  std::string name, line;
  Finding want;
  std::string title;
};
class LineTest : public testing::TestWithParam<LineCase> {};

TEST_P(LineTest, IsJudged) {
  const auto& [name, line, want, title] = GetParam();
  for (const std::string& log :
       {line, line + "\n", "[    0.100000] a\r\n[    1.000000] " + line + "\r\n",
        "[    1.000000][    T1] " + line, "half a line[    1.000000] " + line,
        "<6>[    1.000000] " + line + "\n[    2.000000] z\n"}) {
    const Verdict verdict = Classify(log);
    EXPECT_EQ(static_cast<int>(verdict.finding), static_cast<int>(want)) << log;
    EXPECT_EQ(verdict.title, title) << log;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , LineTest,
    testing::ValuesIn<LineCase>({
        {"NoRoot", "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)",
         Finding::kBootFailed,
         "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)"},
        {"NoInit", "Kernel panic - not syncing: Requested init /x failed (error -2).",
         Finding::kBootFailed, "Kernel panic - not syncing: Requested init /x failed (error -2)."},
        {"Panic", "Kernel panic - not syncing: sysrq triggered crash", Finding::kPanicked,
         "Kernel panic - not syncing: sysrq triggered crash"},
        {"NullPointer", "BUG: kernel NULL pointer dereference, address: 0000000000000051",
         Finding::kPanicked, "BUG: kernel NULL pointer dereference"},
        {"PageFault", "BUG: unable to handle page fault for address: ffffa1b2c3d4e5f6",
         Finding::kPanicked, "BUG: unable to handle page fault"},
        {"OldNullPointer", "BUG: unable to handle kernel NULL pointer dereference at 00000010",
         Finding::kPanicked, "BUG: unable to handle kernel NULL pointer dereference"},
        {"DivideError", "divide error: 0000 [#1] PREEMPT SMP", Finding::kPanicked, "divide error"},
        {"NewOops", "Oops: divide error: 0000 [#1] PREEMPT SMP NOPTI", Finding::kPanicked,
         "divide error"},
        {"Protection",
         "general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP",
         Finding::kPanicked, "general protection fault"},
        {"BugAt", "kernel BUG at kernel/sched/core.c:1234!", Finding::kPanicked,
         "kernel BUG at kernel/sched/core.c:1234!"},
        {"SoftLockup", "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [make:812]",
         Finding::kHung, "BUG: soft lockup"},
        {"HardLockup", "NMI watchdog: Watchdog detected hard LOCKUP on cpu 1", Finding::kHung,
         "hard lockup"},
        {"LockupPanic", "Kernel panic - not syncing: softlockup: hung tasks", Finding::kHung,
         "Kernel panic - not syncing: softlockup: hung tasks"},
        {"HungTask", "INFO: task kworker/0:1:12 blocked for more than 120 seconds.", Finding::kHung,
         "hung task: kworker/0:1 blocked for more than 120 seconds"},
        {"RcuStall", "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", Finding::kHung,
         "RCU stall: rcu_preempt"},
        {"RcuSelf", "rcu: INFO: rcu_sched self-detected stall on CPU", Finding::kHung,
         "RCU stall: rcu_sched"},
        {"OldRcu", "INFO: rcu_sched_state detected stall on CPU 0 (t=15000 jiffies)",
         Finding::kHung, "RCU stall: rcu_sched_state"},

        {"CommandLine",
         "Kernel command line: panic=5 softlockup_panic=1 x=BUG: hung_task_panic=1 oops=panic",
         Finding::kNone, ""},
        {"CommandLineInQuotes", "Command line: x=\"Kernel panic - not syncing: no\"",
         Finding::kNone, ""},
        {"HungTaskDriver", "hung_task: khungtaskd started", Finding::kNone, ""},
        {"Driver", "pvpanic-pci 0000:00:1e.0: PCI->APIC IRQ transform", Finding::kNone, ""},
        {"RcuSettings", "rcu: \tRCU CPU stall warnings timeout set to 60 (rcu_cpu_stall_timeout).",
         Finding::kNone, ""},
        {"RcuInfo", "rcu: INFO: rcu_preempt enabled", Finding::kNone, ""},
        {"Warning", "WARNING: CPU: 0 PID: 1 at kernel/sched/core.c:10 foo+0x1/0x2", Finding::kNone,
         ""},
        {"Watchdog", "NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
         Finding::kNone, ""},
        {"ProgramCrash", "traps: cc1[99] general protection fault ip:4 sp:5 error:0 in cc1[4+1]",
         Finding::kNone, ""},
        {"Segfault", "cc1[99]: segfault at 0 ip 4 sp 5 error 4 in cc1", Finding::kNone, ""},
        {"EndOfPanic", "---[ end Kernel panic - not syncing: x ]---", Finding::kNone, ""},
        {"Printed", "make: echo Kernel panic - not syncing: said a test", Finding::kNone, ""},
        {"TaskInfo", "INFO: task list follows", Finding::kNone, ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(WatcherTest, SameVerdictInAnyPieces) {
  const std::string log =
      "\x1b"
      "c\x1b[?7lSeaBIOS\r\n[    0.000000] Linux version 6.1\r\n"
      "[    1.000000] BUG: kernel NULL pointer dereference, address: 0000000000000051\r\n"
      "[    1.000100] #PF: supervisor read access in kernel mode\r\n"
      "[    1.000200] RIP: 0010:pick_eevdf.constprop.0+0x51/0x90\r\n"
      "[    1.000300] Kernel panic - not syncing: Fatal exception\r\n";
  for (size_t piece = 1; piece < 40; ++piece) {
    Watcher watcher;
    for (size_t at = 0; at < log.size(); at += piece) {
      watcher.Add(absl::string_view(log).substr(at, piece));
    }
    watcher.Finish();
    EXPECT_EQ(watcher.verdict().title, "BUG: kernel NULL pointer dereference in pick_eevdf");
    EXPECT_TRUE(watcher.kernel_spoke());
    EXPECT_FALSE(watcher.reached_user_space());
    EXPECT_EQ(watcher.last_line(), "[ 1.000300] Kernel panic - not syncing: Fatal exception");
  }
}

TEST(WatcherTest, ProgramsCanNotRaiseAlarmsOnceTheKernelStamps) {
  const std::string panic = "Kernel panic - not syncing: said a program\n";
  EXPECT_EQ(Classify("[    0.000000] Linux version 6.1\n" + panic).finding, Finding::kNone);
  EXPECT_EQ(Classify("Linux version 2.6.31\n" + panic).finding, Finding::kPanicked);
}

TEST(WatcherTest, KnowsUserSpace) {
  Watcher watcher;
  watcher.Add("[    0.806581] Run /usr/lib/shakedown/shakedown-runner as init process\n");
  EXPECT_TRUE(watcher.reached_user_space());
  Watcher silent;
  silent.Add("SeaBIOS (version 1.16.2)\nBooting from ROM..\n");
  silent.Finish();
  EXPECT_FALSE(silent.kernel_spoke());
  EXPECT_FALSE(silent.reached_user_space());
}

TEST(WatcherTest, AnyByteAndEndlessLinesAreHarmless) {
  Watcher watcher;
  std::string junk;
  for (int i = 0; i < 1 << 18; ++i) junk += static_cast<char>((i * 7919) >> 3);
  watcher.Add(junk);
  watcher.Add(std::string(1 << 20, '['));
  watcher.Add("\n[    1.000000] Kernel panic - not syncing: seen\n");
  EXPECT_EQ(watcher.verdict().title, "Kernel panic - not syncing: seen");
}

TEST(WatcherTest, ARipInUserSpaceNamesNoFunction) {
  const std::string head =
      "[    1.0] x\n[    1.000000] BUG: soft lockup - CPU#0 stuck for 22s! [a:1]\n";
  EXPECT_EQ(Classify(head + "[    1.000001] RIP: 0033:0x7f0011223344\n").title, "BUG: soft lockup");
  EXPECT_EQ(Classify(head + "[    1.000001] RIP: 0010:do_idle+0x1/0x2\n").title,
            "BUG: soft lockup in do_idle");
  EXPECT_EQ(Classify(head + "[    1.000001] EIP is at do_idle+0x1/0x2\n").title,
            "BUG: soft lockup in do_idle");
  EXPECT_EQ(Classify(head + "[    1.000001] RIP: 0010:[<ffffffff81051a2c>]  [<ffffffff81051a2c>] "
                            "rb_next+0x1/0x2\n")
                .title,
            "BUG: soft lockup in rb_next");
}

}  // namespace
}  // namespace shakedown::console
