#include "agent/machine/laptop_machine.h"

#include <filesystem>
#include <fstream>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/framing.h"
#include "proto/wire/ids.h"
#include "tests/fakes/fake_laptop.h"

namespace shakedown::agent {
namespace {

using fakes::LaptopBook;
using testing::ElementsAre;
using testing::HasSubstr;

class LaptopMachineTest : public testing::Test {
 protected:
  LaptopMachineTest()
      : folder_(absl::StrCat(testing::TempDir(), "/laptop-", NewUuid())),
        laptop_((std::filesystem::create_directories(folder_), folder_ + "/laptop.sock")) {
    order_.set_attempt_id(NewUuid());
    order_.set_epoch(3);
    order_.set_name("17.3B");
    order_.mutable_expected()->set_release("6.12.9");
    order_.mutable_expected()->set_build_id("deadbeef");
    order_.add_boot_parameters("preempt=full");
    order_.add_loads()->mutable_make();
    order_.add_loads()->mutable_latt();
    order_.set_boot_limit_s(100);
    order_.set_run_limit_s(1000);
    options_.name = "x1";
    options_.socket = laptop_.socket();
    options_.poll = absl::Milliseconds(1);
    options_.daemon_limit = absl::Milliseconds(50);
    options_.root = folder_;
    options_.uptime = [] { return absl::Seconds(40); };
    laptop_.With([](LaptopBook& book) { book.facts = {{"dmi.model", "ThinkPad X1"}}; });
  }
  ~LaptopMachineTest() override {
    laptop_.GoAway();
    std::filesystem::remove_all(folder_);
  }

  struct Life {
    absl::StatusOr<v1::BootResult> end = absl::UnknownError("not lived");
    std::vector<std::string> dark;  // "1100 s: reboots …"
  };

  // One process of the agent: ends when the machine reboots, or `stop_at` says so.
  Life Live(const std::string& stop_at = "", const std::string& cancel_at = "") {
    stop_ = cancel_ = false;
    const auto seen = [=, this](absl::string_view verb) {
      if (verb == cancel_at) cancel_ = true;
      if (verb == stop_at) stop_ = cancel_ = true;
    };
    laptop_.Before([=, this](absl::string_view verb) {
      if (verb == "load") seen(verb);
      return true;
    });
    laptop_.After([=, this](absl::string_view verb) {
      seen(verb);
      laptop_.With([&](LaptopBook& book) {
        if (book.going_home || (stops_when_leaving_ && book.stage == v1::BOOT_STAGE_LEAVING)) {
          stop_ = cancel_ = true;
        }
      });
    });
    Life life;
    BootHooks hooks;
    hooks.cancel = &cancel_;
    hooks.stop = &stop_;
    hooks.dark = [&](absl::Duration duration, absl::string_view reason) {
      life.dark.push_back(absl::StrCat(absl::ToInt64Seconds(duration), " s: ", reason));
    };
    machine_ = *MakeLaptopMachine(options_, SystemClock());
    life.end = machine_->RunBoot(order_, files_, hooks);
    if (life.end.ok()) EXPECT_TRUE(machine_->Concluded(order_).ok());
    return life;
  }
  Life LiveAfterReboot() {
    laptop_.Reboot();
    return Live();
  }
  std::vector<std::string> Verbs() {
    std::vector<std::string> verbs;
    laptop_.With([&](LaptopBook& book) { verbs = book.verbs; });
    return verbs;
  }
  int Loads() {
    int loads = 0;
    laptop_.With([&](LaptopBook& book) { loads = book.loads[order_.attempt_id()]; });
    return loads;
  }
  void ExpectHome() {
    laptop_.With([](LaptopBook& book) { EXPECT_EQ(book.stage, v1::BOOT_STAGE_NONE); });
  }
  static v1::Outcome OutcomeOf(const Life& life) {
    return life.end.ok() ? life.end->outcome() : v1::OUTCOME_UNSPECIFIED;
  }

