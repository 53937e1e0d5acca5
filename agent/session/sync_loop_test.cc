#include "agent/session/sync_loop.h"

#include "agent/session/sync_loop_test_base.h"
#include "proto/wire/files.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;
using testing::HasSubstr;

class SyncLoopTest : public SyncLoopTestBase {};

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

TEST_F(SyncLoopTest, WhoLooksOnSeesTheRunningLoadsSamplesUntilItEnds) {
  v1::LiveTelemetry live;
  live.set_load(1);
  live.add_at_ms(1000);
  live.add_lines()->set_name("vmstat.us");
  live.mutable_lines(0)->add_values(42);
  vm1_.script = [&](const v1::BootOrder& order, const auto&, const BootHooks& hooks) {
    hooks.live(live);
    EXPECT_TRUE(hooks.told(absl::Seconds(20)));
    EXPECT_TRUE(WaitForSync([&](const v1::SyncRequest& request) {
      const v1::LiveTelemetry& told = request.machines(0).live();
      return told.load() == 1 && told.lines_size() == 1 && told.lines(0).values(0) == 42;
    }));
    hooks.live({});
    EXPECT_TRUE(hooks.told(absl::Seconds(20)));
    EXPECT_TRUE(WaitForSync([&](const v1::SyncRequest& request) {
      return request.machines(0).attempt_id() == order.attempt_id() &&
             !request.machines(0).has_live();
    }));
    hooks.live(live);  // Of a load that never ended.
    return fakes::Measured(order, 1);
  };
  const v1::BootOrder order = Boot();
  Lease(order);
  Start();
  ResultOf(order);
  ASSERT_TRUE(WaitUntilIdle());
  EXPECT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.machines(0).attempt_id().empty() && !request.machines(0).has_live();
  }));
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

TEST_F(SyncLoopTest, WhileAMachineHasAProblemItsBootsAreHandedBack) {
  vm1_.script = [this](const auto&, const auto&, const auto&) -> absl::StatusOr<v1::BootResult> {
    vm1_.SetProblem("guest image /srv/guest.img: damaged");
    return absl::FailedPreconditionError("guest image /srv/guest.img: damaged");
  };
  const v1::BootOrder broken = Boot();
  Lease(broken);
  Start();
  EXPECT_EQ(ResultOf(broken).outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(ResultOf(broken).reason(), "guest image /srv/guest.img: damaged");
  ASSERT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
    return request.machines(0).problem() == "guest image /srv/guest.img: damaged" &&
           request.machines(0).attempt_id().empty();
  }));
  vm1_.SetProblem("");
  Lease(Boot("vm2"));  // The farm is told at the next occasion.
  EXPECT_TRUE(WaitForSync(
      [](const v1::SyncRequest& request) { return request.machines(0).problem().empty(); }));
}

TEST_F(SyncLoopTest, InputsAreDisksForTheMachineAndFactsOfTheResult) {
  const std::string tar = folder_ + "/tree.tar";
  fakes::WriteTar(tar, {{'0', "linux/Makefile", "all:\n"}});
  v1::BootOrder order = Boot();
  v1::Input* input = order.add_inputs();
  input->set_name("linux-6.12");
  *input->mutable_archive() = OnFarm(*ReadFile(tar));
  vm1_.script = [](const v1::BootOrder& boot, const KernelFiles& files, const BootHooks&) {
    EXPECT_EQ(files.input_disks.size(), 1u);
    const absl::StatusOr<std::string> disk = ReadFile(files.input_disks.at(0));
    EXPECT_EQ(disk.ok() ? disk->substr(1024 + 56, 2) : "", "\x53\xEF");
    return fakes::Measured(boot, 1);
  };
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).fingerprint().facts().at("input.linux-6.12"),
            input->archive().sha256());
}

TEST_F(SyncLoopTest, AnInputThatIsNoneIsRefused) {
  v1::BootOrder order = Boot();
  order.add_inputs()->set_name("../etc");
  Lease(order);
  Start();
  EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_THAT(ResultOf(order).reason(), HasSubstr("input \"../etc\""));
  EXPECT_EQ(vm1_.gate.arrivals(), 0);
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
  EXPECT_EQ(result.status(), v1::BuildResult::STATUS_CANCELLED);
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
    hooks.dark(absl::Seconds(3600), "reboots into 6.12.9 for 17.1A");
    EXPECT_TRUE(hooks.told(absl::Seconds(20)));
    EXPECT_TRUE(WaitForSync([](const v1::SyncRequest& request) {
      return request.machines(0).dark_for_s() > 3500 && request.wait_ms() == 0 &&
             request.machines(0).dark_reason() == "reboots into 6.12.9 for 17.1A";
    }));
    EXPECT_TRUE(WaitForPause(absl::Seconds(3500)));
    hooks.dark(absl::ZeroDuration(), "");
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

}  // namespace
}  // namespace shakedown::agent
