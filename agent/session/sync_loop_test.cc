#include "agent/session/sync_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "agent/session/farm_test_base.h"
#include "proto/wire/files.h"
#include "tests/fakes/fake_machine.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;
using testing::HasSubstr;

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

class SyncLoopTest : public FarmTestBase {
 protected:
  SyncLoopTest() { image_ = OnFarm("bzImage of a kernel"); }
  ~SyncLoopTest() override { Stop(); }

  void Start(const std::string& boot_id = "boot-1") {
    if (journal_ == nullptr) journal_ = OpenTestJournal(boot_id);
    cache_ = OpenCache();
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
    farm_->With([&](FarmBook& book) { book.boots[order.attempt_id()] = order; });
  }
  void Lease(const v1::BuildOrder& order) {
    farm_->With([&](FarmBook& book) { book.builds[order.build_id()] = order; });
  }
  // Waits until the farm has the result and the agent knows it.
  v1::BootResult ResultOf(const v1::BootOrder& order) {
    const std::string id = order.attempt_id();
    EXPECT_TRUE(farm_->WaitUntil([&](const FarmBook& b) { return b.boot_results.count(id) > 0; }));
    return Ask([&](const FarmBook& book) {
      const auto found = book.boot_results.find(id);
      return found == book.boot_results.end() ? v1::BootResult() : found->second;
    });
  }
  v1::BuildResult ResultOf(const v1::BuildOrder& order) {
    const std::string id = order.build_id();
    EXPECT_TRUE(farm_->WaitUntil([&](const FarmBook& b) { return b.build_results.count(id) > 0; }));
    return Ask([&](const FarmBook& book) {
      const auto found = book.build_results.find(id);
      return found == book.build_results.end() ? v1::BuildResult() : found->second;
    });
  }
  bool WaitForSync(const std::function<bool(const v1::SyncRequest&)>& wanted) {
    return farm_->WaitUntil(
        [&](const FarmBook& book) { return !book.syncs.empty() && wanted(book.syncs.back()); });
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
  std::unique_ptr<SyncLoop> loop_;
  std::thread thread_;
  absl::Status ran_;
  std::mutex mutex_;
  std::condition_variable waited_;
  std::vector<absl::Duration> waits_;
};

TEST_F(SyncLoopTest, SaysWhatItHas) {
  Start();
  ASSERT_TRUE(WaitUntilIdle());
  const v1::SyncRequest request = Ask([](const FarmBook& book) { return book.syncs.back(); });
  EXPECT_EQ(request.agent(), "host1");
  EXPECT_EQ(request.boot_id(), "boot-1");
  EXPECT_EQ(request.incarnation(), 1u);
  EXPECT_EQ(request.wait_ms(), 30000u);
  ASSERT_EQ(request.machines_size(), 2);
  EXPECT_EQ(request.machines(1).name(), "vm2");
  EXPECT_EQ(request.machines(1).tags(0), "fake");
  EXPECT_EQ(request.machines(1).facts().at("vcpus"), "2");
  EXPECT_EQ(request.build_slots_size(), 1);
  EXPECT_EQ(vm1_.clean_ups, 1);
  EXPECT_EQ(slot_.clean_ups, 1);
}

TEST_F(SyncLoopTest, ABootGoesFromOrderToAcknowledgedResult) {
  vm1_.script = [&](const v1::BootOrder& order, const KernelFiles& files, const BootHooks& hooks) {
    EXPECT_EQ(*ReadFile(files.image), "bzImage of a kernel");
    EXPECT_EQ(files.initramfs, "");
    hooks.console("[    0.000000] Linux\n");
    hooks.progress("make 1/3", 0.5f);
    return fakes::Measured(order, 12.5);
  };
  const v1::BootOrder order = Boot();
  Lease(order);
  vm1_.gate.Close();
  Start();
  ASSERT_TRUE(vm1_.gate.WaitForArrivals(1));
  ASSERT_TRUE(WaitForSync([&](const v1::SyncRequest& request) {
    return request.machines(0).attempt_id() == order.attempt_id() &&
           request.machines(0).epoch() == 1 && request.wait_ms() == 5000;
  }));
  vm1_.gate.Open();
  EXPECT_EQ(ResultOf(order).load_runs(0).measurements(0).value(), 12.5);
  ASSERT_TRUE(WaitUntilIdle());
  // The log was there before the result.
  EXPECT_EQ(Ask([&](const FarmBook& book) { return book.logs.at(order.attempt_id()); }),
            "[    0.000000] Linux\n");
  EXPECT_TRUE(journal_->PendingResults().empty());
  EXPECT_TRUE(journal_->Finished({WorkKind::kBoot, order.attempt_id(), 1}));
}

TEST_F(SyncLoopTest, WhatTheMachineCouldNotDoIsTheFarmsFailure) {
  vm1_.script = [](const auto&, const auto&, const auto&) -> absl::StatusOr<v1::BootResult> {
    return absl::UnavailableError("libvirt: no \xff connection");
  };
  const v1::BootOrder order = Boot();
  Lease(order);
  Start();
  const v1::BootResult result = ResultOf(order);
  EXPECT_EQ(result.outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_THAT(result.reason(), HasSubstr("libvirt: no"));
}

TEST_F(SyncLoopTest, AMissingImageIsTheFarmsFailure) {
  v1::BootOrder order = Boot();
  *order.mutable_image() = ArtefactOf("never uploaded");
  Lease(order);
  Start();
  const v1::BootResult result = ResultOf(order);
  EXPECT_EQ(result.outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_THAT(result.reason(), HasSubstr(order.image().sha256()));
  EXPECT_EQ(vm1_.gate.arrivals(), 0);
}

TEST_F(SyncLoopTest, AResultThatIsNoResultIsTheFarmsFailure) {
  const std::vector<std::function<void(v1::BootResult&)>> breaks = {
      [](v1::BootResult& result) { result.set_reason("\xff\xfe"); },
      [](v1::BootResult& result) { result.clear_outcome(); }};
  size_t round = 0;
  vm1_.script = [&](const v1::BootOrder& order, const auto&, const auto&) {
    v1::BootResult result = fakes::Measured(order, 1);
    breaks[round](result);
    return result;
  };
  for (; round < breaks.size(); ++round) {
    const v1::BootOrder order = Boot();
    Lease(order);
    if (round == 0) Start();
    EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_FARM_FAILED);
    ASSERT_TRUE(WaitUntilIdle());
  }
}

TEST_F(SyncLoopTest, TwoMachinesMeasureEachTheirOwn) {
  const v1::BootOrder one = Boot("vm1"), two = Boot("vm2");
  vm1_.gate.Close();
  Lease(one);
  Lease(two);
  Start();
  EXPECT_EQ(ResultOf(two).outcome(), v1::OUTCOME_MEASURED);
  EXPECT_EQ(vm1_.gate.arrivals(), 1);
  vm1_.gate.Open();
  EXPECT_EQ(ResultOf(one).outcome(), v1::OUTCOME_MEASURED);
}

TEST_F(SyncLoopTest, NeverBuildsWhileAMachineMeasures) {
  const v1::BootOrder boot = Boot();
  vm1_.gate.Close();
  Lease(boot);
  Start();
  ASSERT_TRUE(vm1_.gate.WaitForArrivals(1));
  const v1::BuildOrder build = Build();
  Lease(build);
  const v1::BuildResult result = ResultOf(build);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_THAT(result.error(), HasSubstr("measured"));
  EXPECT_EQ(slot_.gate.arrivals(), 0);
  vm1_.gate.Open();
  EXPECT_EQ(ResultOf(boot).outcome(), v1::OUTCOME_MEASURED);
}

TEST_F(SyncLoopTest, CancelReachesTheMachine) {
  const v1::BootOrder order = Boot();
  vm1_.gate.Close();
  Lease(order);
  Start();
  ASSERT_TRUE(vm1_.gate.WaitForArrivals(1));
  farm_->With([&](FarmBook& book) { book.cancels.push_back(order.attempt_id()); });
  EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_CANCELLED);
}

TEST_F(SyncLoopTest, LostAnswersOfEveryCallChangeNothing) {
  farm_->With([](FarmBook& book) {
    book.lost_answers = {{"Sync", 3}, {"ReportBoot", 2}, {"AppendLog", 1}};
    book.failures["ReportBoot"] = {absl::UnavailableError("busy"), absl::InternalError("oops")};
  });
  vm1_.script = [&](const v1::BootOrder& order, const auto&, const BootHooks& hooks) {
    hooks.console("console");
    return fakes::Measured(order, 3);
  };
  const v1::BootOrder order = Boot();
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_MEASURED);
  ASSERT_TRUE(WaitUntilIdle());
  EXPECT_EQ(vm1_.gate.arrivals(), 1);
  EXPECT_EQ(Ask([&](const FarmBook& book) { return book.reports.at(order.attempt_id()); }), 3);
  EXPECT_EQ(Ask([&](const FarmBook& book) { return book.logs.at(order.attempt_id()); }), "console");
}

