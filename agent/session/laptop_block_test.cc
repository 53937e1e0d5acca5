// An agent on a laptop, life after life: the real machine, journal and loop; a daemon and a farm
// that outlive them.
#include <algorithm>
#include <thread>

#include "agent/machine/laptop_machine.h"
#include "agent/session/farm_test_base.h"
#include "agent/session/sync_loop.h"
#include "tests/fakes/fake_laptop.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;
using fakes::LaptopBook;
using testing::HasSubstr;

class LaptopBlockTest : public FarmTestBase {
 protected:
  LaptopBlockTest() : laptop_(folder_ + "/laptop.sock") {
    image_ = OnFarm("bzImage");
    modules_ = OnFarm("modules.tar.zst");
  }
  ~LaptopBlockTest() override {
    Stop();
    laptop_.GoAway();
  }

  // A process of the agent begins.
  void Start() {
    const std::string boot_id = absl::StrCat("boot-", ++life_);
    journal_ = OpenTestJournal(boot_id);
    client_ = NewClient();
    cache_ = OpenCache();
    inputs_ = *MakeInputCache({.folder = folder_ + "/inputs"}, *cache_, *client_);
    LaptopMachineOptions laptop;
    laptop.name = "x1";
    laptop.socket = laptop_.socket();
    laptop.poll = absl::Milliseconds(2);
    laptop.tell_limit = tell_limit_;
    laptop.root = folder_;
    machine_ = *MakeLaptopMachine(laptop, SystemClock());
    SyncLoopOptions options;
    options.agent = "host1";
    options.boot_id = boot_id;
    options.log_folder = folder_ + "/logs";
    options.idle_poll = options.busy_poll = absl::Milliseconds(50);
    options.backoff = {.first = absl::Milliseconds(5), .last = absl::Milliseconds(20)};
    options.last_word = absl::Milliseconds(200);
    SyncLoopParts parts;
    parts.machines = {machine_.get()};
    parts.journal = journal_.get();
    parts.farm = client_.get();
    parts.cache = cache_.get();
    parts.inputs = inputs_.get();
    parts.clock = &SystemClock();
    parts.random = [] { return 0.5; };
    parts.waiters = [](absl::string_view) { return MakeWaiter(); };
    parts.free_bytes = [] { return uint64_t{1} << 40; };
    loop_ = MakeSyncLoop(options, parts);
    thread_ = std::thread([this] { EXPECT_TRUE(loop_->Run().ok()); });
  }
  // SIGTERM.
  void Stop() {
    if (loop_ == nullptr) return;
    loop_->RequestStop();
    thread_.join();
    loop_ = nullptr;
    inputs_ = nullptr;
    cache_ = nullptr;
    journal_ = nullptr;
  }
  // Lives through reboots until `count` boots have come home and nothing is under way.
  void LiveUntilHome(int count) {
    const auto home = [&](const LaptopBook& book) {
      return book.stage == v1::BOOT_STAGE_NONE && Count(book, "collect") >= count;
    };
    for (bool done = false; !done;) {
      if (loop_ == nullptr) Start();
      ASSERT_TRUE(laptop_.WaitUntil([&](const LaptopBook& book) {
        done = home(book);
        return done || book.stage == v1::BOOT_STAGE_LEAVING || book.going_home;
      }));
      if (done) break;
      Stop();
      laptop_.Reboot();
    }
  }
  static int Count(const LaptopBook& book, const std::string& verb) {
    return static_cast<int>(std::count(book.verbs.begin(), book.verbs.end(), verb));
  }

  // The farm leases a block: 17.3A, 17.3B, …
  std::vector<v1::BootOrder> LeaseBlock(int boots, int64_t epoch = 7) {
    std::vector<v1::BootOrder> block;
    for (int i = 0; i < boots; ++i) {
      v1::BootOrder& order = block.emplace_back();
      order.set_attempt_id(NewUuid());
      order.set_name(absl::StrCat("17.3", std::string(1, static_cast<char>('A' + i))));
      order.set_machine("x1");
      order.set_epoch(epoch);
      *order.mutable_image() = image_;
      *order.mutable_modules() = modules_;
      order.mutable_expected()->set_release("6.12.9");
      order.mutable_expected()->set_build_id("deadbeef");
      order.add_loads()->mutable_make();
    }
    farm_->With([&](FarmBook& book) {
      for (const v1::BootOrder& order : block) book.boots[order.attempt_id()] = order;
    });
    return block;
  }
  bool AllReported(size_t count) {
    return farm_->WaitUntil([&](const FarmBook& book) {
      return book.boot_results.size() == count &&
             book.syncs.back().machines(0).attempt_id().empty();
    });
  }
  v1::BootResult ResultOf(const v1::BootOrder& order) {
    return Ask([&](const FarmBook& book) { return book.boot_results.at(order.attempt_id()); });
  }
  void ExpectEachMeasuredOnce(const std::vector<v1::BootOrder>& block) {
    for (const v1::BootOrder& order : block) {
      EXPECT_EQ(ResultOf(order).outcome(), v1::OUTCOME_MEASURED) << order.name();
      EXPECT_EQ(Ask([&](const FarmBook& book) { return book.reports.at(order.attempt_id()); }), 1);
      laptop_.With([&](LaptopBook& book) { EXPECT_EQ(book.loads[order.attempt_id()], 1); });
    }
  }
  bool WaitForStatus(const std::function<bool(const v1::MachineStatus&)>& wanted) {
    return farm_->WaitUntil([&](const FarmBook& book) {
      return std::any_of(book.syncs.begin(), book.syncs.end(),
                         [&](const v1::SyncRequest& sync) { return wanted(sync.machines(0)); });
    });
  }

