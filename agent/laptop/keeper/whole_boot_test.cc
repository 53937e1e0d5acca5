// The keeper over the real boot transaction and loaders, on a laptop that is a folder: a boot from
// the order to the result and back, stopped, refused and tried, without a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "agent/laptop/boot/fake_laptop.h"
#include "agent/laptop/keeper/keeper_fixture.h"

namespace shakedown::laptop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class WholeBootTest : public testing::TestWithParam<std::string> {
 protected:
  WholeBootTest() {
    std::filesystem::create_directories(root());
    MakeLaptop(root(), GetParam());
    files_ = MakeBootFiles(top_.path() + "/agent", &order_);
    before_ = Snapshot(root());
    Rules("");
    top_.Put("/etc/agent.conf", "server = farm:1\n");
    host_.reboot = [this](Host::RebootKind) {
      ++reboots_;
      return absl::OkStatus();
    };
    boot_ = BootMachine(root(), GetParam(), false);
    Start();
  }

  std::string root() const { return top_.path() + "/root"; }
  void Rules(const std::string& more) {
    top_.Put("/etc/owner.txtpb",
             "farms: \"farm:1\"\nany_kernel: true\nneed_ac: false\n"
             "loads: [\"make\", \"latt\", \"tree\"]\n" +
                 more);
    chmod((top_.path() + "/etc/owner.txtpb").c_str(), 0644);
  }
  // The daemon, in the kernel that runs.
  void Start() {
    keeper_.reset();
    transaction_.reset();
    host_.release = boot_.release;
    host_.command_line = boot_.command_line;
    host_.boot_id = absl::StrCat("b0000000-0000-4000-8000-", 100000000000 + ++boots_);
    loader_ = *MakeBootLoader(root(), host_, GetParam());
    std::filesystem::create_directories(root() + kState);
    auto opened = OpenBootTransaction({.root = root(), .state = root() + kState, .keep_free = 0},
                                      *loader_, host_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    transaction_ = *std::move(opened);
    state_.emplace(*StateFile::Open(root() + kState + "/keeper.txtpb"));
    KeeperOptions options;
    options.root = root();
    options.owner_path = top_.path() + "/etc/owner.txtpb";
    options.owner_uid = getuid();
    options.config = top_.path() + "/etc/agent.conf";
    options.loader = loader_->Name();
    options.zone = absl::UTCTimeZone();
    options.uptime = absl::Seconds(20);
    options.input_image = [this](size_t index) { return InputPath(root() + kState, index); };
    keeper_.emplace(KeeperParts{*transaction_, host_, seat_, vigil_, place_, *state_, clock_},
                    std::move(options));
  }
  // After the reboot that was asked for.
  void AfterReboot() {
    ASSERT_EQ(reboots_, 1);
    reboots_ = 0;
    boot_ = BootMachine(root(), GetParam(), false);
    ASSERT_FALSE(boot_.stuck) << boot_.why;
    host_.now += absl::Minutes(1);
    Start();
  }
  void Pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock_.Advance(absl::Seconds(1));
      keeper_->Tick();
    }
  }

  v1::LaptopReply Ask(const v1::LaptopRequest& request) { return keeper_->Handle(request, true); }
  v1::LaptopReply Install() {
    v1::LaptopRequest request;
    *request.mutable_install()->mutable_order() = order_;
    request.mutable_install()->set_image_path(files_.image);
    request.mutable_install()->set_modules_path(files_.modules);
    for (const std::string& input : files_.inputs)
      request.mutable_install()->add_input_paths(input);
    return Ask(request);
  }
  v1::LaptopReply Reboot() {
    v1::LaptopRequest request;
    request.mutable_reboot()->set_attempt_id(order_.attempt_id());
    return Ask(request);
  }
  v1::LaptopReply Restore() {
    v1::LaptopRequest request;
    request.mutable_restore()->set_attempt_id(order_.attempt_id());
    return Ask(request);
  }
  v1::LaptopReply Collect() {
    v1::LaptopRequest request;
    request.mutable_collect()->set_attempt_id(order_.attempt_id());
    return Ask(request);
  }
  v1::LaptopStatus Status() {
    v1::LaptopRequest request;
    request.mutable_status();
    return Ask(request).status();
  }
  void IntoTheTestKernel() {
    ASSERT_EQ(Install().error(), "");
    ASSERT_EQ(Reboot().error(), "");
    Pass(61);
    AfterReboot();
    ASSERT_EQ(boot_.release, kTestRelease);
    ASSERT_EQ(Status().stage(), v1::BOOT_STAGE_IN_TEST);
  }
  void ExpectNoTrace() {
    EXPECT_EQ(Status().stage(), v1::BOOT_STAGE_NONE);
    EXPECT_EQ(Snapshot(root()), before_);
    EXPECT_EQ(BootMachine(root(), GetParam(), false).release, kSafeRelease);
  }

  runner::FakeRoot top_;
  v1::BootOrder order_;
  BootFiles files_;
  std::map<std::string, std::string> before_;
  Booted boot_;
  int boots_ = 0, reboots_ = 0;
  FakeClock clock_;
  FakeHost host_{root(), MakeDisk()};
  FakeSeat seat_;
  FakeVigil vigil_;
  FakePlace place_;
  std::unique_ptr<BootLoader> loader_;
  std::unique_ptr<BootTransaction> transaction_;
  std::optional<StateFile> state_;
  std::optional<Keeper> keeper_;
};