  const std::string folder_;
  fakes::FakeLaptop laptop_;
  v1::BootOrder order_;
  KernelFiles files_{.image = "/i", .initramfs = "/r", .modules = "/m", .input_disks = {"/d"}};
  LaptopMachineOptions options_;
  bool stops_when_leaving_ = true;
  std::atomic<bool> stop_ = false, cancel_ = false;
  std::unique_ptr<Machine> machine_;
};

TEST_F(LaptopMachineTest, AWholeBootTakesThreeLives) {
  const Life first = Live();
  EXPECT_TRUE(IsSuspended(first.end.status())) << first.end.status();
  EXPECT_THAT(first.dark, ElementsAre("1100 s: reboots into 6.12.9 for 17.3B"));
  laptop_.With([](LaptopBook& book) {
    EXPECT_EQ(book.installed.image_path(), "/i");
    EXPECT_EQ(book.installed.initramfs_path(), "/r");
    EXPECT_EQ(book.installed.modules_path(), "/m");
    EXPECT_THAT(book.installed.input_paths(), ElementsAre("/d"));
  });
  const Life second = LiveAfterReboot();
  EXPECT_TRUE(IsSuspended(second.end.status())) << second.end.status();
  EXPECT_THAT(second.dark,
              ElementsAre("0 s: ", "1000 s: measures 17.3B", "0 s: ", "1000 s: measures 17.3B",
                          "0 s: ", "100 s: reboots home after 17.3B"));
  const Life third = LiveAfterReboot();
  ASSERT_EQ(OutcomeOf(third), v1::OUTCOME_MEASURED) << third.end.status();
  EXPECT_EQ(third.end->load_runs_size(), 2);
  EXPECT_EQ(third.end->fingerprint().facts().at("dmi.model"), "ThinkPad X1");
  EXPECT_GE(third.end->boot_ms(), 40000u);
  EXPECT_EQ(Loads(), 2);
  EXPECT_THAT(Verbs(),
              ElementsAre("install", "reboot", "open", "keep", "restore", "collect", "restore"));
  ExpectHome();
}

TEST_F(LaptopMachineTest, WhatTheDaemonFoundIsTheResult) {
  Live();
  laptop_.With([](LaptopBook& book) {
    book.fate.emplace();
    book.fate->set_outcome(v1::OUTCOME_PANICKED);
    book.fate->set_reason("BUG in pick_eevdf\x1b[2J");
    book.fate->set_evidence("<4>pstore");
  });
  const Life second = LiveAfterReboot();
  ASSERT_EQ(OutcomeOf(second), v1::OUTCOME_PANICKED);
  EXPECT_EQ(second.end->reason(), "BUG in pick_eevdf");
  EXPECT_EQ(second.end->evidence(), "<4>pstore");
  ExpectHome();
}

TEST_F(LaptopMachineTest, AnotherKernelThanTheOrdersIsAFinding) {
  Live();
  laptop_.With([](LaptopBook& book) {
    book.installed.mutable_order()->mutable_expected()->set_build_id("cafe");
  });
  LiveAfterReboot();
  const Life third = LiveAfterReboot();
  EXPECT_EQ(OutcomeOf(third), v1::OUTCOME_WRONG_KERNEL);
  EXPECT_EQ(Loads(), 0);
}

struct StopCase {
  const char* at;  // Verb or "load" during which the agent is told to stop.
  bool in_test;
  v1::Outcome want;
  int loads;
};
void PrintTo(const StopCase& c, std::ostream* out) { *out << c.at; }
class LaptopStopTest : public LaptopMachineTest, public testing::WithParamInterface<StopCase> {};
TEST_P(LaptopStopTest, IsTakenUpAgainAndNothingIsMeasuredTwice) {
  const StopCase& c = GetParam();
  if (c.in_test) {
    Live();
    laptop_.Reboot();
  }
  const Life stopped = Live(c.at);
  EXPECT_TRUE(IsSuspended(stopped.end.status())) << stopped.end.status();
  // As often as it takes; an agent that is only restarted changes no stage.
  Life life;
  for (int i = 0; i < 4 && !life.end.ok(); ++i) {
    laptop_.With([&](LaptopBook& book) {
      if (book.going_home) book.stage = v1::BOOT_STAGE_RETURNED;
      if (book.stage == v1::BOOT_STAGE_LEAVING) book.stage = v1::BOOT_STAGE_IN_TEST;
      book.going_home = false;
    });
    life = Live();
  }
  EXPECT_EQ(OutcomeOf(life), c.want) << life.end.status();
  EXPECT_EQ(Loads(), c.loads);
  ExpectHome();
}
INSTANTIATE_TEST_SUITE_P(, LaptopStopTest,
                         testing::ValuesIn<StopCase>({{"install", false, v1::OUTCOME_MEASURED, 2},
                                                      {"reboot", false, v1::OUTCOME_MEASURED, 2},
                                                      {"open", true, v1::OUTCOME_FARM_FAILED, 0},
                                                      {"load", true, v1::OUTCOME_FARM_FAILED, 1},
                                                      {"keep", true, v1::OUTCOME_MEASURED, 2},
                                                      {"restore", true, v1::OUTCOME_MEASURED, 2}}),
                         [](const auto& test) { return test.param.at; });

struct CancelCase {
  const char* at;
  bool in_test;
  int loads;
};
void PrintTo(const CancelCase& c, std::ostream* out) { *out << c.at; }
class LaptopCancelTest : public LaptopMachineTest,
                         public testing::WithParamInterface<CancelCase> {};
TEST_P(LaptopCancelTest, GoesHomeCancelled) {
  const CancelCase& c = GetParam();
  if (c.in_test) {
    Live();
    laptop_.Reboot();
  }
  stops_when_leaving_ = false;  // The countdown runs.
  Life life = Live("", c.at);
  if (c.in_test) {
    EXPECT_TRUE(IsSuspended(life.end.status())) << life.end.status();
    life = LiveAfterReboot();
  }
  EXPECT_EQ(OutcomeOf(life), v1::OUTCOME_CANCELLED) << life.end.status();
  EXPECT_EQ(Loads(), c.loads);
  ExpectHome();
}
INSTANTIATE_TEST_SUITE_P(, LaptopCancelTest,
                         testing::ValuesIn<CancelCase>({{"install", false, 0},
                                                        {"reboot", false, 0},
                                                        {"open", true, 0},
                                                        {"load", true, 1}}),
                         [](const auto& test) { return test.param.at; });

TEST_F(LaptopMachineTest, AResultThatIsKeptIsNotCancelledAnyMore) {
  Live();
  laptop_.Reboot();
  Live("", "keep");
  EXPECT_EQ(OutcomeOf(LiveAfterReboot()), v1::OUTCOME_MEASURED);
}

TEST_F(LaptopMachineTest, ARunnerThatWasOpenedByAnEarlierAgentIsNotAskedAgain) {
  Live();
  laptop_.Reboot();
  laptop_.With([](LaptopBook& book) { book.runner_was_open = true; });
  Live();
  const Life home = LiveAfterReboot();
  EXPECT_EQ(OutcomeOf(home), v1::OUTCOME_FARM_FAILED);
  EXPECT_EQ(home.end->reason(), "agent restarted while measuring");
  EXPECT_EQ(Loads(), 0);
}

TEST_F(LaptopMachineTest, ARunnerThatHangsUpIsTheFarmsFailure) {
  Live();
  laptop_.Reboot();
  stop_ = cancel_ = false;
  BootHooks hooks;
  hooks.stop = &stop_;
  hooks.cancel = &cancel_;
  laptop_.Before([](absl::string_view verb) { return verb != "load"; });
  laptop_.After([this](absl::string_view verb) { stop_ = stop_ || verb == "restore"; });
  EXPECT_TRUE(IsSuspended(machine_->RunBoot(order_, {}, hooks).status()));
  const Life home = LiveAfterReboot();
  EXPECT_EQ(OutcomeOf(home), v1::OUTCOME_FARM_FAILED);
  EXPECT_EQ(home.end->reason(), "the runner hung up in make 1/2");
}

TEST_F(LaptopMachineTest, AMachineOnBatteryDoesNotMeasure) {
  const std::string supply = folder_ + "/sys/class/power_supply/AC";
  std::filesystem::create_directories(supply);
  std::ofstream(supply + "/type") << "Mains\n";
  std::ofstream(supply + "/online") << "0\n";
  options_.rest.limit = absl::ZeroDuration();
  Live();
  LiveAfterReboot();
  const Life home = LiveAfterReboot();
  EXPECT_EQ(OutcomeOf(home), v1::OUTCOME_DISTURBED);
  EXPECT_THAT(home.end->reason(), HasSubstr("make 1/2: ac_lost"));
  EXPECT_EQ(Loads(), 0);
}

TEST_F(LaptopMachineTest, RestDoesNotOutlastTheBootsLimits) {
  options_.uptime = [] { return absl::Seconds(1101); };
  Live();
  LiveAfterReboot();
  const Life home = LiveAfterReboot();
  EXPECT_EQ(OutcomeOf(home), v1::OUTCOME_DISTURBED);
  EXPECT_THAT(home.end->reason(), HasSubstr("1100 s after power-on"));
}

TEST_F(LaptopMachineTest, ABootOfTheOwnersHandsTheOrderBack) {
  laptop_.With([](LaptopBook& book) {
    book.stage = v1::BOOT_STAGE_INSTALLED;
    book.installed.mutable_order()->set_attempt_id(NewUuid());
    book.refusals["restore"] = absl::FailedPreconditionError("a one-shot boot is being tried");
  });
  const Life life = Live();
  EXPECT_EQ(OutcomeOf(life), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(life.end->reason(), "a one-shot boot is being tried");
}

TEST_F(LaptopMachineTest, AnOrderThatTheOwnerRefusesFailsWithTheLine) {
  laptop_.With([](LaptopBook& book) {
    book.refusals["install"] =
        absl::PermissionDeniedError("owner.txtpb:7: signer 12ab… is not one of mine\nsecond line");
  });
  const absl::Status refused = Live().end.status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("owner.txtpb:7: signer 12ab… is not one of mine second line"));
  ExpectHome();
}

TEST_F(LaptopMachineTest, WhatIsTheHoursIsAProblemAndHandsTheOrderBack) {
  laptop_.With([](LaptopBook& book) { book.problem = "owner.txtpb:3: only from 22:00 to 6:00"; });
  const Life life = Live();
  EXPECT_EQ(OutcomeOf(life), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(life.end->reason(), "owner.txtpb:3: only from 22:00 to 6:00");
  EXPECT_EQ(machine_->Problem(), "owner.txtpb:3: only from 22:00 to 6:00");
  EXPECT_THAT(Verbs(), ElementsAre());
}

TEST_F(LaptopMachineTest, APersonWhoRefusesTheRebootHandsTheOrderBack) {
  stops_when_leaving_ = false;
  laptop_.With([](LaptopBook& book) { book.stuck_reboot = true; });
  EXPECT_EQ(OutcomeOf(Live()), v1::OUTCOME_CANCELLED);
  ExpectHome();
  laptop_.With([](LaptopBook& book) {
    book.stuck_reboot = false;
    book.verbs.clear();
    book.refusals["reboot"] = absl::FailedPreconditionError("refused by anna");
  });
  EXPECT_EQ(OutcomeOf(Live()), v1::OUTCOME_FARM_FAILED);
  ExpectHome();
}

TEST_F(LaptopMachineTest, ADaemonThatIsAwayIsAProblemWithTheWayOut) {
  laptop_.GoAway();
  EXPECT_TRUE(absl::IsUnavailable(Live().end.status()));
  EXPECT_EQ(machine_->Problem(), "shakedown-laptop does not run: systemctl start shakedown-laptop");
  EXPECT_TRUE(absl::IsUnavailable(machine_->CleanUp({})));
  laptop_.ComeBack();
  EXPECT_EQ(machine_->Problem(), "");
  EXPECT_TRUE(IsSuspended(Live().end.status()));
}

TEST_F(LaptopMachineTest, GarbageIsNoAnswer) {
  v1::LaptopReply no_stage;
  v1::LaptopReply odd_stage;
  odd_stage.mutable_status()->set_stage(static_cast<v1::BootStage>(77));
  std::string too_long = EncodeFrame("x");
  too_long[7] = '\x7f';
  for (const std::string& garbage :
       {std::string("hello, world: this is no frame"), EncodeFrame("\xff\xff\xff"),
        EncodeFrame(no_stage.SerializeAsString()), EncodeFrame(odd_stage.SerializeAsString()),
        too_long}) {
    laptop_.With([&](LaptopBook& book) { book.garbage = garbage; });
    const absl::Status status = Live().end.status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(machine_->Problem(), HasSubstr("shakedown-laptop's answer"));
  }
  laptop_.With([&](LaptopBook& book) { book.garbage.clear(); });
  ExpectHome();
}

TEST_F(LaptopMachineTest, TheResultOfAnotherAttemptIsNotTaken) {
  Live();
  laptop_.With([](LaptopBook& book) {
    book.stage = v1::BOOT_STAGE_RETURNED;
    book.result.emplace().set_attempt_id(NewUuid());
  });
  EXPECT_TRUE(absl::IsInternal(Live().end.status()));
}

TEST_F(LaptopMachineTest, WhatAnEarlierOrderLeftIsEndedFirst) {
  Live();
  laptop_.Reboot();  // In the test kernel of an order that nobody knows any more.
  const std::string forgotten = order_.attempt_id();
  EXPECT_TRUE(machine_->CleanUp({forgotten}).ok());
  laptop_.With([](LaptopBook& book) { EXPECT_FALSE(book.going_home); });
  order_.set_attempt_id(NewUuid());
  EXPECT_TRUE(IsSuspended(Live().end.status()));  // Goes home.
  EXPECT_TRUE(IsSuspended(LiveAfterReboot().end.status()));
  laptop_.With([&](LaptopBook& book) {
    EXPECT_EQ(book.installed.order().attempt_id(), order_.attempt_id());
    EXPECT_EQ(book.stage, v1::BOOT_STAGE_LEAVING);
  });
  EXPECT_EQ(Loads(), 0);
}

TEST_F(LaptopMachineTest, SaysWhatItIs) {
  laptop_.With([](LaptopBook& book) { book.hands = "hold the power button 10 s"; });
  options_.tags = {"hybrid"};
  machine_ = *MakeLaptopMachine(options_, SystemClock());
  EXPECT_EQ(machine_->Problem(), "");
  EXPECT_THAT(machine_->Info().tags, ElementsAre("laptop", "hybrid"));
  EXPECT_EQ(machine_->Facts().at("dmi.model"), "ThinkPad X1");
  EXPECT_EQ(machine_->Hands(), "hold the power button 10 s");
  options_.socket = "laptop.sock";
  EXPECT_TRUE(absl::IsInvalidArgument(MakeLaptopMachine(options_, SystemClock()).status()));
}

}  // namespace
}  // namespace shakedown::agent
