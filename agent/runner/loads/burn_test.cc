#include "agent/runner/loads/burn.h"

#include <functional>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

// A CPU that does `loops_per_ms(now)` loops; a burst takes at least a read of the clock.
class FakeCpu : public CalibrationWorld {
 public:
  explicit FakeCpu(std::function<double(int64_t)> loops_per_ms) : speed_(std::move(loops_per_ms)) {}
  int64_t NowNs() override { return now_ += 20; }
  void Burn(uint64_t loops) override {
    now_ += static_cast<int64_t>(1e6 * static_cast<double>(loops) / speed_(now_));
  }
  void SleepOneSecond() override {
    now_ += 1000000000;
    ++rests;
  }
  int rests = 0;
  int64_t now() const { return now_; }

 private:
  std::function<double(int64_t)> speed_;
  int64_t now_ = 0;
};

TEST(CalibrateTest, SteadyCpuOfAnySpeed) {
  for (double speed : {5e3, 1e5, 3.1e6, 2e7}) {
    FakeCpu cpu([=](int64_t) { return speed; });
    const absl::StatusOr<uint64_t> loops = Calibrate(cpu);
    ASSERT_TRUE(loops.ok()) << loops.status();
    EXPECT_NEAR(static_cast<double>(*loops), speed, speed * 0.01);
    EXPECT_EQ(cpu.rests, 1);
  }
}

TEST(CalibrateTest, ClockThatRisesIsWaitedFor) {
  FakeCpu cpu([](int64_t now) { return now < 500000000 ? 1e6 : 2e6; });
  EXPECT_NEAR(static_cast<double>(Calibrate(cpu).value()), 2e6, 2e4);
}

TEST(CalibrateTest, SpeedThatFallsAtRestIsMeasuredAgain) {
  const int64_t slow_until = 2500000000;
  FakeCpu cpu([=](int64_t now) { return now > 1500000000 && now < slow_until ? 1e6 : 2e6; });
  EXPECT_NEAR(static_cast<double>(Calibrate(cpu).value()), 2e6, 2e4);
  EXPECT_GT(cpu.rests, 1);
}

TEST(CalibrateTest, UnsteadyCpuFailsWithinItsBound) {
  bool fast = false;
  FakeCpu cpu([&](int64_t) { return (fast = !fast) ? 1e6 : 1.5e6; });
  EXPECT_EQ(Calibrate(cpu).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_LT(cpu.now(), 65000000000);
}

TEST(CalibrateTest, TooSlowIsRefused) {
  FakeCpu cpu([](int64_t) { return 500.0; });
  EXPECT_EQ(Calibrate(cpu).status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace shakedown::runner
