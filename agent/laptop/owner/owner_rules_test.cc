#include "agent/laptop/owner/owner_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "proto/wire/kernel_signature.h"

namespace shakedown::laptop {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kMib = 1 << 20;

OwnerFile Rules(const std::string& text) {
  const auto file = ParseOwnerFile("farms: \"farm:1\"\n" + text, "/o");
  EXPECT_TRUE(file.ok()) << file.status();
  return *file;
}

// Monday 2026-11-30, 23:00 UTC, a laptop on mains power, cool, idle for an hour.
Moment Quiet() {
  Moment moment;
  moment.zone = absl::UTCTimeZone();
  moment.now = absl::FromCivil(absl::CivilHour(2026, 11, 30, 23), moment.zone);
  moment.server = "farm:1";
  moment.has_battery = true;
  moment.on_ac = true;
  moment.battery_percent = 80;
  moment.celsius = 50;
  moment.docked = true;
  moment.idle = absl::Hours(1);
  return moment;
}

struct NowCase {
  std::string name, rules;
  std::function<void(Moment&)> change;
  std::vector<std::string> want;
};
class RefusalsNowTest : public testing::TestWithParam<NowCase> {};
TEST_P(RefusalsNowTest, Table) {
  Moment moment = Quiet();
  if (GetParam().change) GetParam().change(moment);
  EXPECT_EQ(RefusalsNow(Rules(GetParam().rules), moment), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    , RefusalsNowTest,
    testing::ValuesIn<NowCase>({
        {"Quiet", "", nullptr, {}},
        {"AllRulesMet",
         "hours { from: \"22:00\" to: \"06:00\" } idle_minutes: 60 need_ac: true "
         "min_battery_percent: 80 max_celsius: 50 max_boots_a_day: 1 stop_date: \"2026-11-30\" "
         "need_dock: true",
         nullptr,
         {}},
        {"OtherFarm",
         "",
         [](Moment& m) { m.server = "evil:1"; },
         {"/o:1: farms do not have it: the agent's is \"evil:1\""}},
        {"NotEnrolled",
         "",
         [](Moment& m) { m.server = ""; },
         {"/o:1: farms are asked for: this machine is not enrolled (shakedown-laptop enroll)"}},
        {"BootsToday",
         "\nmax_boots_a_day: 4",
         [](Moment& m) { m.boots_today = 4; },
         {"/o:3: max_boots_a_day 4: 4 had today"}},
        {"BootsByDefault",
         "",
         [](Moment& m) { m.boots_today = 20; },
         {"/o: max_boots_a_day 20: 20 had today"}},
        {"NoBootsAtAll", "max_boots_a_day: 0", nullptr, {"/o:2: max_boots_a_day 0: 0 had today"}},
        {"Day",
         "hours { from: \"22:00\" to: \"06:00\" }",
         [](Moment& m) { m.now += absl::Hours(12); },
         {"/o:2: hours 22:00 to 06:00: now is Tue 11:00"}},
        {"SecondSpan",
         "hours { from: \"01:00\" to: \"02:00\" }\nhours { from: \"22:00\" to: \"06:00\" }",
         nullptr,
         {}},
        {"LocalTime",
         "hours { from: \"22:00\" to: \"06:00\" }",
         [](Moment& m) { m.zone = absl::FixedTimeZone(-8 * 3600); },
         {"/o:2: hours 22:00 to 06:00: now is Mon 15:00"}},
        {"Stopped",
         "stop_date: \"2026-11-29\"",
         nullptr,
         {"/o:2: stop_date 2026-11-29: today is 2026-11-30"}},
        {"OnBattery", "", [](Moment& m) { m.on_ac = false; }, {"/o: need_ac true: on battery"}},
        {"AcUnknown",
         "need_ac: true",
         [](Moment& m) { m.on_ac.reset(); },
         {"/o:2: need_ac true: mains power can not be read"}},
        {"OnBatteryAllowed", "need_ac: false", [](Moment& m) { m.on_ac = false; }, {}},
        {"NoBatteryIsMains",
         "need_ac: true min_battery_percent: 50",
         [](Moment& m) { m.has_battery = false, m.on_ac.reset(), m.battery_percent.reset(); },
         {}},
        {"LowBattery",
         "min_battery_percent: 50",
         [](Moment& m) { m.battery_percent = 49; },
         {"/o:2: min_battery_percent 50: the charge is 49 %"}},
        {"ChargeUnknown",
         "min_battery_percent: 50",
         [](Moment& m) { m.battery_percent.reset(); },
         {"/o:2: min_battery_percent 50: the charge can not be read"}},
        {"Hot",
         "max_celsius: 60",
         [](Moment& m) { m.celsius = 71; },
         {"/o:2: max_celsius 60: the machine has 71 °C"}},
        {"TemperatureUnknown",
         "max_celsius: 60",
         [](Moment& m) { m.celsius.reset(); },
         {"/o:2: max_celsius 60: no thermal zone can be read"}},
        {"HotUnasked", "", [](Moment& m) { m.celsius = 99; }, {}},
        {"NotDocked",
         "need_dock: true",
         [](Moment& m) { m.docked = false; },
         {"/o:2: need_dock true: not docked"}},
        {"DockUnknown",
         "need_dock: true",
         [](Moment& m) { m.docked.reset(); },
         {"/o:2: need_dock true: no dock can be seen"}},
        {"SomebodyThere",
         "idle_minutes: 30",
         [](Moment& m) { m.idle = absl::Minutes(3); },
         {"/o:2: idle_minutes 30: idle for 3 min"}},
        {"IdleUnknown",
         "idle_minutes: 30",
         [](Moment& m) { m.idle.reset(); },
         {"/o:2: idle_minutes 30: how long nobody was here can not be read"}},
        {"NeverTried",
         "need_tried_boot: true",
         nullptr,
         {"/o:2: need_tried_boot true: never tried (shakedown-laptop enroll --try-boot)"}},
        {"TriedInVain",
         "need_tried_boot: true",
         [](Moment& m) { m.tried_boot = "not booted"; },
         {"/o:2: need_tried_boot true: not booted (shakedown-laptop enroll --try-boot)"}},
        {"Tried", "need_tried_boot: true", [](Moment& m) { m.tried_boot = "ok 2026-11-29"; }, {}},
        {"AllAtOnce",
         "max_boots_a_day: 1",
         [](Moment& m) { m.boots_today = 2, m.on_ac = false, m.server = "x:1"; },
         {"/o:1: farms do not have it: the agent's is \"x:1\"",
          "/o:2: max_boots_a_day 1: 2 had today", "/o: need_ac true: on battery"}},
    }),
    [](const auto& test) { return test.param.name; });

SigningKey Key(char digit) { return *KeyFromSecret(std::string(64, digit)); }

v1::BootOrder Order(const SigningKey& key) {
  v1::BootOrder order;
  order.mutable_expected()->set_release("6.12.43");
  order.mutable_image()->set_sha256(std::string(64, '1'));
  order.mutable_modules()->set_sha256(std::string(64, '2'));
  order.add_loads()->mutable_make();
  v1::KernelSignature* signature = order.add_signatures();
  signature->set_key(key.public_key);
  signature->set_signature(*Sign(key, {"6.12.43", std::string(64, '1'), "", std::string(64, '2')}));
  return order;
}

OwnerFile Trusting(const SigningKey& key, const std::string& rest = "") {
  return Rules(
      absl::StrCat("kernel_signers { name: \"me\" key: \"", key.public_key, "\" }\n", rest));
}

std::vector<std::string> Refused(const OwnerFile& owner, const v1::BootOrder& order) {
  return RefusalsOfOrder(owner, order, 100 * kMib, Quiet());
}

TEST(RefusalsOfOrderTest, ASignedOrderPasses) {
  EXPECT_THAT(Refused(Trusting(Key('5')), Order(Key('5'))), IsEmpty());
}

TEST(RefusalsOfOrderTest, EverythingThatIsSignedCounts) {
  const std::string want =
      "/o:2: kernel_signers vouch not for it: kernel \"6.12.43\" has 1 signatures";
  const std::vector<std::function<void(v1::BootOrder&)>> changes = {
      [](auto& o) { o.mutable_image()->set_sha256(std::string(64, '3')); },
      [](auto& o) { o.mutable_modules()->set_sha256(std::string(64, '3')); },
      [](auto& o) { o.clear_modules(); },
      [](auto& o) { o.mutable_initramfs()->set_sha256(std::string(64, '3')); },
      [](auto& o) { (*o.mutable_signatures(0)->mutable_signature())[5] ^= 1; },
      [](auto& o) { o.mutable_signatures(0)->set_signature(""); },
      [](auto& o) { o.mutable_signatures(0)->set_key(Key('6').public_key); },
  };
  for (const auto& change : changes) {
    v1::BootOrder order = Order(Key('5'));
    change(order);
    EXPECT_THAT(Refused(Trusting(Key('5')), order), ElementsAre(want));
  }
  v1::BootOrder renamed = Order(Key('5'));
  renamed.mutable_expected()->set_release("6.12.44");
  EXPECT_EQ(Refused(Trusting(Key('5')), renamed).size(), 1u);
  EXPECT_EQ(Refused(Trusting(Key('6')), Order(Key('5'))).size(), 1u);
}

TEST(RefusalsOfOrderTest, WithoutSignersOnlyAnyKernelPasses) {
  EXPECT_THAT(Refused(Rules(""), Order(Key('5'))),
              ElementsAre("/o: kernel_signers are none: kernel \"6.12.43\" has 1 signatures"));
  v1::BootOrder bare = Order(Key('5'));
  bare.clear_signatures();
  EXPECT_THAT(Refused(Rules("any_kernel: true"), bare), IsEmpty());
}

TEST(RefusalsOfOrderTest, AnotherOfSeveralSignaturesPasses) {
  v1::BootOrder order = Order(Key('5'));
  *order.add_signatures() = order.signatures(0);
  order.mutable_signatures(0)->set_key(Key('7').public_key);
  EXPECT_THAT(Refused(Trusting(Key('5')), order), IsEmpty());
}

struct OrderCase {
  std::string name, rules;
  std::function<void(v1::BootOrder&)> change;
  std::vector<std::string> want;
};
class OrderTest : public testing::TestWithParam<OrderCase> {};
TEST_P(OrderTest, Table) {
  v1::BootOrder order;
  GetParam().change(order);
  EXPECT_EQ(Refused(Rules("any_kernel: true\n" + GetParam().rules), order), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    , OrderTest,
    testing::ValuesIn<OrderCase>({
        {"Harmless",
         "",
         [](auto& o) {
           o.add_loads()->mutable_interbench();
           o.add_setup()->set_governor("performance");
           o.add_boot_parameters("preempt=full");
           o.add_tunables()->set_name("kernel.sched_autogroup_enabled");
         },
         {}},
        {"Command",
         "",
         [](auto& o) { o.add_loads()->mutable_command()->add_words("true"); },
         {"/o: loads do not have command, which the order wants"}},
        {"CommandAllowed",
         "loads: \"command\"",
         [](auto& o) { o.add_loads()->mutable_command()->add_words("true"); },
         {}},
        {"AListReplacesTheDefault",
         "loads: \"command\"",
         [](auto& o) { o.add_loads()->mutable_make(); },
         {"/o:3: loads do not have make, which the order wants"}},
        {"Tool",
         "",
         [](auto& o) { o.add_loads()->mutable_tool()->set_tool("perf-pipe"); },
         {"/o: loads do not have tool, which the order wants"}},
        {"StopService",
         "",
         [](auto& o) { o.add_setup()->set_stop_service("cron"); },
         {"/o: setup_steps do not have stop_service, which the order wants"}},
        {"TunableOfSetup",
         "setup_steps: \"tunable\"",
         [](auto& o) { o.add_setup()->mutable_tunable()->set_name("kernel.core_pattern"); },
         {"/o: tunables do not have \"kernel.core_pattern\", which the order wants"}},
        {"TunableAllowed",
         "tunables: \"net.core.\"",
         [](auto& o) { o.add_tunables()->set_name("net.core.somaxconn"); },
         {}},
        {"Init",
         "",
         [](auto& o) { o.add_boot_parameters("init=/bin/sh"); },
         {"/o: boot_parameters do not have \"init\", which the order wants"}},
        {"InitAllowed",
         "boot_parameters: \"init\"",
         [](auto& o) { o.add_boot_parameters("init=/bin/sh"); },
         {}},
        {"TwoInOne",
         "",
         [](auto& o) { o.add_boot_parameters("quiet init=/bin/sh"); },
         {"/o: boot_parameters must be one each, without blanks and quotes: \"quiet "
          "init=/bin/sh\""}},
        {"TwoInOneByNewline",
         "",
         [](auto& o) { o.add_boot_parameters("quiet\ninit=/x"); },
         {"/o: boot_parameters must be one each, without blanks and quotes: \"quiet\\ninit=/x\""}},
        {"NoParameter",
         "",
         [](auto& o) { o.add_boot_parameters(""); },
         {"/o: boot_parameters must be one each, without blanks and quotes: \"\""}},
        {"SchedExt",
         "",
         [](auto& o) { o.mutable_sched_ext()->add_command("/usr/bin/scx_simple"); },
         {"/o: sched_ext_programs do not have \"/usr/bin/scx_simple\", which the order wants"}},
        {"SchedExtAllowed",
         "sched_ext_programs: \"/usr/bin/scx_simple\"",
         [](auto& o) { o.mutable_sched_ext()->add_command("/usr/bin/scx_simple"); },
         {}},
        {"SchedExtOfNothing",
         "",
         [](auto& o) { o.mutable_sched_ext(); },
         {"/o: sched_ext_programs do not have \"\", which the order wants"}},
        {"Disk",
         "max_disk_mib: 99",
         [](auto&) {},
         {"/o:3: max_disk_mib 99: the order's files have 100"}},
        {"DiskFits", "max_disk_mib: 100", [](auto&) {}, {}},
        {"TooLong",
         "max_boot_minutes: 30",
         [](auto& o) { o.set_run_limit_s(3600); },
         {"/o:3: max_boot_minutes 30: the order's limits allow 63"}},
        {"TooLongWithoutAWord",
         "",
         [](auto& o) { o.set_run_limit_s(4000000000); },
         {"/o: max_boot_minutes 720: the order's limits allow 66666669"}},
        {"ATreeIsCode",
         "",
         [](auto& o) { o.add_inputs()->set_name("linux"); },
         {"/o: loads do not have tree, which the order wants"}},
        // 23:00; 60 s + 600 s + 3540 s.
        {"EndsInItsHours",
         "hours { from: \"22:00\" to: \"00:10\" }",
         [](auto& o) { o.set_boot_limit_s(600), o.set_run_limit_s(3540); },
         {}},
        {"WouldNotEnd",
         "hours { from: \"22:00\" to: \"00:09\" }",
         [](auto& o) { o.set_boot_limit_s(600), o.set_run_limit_s(3540); },
         {"/o:3: hours 22:00 to 00:09: a boot from now may last until Tue 00:10"}},
    }),
    [](const auto& test) { return test.param.name; });

TEST(RefusalsOfOrderTest, DiskOfAnySizeIsCompared) {
  const OwnerFile owner = Rules("any_kernel: true");
  EXPECT_THAT(RefusalsOfOrder(owner, {}, 2048 * kMib, Quiet()), IsEmpty());
  EXPECT_EQ(RefusalsOfOrder(owner, {}, 2048 * kMib + 1, Quiet()).size(), 1u);
  EXPECT_EQ(RefusalsOfOrder(owner, {}, ~uint64_t{0}, Quiet()).size(), 1u);
  EXPECT_THAT(RefusalsOfOrder(Rules("any_kernel: true max_disk_mib: 18446744073709551615"), {},
                              100 * kMib, Quiet()),
              IsEmpty());
}

}  // namespace
}  // namespace shakedown::laptop
