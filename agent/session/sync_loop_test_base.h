// A whole agent without hardware: two fake machines, a fake build slot, a scripted farm.
#ifndef SHAKEDOWN_AGENT_SESSION_SYNC_LOOP_TEST_BASE_H_
#define SHAKEDOWN_AGENT_SESSION_SYNC_LOOP_TEST_BASE_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/session/farm_test_base.h"
#include "agent/session/sync_loop.h"
#include "tests/fakes/fake_machine.h"

namespace shakedown::agent {

// Says how long each thread wanted to wait, and lets backoffs pass at once.
class ImpatientWaiter : public Waiter {
 public:
  explicit ImpatientWaiter(std::function<void(absl::Duration)> said)
      : said_(std::move(said)), real_(MakeWaiter()) {}
  void Wait(absl::Duration duration) override {
    said_(duration);
    real_->Wait(duration == absl::InfiniteDuration() ? duration : absl::Milliseconds(1));
  }
  void Notify() override { real_->Notify(); }

 private:
  const std::function<void(absl::Duration)> said_;
  const std::unique_ptr<Waiter> real_;
};

class SyncLoopTestBase : public FarmTestBase {
 protected:
  SyncLoopTestBase() { image_ = OnFarm("bzImage of a kernel"); }
  ~SyncLoopTestBase() override { Stop(); }

  void Start(const std::string& boot_id = "boot-1") {
    if (journal_ == nullptr) journal_ = OpenTestJournal(boot_id);
    cache_ = OpenCache();
    inputs_ = *MakeInputCache({.folder = folder_ + "/inputs"}, *cache_, *client_);
    SyncLoopOptions options;
    options.agent = "host1";
    options.version = "test";
    options.boot_id = boot_id;
    options.log_folder = folder_ + "/logs";
    options.log_linger = absl::ZeroDuration();
    options.stop_limit = absl::Seconds(20);
    SyncLoopParts parts;
    parts.machines = {&vm1_, &vm2_};
    parts.build_slots = {&slot_};
    parts.journal = journal_.get();
    parts.farm = client_.get();
    parts.cache = cache_.get();
    parts.inputs = inputs_.get();
    parts.power = power_;
    parts.clock = &SystemClock();
    parts.random = [] { return 0.5; };
    parts.free_bytes = [this]() -> absl::StatusOr<uint64_t> { return free_bytes_.load(); };
    parts.waiters = [this](absl::string_view who) {
      return std::make_unique<ImpatientWaiter>([this, sync = who == "sync"](absl::Duration wait) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (sync) waits_.push_back(wait);
        waited_.notify_all();
      });
    };
    loop_ = MakeSyncLoop(options, parts);
    thread_ = std::thread([this] { ran_ = loop_->Run(); });
  }

  void Stop() {
    if (loop_ == nullptr) return;
    vm1_.gate.Open();
    loop_->RequestStop();
    thread_.join();
    loop_ = nullptr;
    inputs_ = nullptr;
    cache_ = nullptr;
    journal_ = nullptr;
    client_ = NewClient();
  }

  v1::BootOrder Boot(const std::string& machine = "vm1", int64_t epoch = 1) {
    v1::BootOrder order;
    order.set_attempt_id(NewUuid());
    order.set_name("17.1A");
    order.set_machine(machine);
    order.set_epoch(epoch);
    *order.mutable_image() = image_;
    return order;
  }
  v1::BuildOrder Build() {
    v1::BuildOrder order;
    order.set_build_id(NewUuid());
    order.set_epoch(1);
    order.mutable_kernel()->mutable_kernel()->set_name("debian-6.12");
    return order;
  }
  void Lease(const v1::BootOrder& order) {
    farm_->With([&](fakes::FarmBook& book) { book.boots[order.attempt_id()] = order; });
  }
  void Lease(const v1::BuildOrder& order) {
    farm_->With([&](fakes::FarmBook& book) { book.builds[order.build_id()] = order; });
  }
  // Waits until the farm has the result and the agent knows it.
  v1::BootResult ResultOf(const v1::BootOrder& order) {
    const std::string id = order.attempt_id();
    EXPECT_TRUE(
        farm_->WaitUntil([&](const fakes::FarmBook& b) { return b.boot_results.count(id) > 0; }));
    return Ask([&](const fakes::FarmBook& book) {
      const auto found = book.boot_results.find(id);
      return found == book.boot_results.end() ? v1::BootResult() : found->second;
    });
  }
  v1::BuildResult ResultOf(const v1::BuildOrder& order) {
    const std::string id = order.build_id();
    EXPECT_TRUE(
        farm_->WaitUntil([&](const fakes::FarmBook& b) { return b.build_results.count(id) > 0; }));
    return Ask([&](const fakes::FarmBook& book) {
      const auto found = book.build_results.find(id);
      return found == book.build_results.end() ? v1::BuildResult() : found->second;
    });
  }
  bool WaitForSync(const std::function<bool(const v1::SyncRequest&)>& wanted) {
    return farm_->WaitUntil([&](const fakes::FarmBook& book) {
      return !book.syncs.empty() && wanted(book.syncs.back());
    });
  }
  bool WaitForPause(absl::Duration at_least) {
    std::unique_lock<std::mutex> lock(mutex_);
    return waited_.wait_for(lock, std::chrono::seconds(20), [&] {
      return std::any_of(waits_.begin(), waits_.end(),
                         [&](absl::Duration wait) { return wait > at_least; });
    });
  }
  bool WaitUntilIdle() {
    return WaitForSync([](const v1::SyncRequest& request) {
      return request.machines(0).attempt_id().empty() && request.machines(1).attempt_id().empty() &&
             request.build_slots(0).build_id().empty();
    });
  }

  v1::Artefact image_;
  fakes::FakeMachine vm1_{"vm1"};
  fakes::FakeMachine vm2_{"vm2"};
  fakes::FakeBuildSlot slot_;
  std::atomic<uint64_t> free_bytes_ = uint64_t{100} << 30;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<ArtefactCache> cache_;
  std::unique_ptr<InputCache> inputs_;
  PowerDesk* power_ = nullptr;  // Outlives the loop.
  std::unique_ptr<SyncLoop> loop_;
  std::thread thread_;
  absl::Status ran_;
  std::mutex mutex_;
  std::condition_variable waited_;
  std::vector<absl::Duration> waits_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_SYNC_LOOP_TEST_BASE_H_