  fakes::FakeLaptop laptop_;
  v1::Artefact image_, modules_;
  absl::Duration tell_limit_ = absl::Milliseconds(20);
  int life_ = 0;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<ArtefactCache> cache_;
  std::unique_ptr<InputCache> inputs_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<SyncLoop> loop_;
  std::thread thread_;
};

TEST_F(LaptopBlockTest, OneBootOverThreeLives) {
  tell_limit_ = absl::Seconds(20);  // The farm is there: it hears at once.
  laptop_.With([](LaptopBook& book) {
    book.facts = {{"dmi.model", "X1"}};
    book.hands = "hold the power button";
  });
  const std::vector<v1::BootOrder> block = LeaseBlock(1);
  LiveUntilHome(1);
  ASSERT_TRUE(AllReported(1));
  ExpectEachMeasuredOnce(block);
  EXPECT_EQ(life_, 3);
  EXPECT_TRUE(WaitForStatus([](const v1::MachineStatus& status) {
    return status.takes_blocks() && status.tags(0) == "laptop" &&
           status.facts().at("dmi.model") == "X1" && status.hands() == "hold the power button";
  }));
  EXPECT_TRUE(WaitForStatus([](const v1::MachineStatus& status) {
    return status.dark_reason() == "reboots into 6.12.9 for 17.3A" && status.dark_for_s() > 0;
  }));
  EXPECT_TRUE(WaitForStatus(
      [](const v1::MachineStatus& status) { return status.dark_reason() == "measures 17.3A"; }));
  EXPECT_TRUE(WaitForStatus([](const v1::MachineStatus& status) {
    return status.dark_reason() == "reboots home after 17.3A";
  }));
  laptop_.With([](LaptopBook& book) { EXPECT_FALSE(book.installed.modules_path().empty()); });
}

TEST_F(LaptopBlockTest, AWholeBlockRunsWhileTheFarmIsAway) {
  const std::vector<v1::BootOrder> block = LeaseBlock(4);
  Start();
  ASSERT_TRUE(WaitForStatus([&](const v1::MachineStatus& status) {
    return status.attempt_id() == block[0].attempt_id() && status.queued_size() == 3 &&
           status.queued(0) == block[1].attempt_id() && status.queued(2) == block[3].attempt_id();
  }));
  ASSERT_TRUE(laptop_.WaitUntil(
      [](const LaptopBook& book) { return book.stage == v1::BOOT_STAGE_LEAVING; }));
  farm_->GoAway();
  LiveUntilHome(4);
  EXPECT_EQ(life_, 9);  // One at home, then two for each boot.
  EXPECT_EQ(Ask([](const FarmBook& book) { return book.boot_results.size(); }), 0u);
  farm_->ComeBack();
  ASSERT_TRUE(AllReported(4));
  ExpectEachMeasuredOnce(block);
  EXPECT_EQ(Ask([&](const FarmBook& book) { return book.fetches.at(image_.sha256()); }), 1);
}

TEST_F(LaptopBlockTest, ARestartInTheMiddleOfABlockChangesNothing) {
  const std::vector<v1::BootOrder> block = LeaseBlock(2);
  Start();
  ASSERT_TRUE(laptop_.WaitUntil(
      [](const LaptopBook& book) { return book.stage == v1::BOOT_STAGE_LEAVING; }));
  for (int i = 0; i < 3; ++i) {  // During the countdown.
    Stop();
    Start();
  }
  LiveUntilHome(2);
  ASSERT_TRUE(AllReported(2));
  ExpectEachMeasuredOnce(block);
}

