#include "agent/session/sync_loop.h"
#include "agent/session/sync_loop_test_base.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;
using testing::HasSubstr;

class SyncLoopRestartTest : public SyncLoopTestBase {};

TEST_F(SyncLoopRestartTest, StopEndsWorkAndSaysSo) {
  const v1::BootOrder boot = Boot();
  vm1_.gate.Close();
  Lease(boot);
  Start();
  ASSERT_TRUE(vm1_.gate.WaitForArrivals(1));
  loop_->RequestStop();
  thread_.join();
  thread_ = std::thread([] {});
  EXPECT_TRUE(ran_.ok()) << ran_;
  const v1::BootResult result = ResultOf(boot);
  EXPECT_EQ(result.outcome(), v1::OUTCOME_CANCELLED);  // Handed back: nobody asked for it.
  EXPECT_EQ(result.reason(), "agent stopped");
}

TEST_F(SyncLoopRestartTest, WhatWasInHandWhenTheProcessDiedIsReportedAndHoldsItsMachine) {
  const v1::BootOrder agent_died = Boot("vm1"), host_died = Boot("vm2");
  for (const auto& [boot_id, order] :
       {std::pair("boot-2", agent_died), std::pair("boot-1", host_died)}) {
    auto earlier = OpenTestJournal(boot_id);
    ASSERT_TRUE(
        earlier->AppendOrder({WorkKind::kBoot, order.attempt_id(), 1}, order.SerializeAsString())
            .ok());
  }
  Lease(agent_died);
  Lease(host_died);
  farm_->With([](FarmBook& book) {
    book.failures["ReportBoot"] = std::vector<absl::Status>(3, absl::UnavailableError("busy"));
  });
  Start("boot-2");
  EXPECT_THAT(ResultOf(agent_died).reason(), HasSubstr("agent restarted during boot 17.1A"));
  EXPECT_THAT(ResultOf(host_died).reason(), HasSubstr("host restarted during boot 17.1A"));
  EXPECT_EQ(ResultOf(host_died).outcome(), v1::OUTCOME_FARM_FAILED);
  const v1::SyncRequest first = Ask([](const FarmBook& book) { return book.syncs.front(); });
  EXPECT_EQ(first.incarnation(), 3u);
  ASSERT_TRUE(WaitUntilIdle());
  EXPECT_EQ(vm1_.gate.arrivals() + vm2_.gate.arrivals(), 0);
}

TEST_F(SyncLoopRestartTest, AnOrderThatComesAgainAfterItsResultIsNotDoneAgain) {
  const v1::BootOrder order = Boot();
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_MEASURED);
  ASSERT_TRUE(WaitUntilIdle());
  // The farm forgets that it has the result.
  farm_->With([&](FarmBook& book) {
    book.boot_results.clear();
    book.syncs.clear();
  });
  ASSERT_TRUE(farm_->WaitUntil([](const FarmBook& book) { return book.syncs.size() >= 3; }));
  EXPECT_EQ(vm1_.gate.arrivals(), 1);
}

}  // namespace
}  // namespace shakedown::agent