TEST_F(SyncLoopTest, AResultWaitsForAFarmThatIsAway) {
  const v1::BootOrder order = Boot();
  vm1_.gate.Close();
  Lease(order);
  Start();
  ASSERT_TRUE(vm1_.gate.WaitForArrivals(1));
  farm_->GoAway();
  vm1_.gate.Open();
  farm_->ComeBack();
  EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_MEASURED);
  ASSERT_TRUE(WaitUntilIdle());
  EXPECT_EQ(vm1_.gate.arrivals(), 1);
}

TEST_F(SyncLoopTest, WhatTheFarmKnowsOtherwiseIsForgotten) {
  for (const absl::Status& answer :
       {absl::AlreadyExistsError("another result"), absl::FailedPreconditionError("old epoch"),
        absl::NotFoundError("no such boot")}) {
    farm_->With([&](FarmBook& book) { book.failures["ReportBoot"] = {answer}; });
    const v1::BootOrder order = Boot();
    Lease(order);
    if (loop_ == nullptr) Start();
    ASSERT_TRUE(farm_->WaitUntil([](const FarmBook& book) {
      const auto failures = book.failures.find("ReportBoot");
      return failures->second.empty();
    }));
    farm_->With([&](FarmBook& book) { book.boots.erase(order.attempt_id()); });
    ASSERT_TRUE(WaitUntilIdle());
    EXPECT_TRUE(journal_->PendingResults().empty());
    EXPECT_EQ(Ask([&](const FarmBook& book) { return book.boot_results.size(); }), 0u);
  }
}