TEST_F(LaptopBlockTest, AQueuedBootIsCancelledAndTheOthersRun) {
  tell_limit_ = absl::Seconds(20);
  const std::vector<v1::BootOrder> block = LeaseBlock(3);
  farm_->With([&](FarmBook& book) { book.cancels.push_back(block[1].attempt_id()); });
  LiveUntilHome(2);
  ASSERT_TRUE(AllReported(3));
  ExpectEachMeasuredOnce({block[0], block[2]});
  EXPECT_EQ(ResultOf(block[1]).outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(ResultOf(block[1]).reason(), "cancelled before its turn");
  laptop_.With([](LaptopBook& book) { EXPECT_EQ(Count(book, "install"), 2); });
}

TEST_F(LaptopBlockTest, ABootThatIsRefusedInTheMiddleDoesNotStopTheOthers) {
  const std::vector<v1::BootOrder> block = LeaseBlock(3);
  laptop_.Before([this](absl::string_view verb) {
    laptop_.With([&](LaptopBook& book) {
      book.refusals.clear();
      if (verb == "install" && Count(book, "install") == 1) {
        book.refusals["install"] = absl::PermissionDeniedError("owner.txtpb:7: not my signer");
      }
    });
    return true;
  });
  LiveUntilHome(2);
  ASSERT_TRUE(AllReported(3));
  ExpectEachMeasuredOnce({block[0], block[2]});
  EXPECT_EQ(ResultOf(block[1]).outcome(), v1::OUTCOME_FARM_FAILED);
  EXPECT_THAT(ResultOf(block[1]).reason(), HasSubstr("owner.txtpb:7: not my signer"));
}

TEST_F(LaptopBlockTest, CancelBeforeTheRebootComesFromTheFarm) {
  tell_limit_ = absl::Seconds(20);
  const std::vector<v1::BootOrder> block = LeaseBlock(1);
  farm_->With([&](FarmBook& book) { book.cancels.push_back(block[0].attempt_id()); });
  Start();
  ASSERT_TRUE(AllReported(1));
  EXPECT_EQ(ResultOf(block[0]).outcome(), v1::OUTCOME_CANCELLED);
  laptop_.With([](LaptopBook& book) { EXPECT_EQ(Count(book, "reboot"), 0); });
}

TEST_F(LaptopBlockTest, CancelInTheTestKernelGoesHome) {
  tell_limit_ = absl::Seconds(20);
  const std::vector<v1::BootOrder> block = LeaseBlock(1);
  Start();
  ASSERT_TRUE(laptop_.WaitUntil(
      [](const LaptopBook& book) { return book.stage == v1::BOOT_STAGE_LEAVING; }));
  Stop();
  laptop_.Reboot();
  farm_->With([&](FarmBook& book) { book.cancels.push_back(block[0].attempt_id()); });
  LiveUntilHome(1);
  ASSERT_TRUE(AllReported(1));
  EXPECT_EQ(ResultOf(block[0]).outcome(), v1::OUTCOME_CANCELLED);
}

TEST_F(LaptopBlockTest, NoOrdersComeWhileTheDaemonIsAwayAndItsReturnIsSeen) {
  laptop_.GoAway();
  const std::vector<v1::BootOrder> block = LeaseBlock(1);
  Start();
  ASSERT_TRUE(WaitForStatus([](const v1::MachineStatus& status) {
    return status.problem() == "shakedown-laptop does not run: systemctl start shakedown-laptop";
  }));
  laptop_.ComeBack();
  LiveUntilHome(1);
  ASSERT_TRUE(AllReported(1));
  ExpectEachMeasuredOnce(block);
}

TEST_F(LaptopBlockTest, ABootWhoseEndFailedIsEndedLater) {
  laptop_.After([this](absl::string_view verb) {
    laptop_.With([&](LaptopBook& book) {
      if (verb == "collect") book.refusals["restore"] = absl::UnavailableError("/boot: read-only");
    });
  });
  const std::vector<v1::BootOrder> block = LeaseBlock(1);
  for (int reboots = 0; reboots < 2; ++reboots) {
    Start();
    ASSERT_TRUE(laptop_.WaitUntil([](const LaptopBook& book) {
      return book.stage == v1::BOOT_STAGE_LEAVING || book.going_home;
    }));
    Stop();
    laptop_.Reboot();
  }
  Start();
  EXPECT_TRUE(AllReported(1));
  ASSERT_TRUE(WaitForStatus(
      [](const v1::MachineStatus& status) { return status.problem() == "/boot: read-only"; }));
  laptop_.With([](LaptopBook& book) { book.refusals.clear(); });
  ASSERT_TRUE(
      laptop_.WaitUntil([](const LaptopBook& book) { return book.stage == v1::BOOT_STAGE_NONE; }));
  ASSERT_TRUE(farm_->WaitUntil(
      [](const FarmBook& book) { return book.syncs.back().machines(0).problem().empty(); }));
  ExpectEachMeasuredOnce(block);
}

TEST_F(LaptopBlockTest, ABootThatNoJournalKnowsIsEnded) {
  laptop_.With([](LaptopBook& book) {
    book.stage = v1::BOOT_STAGE_IN_TEST;
    book.installed.mutable_order()->set_attempt_id(NewUuid());
  });
  Start();
  ASSERT_TRUE(laptop_.WaitUntil([](const LaptopBook& book) { return book.going_home; }));
  Stop();
  laptop_.Reboot();
  Start();
  EXPECT_TRUE(
      laptop_.WaitUntil([](const LaptopBook& book) { return book.stage == v1::BOOT_STAGE_NONE; }));
}

}  // namespace
}  // namespace shakedown::agent
