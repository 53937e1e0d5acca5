#include "controller/service/dispatcher.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>

#include "absl/time/clock.h"

namespace shakedown::service {
namespace {

// Set by a task; waited for with a deadline.
class Done {
 public:
  Dispatcher::Task Setter() {
    return [promise = promise_] { promise->set_value(); };
  }
  bool Within(absl::Duration limit) {
    return future_.wait_for(absl::ToChronoNanoseconds(limit)) == std::future_status::ready;
  }

 private:
  std::shared_ptr<std::promise<void>> promise_ = std::make_shared<std::promise<void>>();
  std::future<void> future_ = promise_->get_future();
};

TEST(DispatcherTest, RunsTasksNowAndLater) {
  Dispatcher dispatcher(2, 10);
  Done now, later;
  dispatcher.RunLater(absl::Milliseconds(20), std::nullopt, later.Setter());
  EXPECT_TRUE(dispatcher.TryRun(now.Setter()));
  EXPECT_TRUE(now.Within(absl::Seconds(10)));
  EXPECT_TRUE(later.Within(absl::Seconds(10)));
}

TEST(DispatcherTest, AHintWakesWhoWaitsForHintsAlone) {
  Dispatcher dispatcher(1, 10);
  Done on_hint, by_time;
  dispatcher.RunLater(absl::Hours(1), dispatcher.hints(), on_hint.Setter());
  dispatcher.RunLater(absl::Hours(1), std::nullopt, by_time.Setter());
  dispatcher.Hint();
  EXPECT_TRUE(on_hint.Within(absl::Seconds(10)));
  EXPECT_FALSE(by_time.Within(absl::ZeroDuration()));
}

TEST(DispatcherTest, AHintBetweenLookingAndWaitingIsNotMissed) {
  Dispatcher dispatcher(1, 10);
  const uint64_t seen = dispatcher.hints();
  dispatcher.Hint();
  Done done;
  dispatcher.RunLater(absl::Hours(1), seen, done.Setter());
  EXPECT_TRUE(done.Within(absl::Seconds(10)));
}

TEST(DispatcherTest, RefusesWhenTooManyWaitButLetsCallsGoOn) {
  Dispatcher dispatcher(1, 2);
  std::promise<void> gate;
  Done started, forced;
  EXPECT_TRUE(dispatcher.TryRun([&, set = started.Setter()] {
    set();
    gate.get_future().wait();
  }));
  ASSERT_TRUE(started.Within(absl::Seconds(10)));
  EXPECT_TRUE(dispatcher.TryRun([] {}));
  EXPECT_TRUE(dispatcher.TryRun([] {}));
  EXPECT_FALSE(dispatcher.TryRun([] {}));
  dispatcher.Run(forced.Setter());
  gate.set_value();
  EXPECT_TRUE(forced.Within(absl::Seconds(10)));
}

TEST(DispatcherTest, StoppingRunsAtOnceWhatWasPutOff) {
  Done before, after;
  Dispatcher dispatcher(1, 10);
  dispatcher.RunLater(absl::Hours(1), std::nullopt, before.Setter());
  EXPECT_FALSE(dispatcher.stopping());
  dispatcher.BeginStop();
  EXPECT_TRUE(dispatcher.stopping());
  dispatcher.RunLater(absl::Hours(1), std::nullopt, after.Setter());
  EXPECT_TRUE(before.Within(absl::Seconds(10)));
  EXPECT_TRUE(after.Within(absl::Seconds(10)));
}

TEST(DispatcherTest, TheEndWaitsForEveryTask) {
  int ran = 0;
  {
    Dispatcher dispatcher(1, 100);
    for (int i = 0; i < 50; ++i) dispatcher.Run([&] { ++ran; });
  }
  EXPECT_EQ(ran, 50);
}

}  // namespace
}  // namespace shakedown::service