TEST_F(SyncLoopTest, ARefusedResultBecomesTheFarmsFailure) {
  farm_->With([](FarmBook& book) {
    book.failures["ReportBoot"] = {absl::InvalidArgumentError("measurement 0: unit is unknown")};
  });
  const v1::BootOrder order = Boot();
  Lease(order);
  Start();
  const v1::BootResult result = ResultOf(order);
  EXPECT_EQ(result.outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_THAT(result.reason(), HasSubstr("unit is unknown"));
}

TEST_F(SyncLoopTest, BacksOffWhileTheFarmIsAwayAndSlowlyWhenItIsRefused) {
  farm_->With([](FarmBook& book) {
    book.failures["Sync"] = {absl::UnavailableError("1"), absl::UnavailableError("2"),
                             absl::InternalError("3"), absl::UnauthenticatedError("who?")};
  });
  Start();
  ASSERT_TRUE(WaitUntilIdle());
  std::lock_guard<std::mutex> lock(mutex_);
  ASSERT_GE(waits_.size(), 4u);
  EXPECT_EQ(waits_[0], absl::Milliseconds(750));
  EXPECT_EQ(waits_[1], absl::Milliseconds(1500));
  EXPECT_EQ(waits_[2], absl::Seconds(3));
  EXPECT_EQ(waits_[3], absl::Seconds(45));
}

TEST_F(SyncLoopTest, AFullDiskIsAProblemNotAnOrder) {
  free_bytes_ = uint64_t{600} << 20;
  Start();
  ASSERT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.build_slots(0).problem() ==
           "disk full: 600 MiB free where the agent works, want 4096";
  }));
  EXPECT_EQ(Ask([](const FarmBook& book) { return book.syncs.back().machines(0).problem(); }), "");
}

TEST_F(SyncLoopTest, AMachineThatCanNotBeCleanedAndASlotWithoutSandboxAreProblems) {
  vm1_.clean_up = absl::UnavailableError("libvirt is away");
  slot_.sandbox = absl::FailedPreconditionError("bwrap is not installed");
  Start();
  ASSERT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.machines(0).problem() == "clean up at start: libvirt is away" &&
           request.machines(1).problem().empty() &&
           request.build_slots(0).problem() == "no sandbox: bwrap is not installed";
  }));
}

TEST_F(SyncLoopTest, DarkIsDeclaredAndThenSilent) {
  vm1_.script = [&](const v1::BootOrder& order, const auto&, const BootHooks& hooks) {
    hooks.dark(absl::Seconds(3600));
    EXPECT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
      return request.machines(0).dark_for_s() > 3500 && request.wait_ms() == 0;
    }));
    EXPECT_TRUE(WaitForPause(absl::Seconds(3500)));
    hooks.dark(absl::ZeroDuration());
    EXPECT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
      return request.machines(0).dark_for_s() == 0 && !request.machines(0).attempt_id().empty();
    }));
    return fakes::Measured(order, 1);
  };
  const v1::BootOrder order = Boot();
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_MEASURED);
}

