#include "agent/session/power_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

// Counts its cycles. While `hold` it waits for its end.
struct Plug {
  std::mutex mutex;
  std::condition_variable changed;
  int cycles = 0;
  bool hold = false;
  absl::Status answer;
};

class FakePower : public PowerControl {
 public:
  explicit FakePower(Plug& plug) : plug_(plug) {}
  absl::Status Cycle(const std::atomic<bool>& cancel) override {
    std::unique_lock<std::mutex> lock(plug_.mutex);
    ++plug_.cycles;
    plug_.changed.notify_all();
    while (plug_.hold && !cancel) plug_.changed.wait_for(lock, std::chrono::milliseconds(5));
    return plug_.hold ? absl::CancelledError("stopped") : plug_.answer;
  }

 private:
  Plug& plug_;
};

class PowerDeskTest : public testing::Test {
 protected:
  PowerDeskTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/powerXXXXXX");
    folder_ = mkdtemp(pattern.data());
    Open();
  }
  ~PowerDeskTest() override {
    desk_ = nullptr;
    std::filesystem::remove_all(folder_);
  }
  void Open() {
    desk_ = nullptr;
    std::map<std::string, std::unique_ptr<PowerControl>> switches;
    switches["x1"] = std::make_unique<FakePower>(plug_);
    auto desk = OpenPowerDesk(folder_ + "/power", std::move(switches));
    ASSERT_TRUE(desk.ok()) << desk.status();
    desk_ = *std::move(desk);
  }
  v1::SyncRequest Word() {
    v1::SyncRequest request;
    desk_->Describe(request);
    return request;
  }
  static v1::SyncResponse Order(int64_t id, const std::string& machine = "x1") {
    v1::SyncResponse response;
    response.add_power_orders()->set_id(id);
    response.mutable_power_orders(0)->set_machine(machine);
    return response;
  }
  // Waits for so many answers.
  v1::SyncRequest Answers(int count) {
    std::mutex mutex;
    std::condition_variable told;
    desk_->OnNews([&] {
      std::lock_guard<std::mutex> lock(mutex);
      told.notify_all();
    });
    std::unique_lock<std::mutex> lock(mutex);
    told.wait_for(lock, std::chrono::seconds(20),
                  [&] { return Word().power_done_size() >= count; });
    lock.unlock();
    desk_->OnNews({});
    EXPECT_EQ(Word().power_done_size(), count);
    return Word();
  }
  void WaitForCycles(int count) {
    std::unique_lock<std::mutex> lock(plug_.mutex);
    plug_.changed.wait_for(lock, std::chrono::seconds(20), [&] { return plug_.cycles >= count; });
    EXPECT_EQ(plug_.cycles, count);
  }

  Plug plug_;
  std::string folder_;
  std::unique_ptr<PowerDesk> desk_;
};

TEST_F(PowerDeskTest, DoneOnceHoweverOftenItIsSaid) {
  EXPECT_THAT(Word().powers(), testing::ElementsAre("x1"));
  ASSERT_EQ(desk_->Take(Word(), Order(7)), absl::OkStatus());
  ASSERT_EQ(desk_->Take({}, Order(7)), absl::OkStatus());
  const v1::SyncRequest told = Answers(1);
  EXPECT_EQ(told.power_done(0).id(), 7);
  EXPECT_EQ(told.power_done(0).error(), "");
  ASSERT_EQ(desk_->Take({}, Order(7)), absl::OkStatus()) << "said again before it was answered";
  ASSERT_EQ(desk_->Take(told, {}), absl::OkStatus());
  EXPECT_EQ(Word().power_done_size(), 0);
  Open();
  ASSERT_EQ(desk_->Take({}, Order(7)), absl::OkStatus()) << "and after";
  ASSERT_EQ(desk_->Take({}, Order(8)), absl::OkStatus());
  EXPECT_EQ(Answers(1).power_done(0).id(), 8);
  EXPECT_EQ(plug_.cycles, 2);
}

TEST_F(PowerDeskTest, AnswersOutliveTheProcessUntilTheFarmHasThem) {
  plug_.answer = absl::UnavailableError("the plug\ndoes not answer");
  ASSERT_EQ(desk_->Take({}, Order(7)), absl::OkStatus());
  Answers(1);
  Open();
  const v1::SyncRequest told = Word();
  ASSERT_EQ(told.power_done_size(), 1);
  EXPECT_EQ(told.power_done(0).error(), "UNAVAILABLE: the plug does not answer");
}

TEST_F(PowerDeskTest, WhatWasCutOffIsToldAndNotDoneAgain) {
  plug_.hold = true;
  ASSERT_EQ(desk_->Take({}, Order(7)), absl::OkStatus());
  WaitForCycles(1);
  Open();
  const v1::SyncRequest told = Word();
  ASSERT_EQ(told.power_done_size(), 1);
  EXPECT_THAT(told.power_done(0).error(), HasSubstr("the agent ended while it switched"));
  ASSERT_EQ(desk_->Take({}, Order(7)), absl::OkStatus());
  plug_.hold = false;
  ASSERT_EQ(desk_->Take({}, Order(9)), absl::OkStatus());
  Answers(2);
  EXPECT_EQ(plug_.cycles, 2);
}

TEST_F(PowerDeskTest, AMachineThatIsNotItsOwnIsRefused) {
  ASSERT_EQ(desk_->Take({}, Order(7, "x2")), absl::OkStatus());
  EXPECT_THAT(Answers(1).power_done(0).error(), HasSubstr("machine \"x2\": this agent can not"));
  EXPECT_EQ(plug_.cycles, 0);
}

TEST_F(PowerDeskTest, RemembersTheNewestOnly) {
  for (int64_t id = 1; id <= 150; ++id) {
    ASSERT_EQ(desk_->Take({}, Order(id)), absl::OkStatus());
    ASSERT_EQ(desk_->Take(Answers(1), {}), absl::OkStatus());
  }
  const std::string text = *ReadFile(folder_ + "/power");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 101);
  EXPECT_THAT(text, HasSubstr("150 acknowledged"));
}

TEST_F(PowerDeskTest, DamageIsNamed) {
  desk_ = nullptr;
  for (const char* text : {"7 began \n", "x done \n", "7\n"}) {
    ASSERT_EQ(WriteFileAtomically(folder_ + "/power", text), absl::OkStatus());
    const absl::Status status = OpenPowerDesk(folder_ + "/power", {}).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(folder_ + "/power"));
  }
}

TEST_F(PowerDeskTest, ADiskThatIsGoneIsAnError) {
  std::filesystem::remove_all(folder_);
  EXPECT_FALSE(desk_->Take({}, Order(7)).ok());
  EXPECT_EQ(plug_.cycles, 0);
}

}  // namespace
}  // namespace shakedown::agent