TEST_P(WholeBootTest, FromTheOrderToTheResultAndBack) {
  IntoTheTestKernel();
  EXPECT_EQ(vigil_.begun, 1);
  v1::LaptopRequest request;
  request.mutable_open_runner()->set_attempt_id(order_.attempt_id());
  ASSERT_EQ(Ask(request).error(), "");
  ASSERT_EQ(place_.started.size(), 1u);
  EXPECT_EQ(place_.started[0].name, "tree");
  EXPECT_EQ(ReadText(place_.started[0].image), ReadText(files_.inputs[0]));
  v1::BootResult& result = *request.mutable_keep_result()->mutable_result();
  result.set_attempt_id(order_.attempt_id());
  result.set_epoch(order_.epoch());
  result.set_outcome(v1::OUTCOME_MEASURED);
  result.add_load_runs()->set_output("fast");
  ASSERT_EQ(Ask(request).error(), "");
  ASSERT_EQ(Restore().error(), "");
  AfterReboot();
  EXPECT_EQ(boot_.release, kSafeRelease);
  const v1::LaptopReply collected = Collect();
  EXPECT_EQ(collected.error(), "");
  EXPECT_EQ(collected.collected().result().outcome(), v1::OUTCOME_MEASURED);
  EXPECT_EQ(collected.collected().result().load_runs(0).output(), "fast");
  ASSERT_EQ(Restore().error(), "");
  EXPECT_EQ(Status().boots_today(), 1u);
  ExpectNoTrace();
}

TEST_P(WholeBootTest, TheOwnerStopsIt) {
  IntoTheTestKernel();
  v1::LaptopRequest stop;
  stop.mutable_owner()->mutable_stop();
  ASSERT_EQ(Ask(stop).error(), "");
  AfterReboot();
  EXPECT_EQ(boot_.release, kSafeRelease);
  EXPECT_TRUE(Status().paused());
  EXPECT_EQ(Collect().collected().result().outcome(), v1::OUTCOME_CANCELLED);
  ASSERT_EQ(Restore().error(), "");
  ExpectNoTrace();
}

TEST_P(WholeBootTest, TheAgentNeverComes) {
  IntoTheTestKernel();
  Pass(300 + 3600 + 60 - 20);
  AfterReboot();
  EXPECT_EQ(boot_.release, kSafeRelease);
  EXPECT_EQ(Collect().collected().result().outcome(), v1::OUTCOME_FARM_FAILED);
  ASSERT_EQ(Restore().error(), "");
  ExpectNoTrace();
}

TEST_P(WholeBootTest, ARefusedRebootIsTakenBackWithoutATrace) {
  ASSERT_EQ(Install().error(), "");
  ASSERT_EQ(Reboot().error(), "");
  ASSERT_TRUE(keeper_->Refuse().ok());
  Pass(100);
  EXPECT_EQ(reboots_, 0);
  EXPECT_EQ(BootMachine(root(), GetParam(), false).release, kSafeRelease);
  ASSERT_EQ(Restore().error(), "");
  ExpectNoTrace();
}

TEST_P(WholeBootTest, TheOwnersRulesComeBeforeAnyFile) {
  Rules("boot_parameters: \"x\" max_boots_a_day: 0\n");
  EXPECT_THAT(Install().error(), HasSubstr("max_boots_a_day 0"));
  ExpectNoTrace();
}

TEST_P(WholeBootTest, AOneShotBootOfItsOwnKernelComesHome) {
  Rules("need_tried_boot: true\n");
  v1::LaptopRequest request;
  request.mutable_owner()->mutable_try_boot();
  ASSERT_EQ(Ask(request).error(), "");
  Pass(61);
  ASSERT_EQ(reboots_, 1);
  reboots_ = 0;
  boot_ = BootMachine(root(), GetParam(), false);
  EXPECT_THAT(boot_.command_line, HasSubstr("shakedown.boot="));
  boot_.release = kSafeRelease;
  Start();  // Goes home by itself.
  AfterReboot();
  EXPECT_FALSE(absl::StrContains(boot_.command_line, "shakedown.boot="));
  EXPECT_THAT(Status().tried_boot(), StartsWith("ok "));
  EXPECT_EQ(Status().problem(), "");
  ExpectNoTrace();
}

INSTANTIATE_TEST_SUITE_P(, WholeBootTest, testing::Values("grub", "systemd-boot"),
                         [](const auto& test) {
                           return test.param == "grub" ? std::string("Grub")
                                                       : std::string("SystemdBoot");
                         });

}  // namespace
}  // namespace shakedown::laptop