class SyncLoopBuildTest : public SyncLoopTest {
 protected:
  SyncLoopBuildTest() {
    patch_ = OnFarm("--- a/fair.c");
    slot_.script = [this](const v1::BuildOrder& order, const BuildHooks& hooks) {
      BuildOutcome outcome;
      hooks.log("  CC kernel/sched/fair.o\n");
      const absl::StatusOr<std::string> patch = hooks.fetch_artefact(patch_.sha256());
      EXPECT_TRUE(patch.ok()) << patch.status();
      if (patch.ok()) {
        EXPECT_EQ(*ReadFile(*patch), "--- a/fair.c");
      }
      EXPECT_TRUE(absl::IsNotFound(hooks.fetch_artefact(std::string(64, '0')).status()));
      outcome.image_path = folder_ + "/bzImage";
      outcome.config_path = folder_ + "/config";
      std::ofstream(outcome.image_path) << "built image";
      std::ofstream(outcome.config_path) << "CONFIG_HZ=1000";
      outcome.result.set_status(v1::BuildResult::STATUS_BUILT);
      outcome.result.set_build_key(std::string(64, 'b'));
      *outcome.result.mutable_image() = ArtefactOf("built image");
      *outcome.result.mutable_config() = ArtefactOf("CONFIG_HZ=1000");
      return outcome;
    };
  }
  v1::Artefact patch_;
};

TEST_F(SyncLoopBuildTest, OutputsAreOnTheFarmBeforeTheResult) {
  farm_->With(
      [](FarmBook& book) { book.failures["PutArtefact"] = {absl::UnavailableError("busy")}; });
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  const v1::BuildResult result = ResultOf(order);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_EQ(result.build_id(), order.build_id());
  EXPECT_EQ(result.epoch(), 1);
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("built image")); }),
            "built image");
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("CONFIG_HZ=1000")); }),
            "CONFIG_HZ=1000");
  EXPECT_EQ(Ask([&](const FarmBook& book) { return book.logs.at(order.build_id()); }),
            "  CC kernel/sched/fair.o\n");
}

TEST_F(SyncLoopBuildTest, WhatTheFarmHasIsNotSentAgain) {
  OnFarm("built image");
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_EQ(Ask([](const FarmBook& book) { return book.puts.size(); }), 1u);
}

TEST_F(SyncLoopBuildTest, OutputsThatDoNotMatchAreTheFarmsFailure) {
  const auto build = slot_.script;
  slot_.script = [&](const v1::BuildOrder& order, const BuildHooks& hooks) {
    BuildOutcome outcome = build(order, hooks);
    std::ofstream(outcome.image_path) << "truncated";
    return outcome;
  };
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  const v1::BuildResult result = ResultOf(order);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_THAT(result.error(), HasSubstr("bzImage"));
}

TEST_F(SyncLoopBuildTest, ABuiltResultOutlivesARestart) {
  farm_->With([](FarmBook& book) {
    book.failures["PutArtefact"] =
        std::vector<absl::Status>(100000, absl::UnavailableError("busy"));
  });
  const v1::BuildOrder order = Build();
  Lease(order);
  Start();
  ASSERT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.build_slots(0).phase() == "reporting";
  }));
  farm_->GoAway();
  Stop();
  std::filesystem::remove(folder_ + "/bzImage");
  farm_->ComeBack();
  farm_->With([](FarmBook& book) { book.failures.clear(); });
  Start();
  EXPECT_EQ(ResultOf(order).status(), v1::BuildResult::STATUS_BUILT);
  EXPECT_EQ(slot_.gate.arrivals(), 1);
  EXPECT_EQ(Ask([](const FarmBook& b) { return b.artefacts.at(Sha256Hex("built image")); }),
            "built image");
}

TEST_F(SyncLoopBuildTest, LostOutputsOfAWaitingResultAreTheFarmsFailure) {
  journal_ = OpenTestJournal();
  const v1::BuildOrder order = Build();
  Lease(order);
  const WorkKey key{WorkKind::kBuild, order.build_id(), 1};
  v1::BuildResult built;
  built.set_build_id(order.build_id());
  built.set_epoch(1);
  built.set_status(v1::BuildResult::STATUS_BUILT);
  *built.mutable_image() = ArtefactOf("evicted");
  ASSERT_TRUE(journal_->AppendOrder(key, order.SerializeAsString()).ok());
  ASSERT_TRUE(journal_->AppendResult(key, built.SerializeAsString()).ok());
  Start();
  const v1::BuildResult result = ResultOf(order);
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_FARM_FAILED);
  EXPECT_THAT(result.error(), HasSubstr(built.image().sha256()));
}

TEST_F(SyncLoopTest, StopEndsWorkAndSaysSo) {
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
  EXPECT_EQ(result.outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_EQ(result.reason(), "agent stopped");
}

TEST_F(SyncLoopTest, WhatWasInHandWhenTheProcessDiedIsReportedAndHoldsItsMachine) {
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

TEST_F(SyncLoopTest, AnOrderThatComesAgainAfterItsResultIsNotDoneAgain) {
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
