#include <filesystem>

#include "agent/session/sync_loop_test_base.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;

class SyncLoopPowerTest : public SyncLoopTestBase {
 protected:
  void Order(int64_t id) {
    v1::PowerOrder order;
    order.set_id(id);
    order.set_machine("x1");
    farm_->With([&](FarmBook& book) { book.powers.push_back(order); });
  }
  std::unique_ptr<PowerDesk> Desk(std::vector<std::string> argv) {
    std::map<std::string, std::unique_ptr<PowerControl>> switches;
    switches["x1"] = MakeCommandPower(std::move(argv));
    return *OpenPowerDesk(folder_ + "/power", std::move(switches));
  }
};

TEST_F(SyncLoopPowerTest, AnOrderIsDoneAndToldAtOnce) {
  const std::unique_ptr<PowerDesk> desk =
      Desk({"/bin/sh", "-c", "echo cycled >> \"$0\"", folder_ + "/cycles"});
  power_ = desk.get();
  Start();
  ASSERT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.powers_size() == 1 && request.powers(0) == "x1";
  }));
  Order(3);
  ASSERT_TRUE(farm_->WaitUntil([](const FarmBook& book) { return !book.power_done.empty(); }));
  EXPECT_EQ(Ask([](const FarmBook& book) { return book.power_done[0].id(); }), 3);
  EXPECT_EQ(Ask([](const FarmBook& book) { return book.power_done[0].error(); }), "");
  Stop();
  EXPECT_EQ(*ReadFile(folder_ + "/cycles"), "cycled\n");
}

TEST_F(SyncLoopPowerTest, AnAgentThatStopsInTheMiddleTellsAfterItsNextStart) {
  std::unique_ptr<PowerDesk> desk =
      Desk({"/bin/sh", "-c", "echo begun > \"$0\"; sleep 100", folder_ + "/cycles"});
  power_ = desk.get();
  Start();
  Order(4);
  for (int i = 0; i < 2000 && !std::filesystem::exists(folder_ + "/cycles"); ++i) {
    SystemClock().Sleep(absl::Milliseconds(10));
  }
  Stop();
  desk = nullptr;
  desk = Desk({"/bin/false"});
  power_ = desk.get();
  Start();
  ASSERT_TRUE(farm_->WaitUntil([](const FarmBook& book) { return !book.power_done.empty(); }));
  EXPECT_THAT(Ask([](const FarmBook& book) { return book.power_done[0].error(); }),
              testing::HasSubstr("the agent ended while it switched"));
  Stop();
}

}  // namespace
}  // namespace shakedown::agent
