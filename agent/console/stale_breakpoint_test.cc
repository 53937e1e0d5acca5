#include "agent/console/stale_breakpoint.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace shakedown::console {
namespace {

std::string Oops(absl::string_view trap, absl::string_view code) {
  return absl::StrCat(
      "[    2.049125] sched_clock: Marking stable (2012577501, 33823334)\r\n", "[    2.052006] ",
      trap, " PREEMPT SMP NOPTI\r\n", "[    2.052296] CPU: 1 UID: 0 PID: 0 Comm: swapper/1\r\n",
      "[    2.052447] RIP: 0010:sched_clock_cpu+0x9/0x190\r\n", "[    2.052654] Code: ", code,
      "\r\n[    2.055962] Kernel panic - not syncing: Fatal exception in interrupt\r\n");
}

TEST(StaleBreakpointTest, TheTrappingByteIsNoInt3) {
  EXPECT_TRUE(IsStaleBreakpoint(Oops("Oops: int3: 0000 [#1]", "fa 41 54 55 53 66 <90> e8 c1 ed")));
  EXPECT_TRUE(IsStaleBreakpoint(Oops("int3: 0000 [#1]", "53 0f <1f> 44 00")));
}

TEST(StaleBreakpointTest, ARealInt3IsTheKernels) {
  EXPECT_FALSE(IsStaleBreakpoint(Oops("Oops: int3: 0000 [#1]", "41 54 55 53 cc <90> e8 c1 ed")));
}

TEST(StaleBreakpointTest, OtherOopsesAndTornOnes) {
  EXPECT_FALSE(IsStaleBreakpoint(Oops("BUG: kernel NULL pointer dereference [#1]", "53 66 <90>")));
  EXPECT_FALSE(IsStaleBreakpoint(Oops("Oops: int3: 0000 [#1]", "53 66 90")));
  EXPECT_FALSE(IsStaleBreakpoint(Oops("Oops: int3: 0000 [#1]", "<90> 53")));
  EXPECT_FALSE(IsStaleBreakpoint("[ 2.0] Oops: int3: 0000 [#1]\nCode"));
  EXPECT_FALSE(IsStaleBreakpoint(""));
}

}  // namespace
}  // namespace shakedown::console
