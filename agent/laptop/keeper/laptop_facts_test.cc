#include "agent/laptop/keeper/laptop_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/runner/setup/fake_root.h"

namespace shakedown::laptop {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr char kBattery[] = "/sys/class/power_supply/BAT0/";

// A ThinkPad-like machine.
void PutLaptop(runner::FakeRoot& root) {
  root.Put("/sys/class/dmi/id/sys_vendor", "LENOVO\n");
  root.Put("/sys/class/dmi/id/product_name", "20XW\n");
  root.Put("/sys/class/dmi/id/bios_version", "N32ET75W (1.51 )\n");
  const std::string cpu = "/sys/devices/system/cpu/";
  root.Put(cpu + "cpu0/microcode/version", "0xa4\n");
  root.Put(cpu + "cpu0/cpufreq/scaling_governor", "powersave\n");
  root.Put(cpu + "cpu0/cpufreq/energy_performance_preference", "balance_performance\n");
  root.Put(cpu + "intel_pstate/no_turbo", "0\n");
  for (const std::string n : {"cpu0", "cpu1"}) {
    root.Put(cpu + n + "/thermal_throttle/core_throttle_count", "3\n");
    root.Put(cpu + n + "/thermal_throttle/package_throttle_count", "5\n");
  }
  const std::string battery = kBattery;
  root.Put(battery + "type", "Battery\n");
  root.Put(battery + "status", "Charging\n");
  root.Put(battery + "capacity", "87\n");
  root.Put(battery + "cycle_count", "212\n");
  root.Put(battery + "energy_full", "43000000\n");
  root.Put(battery + "energy_full_design", "50000000\n");
  root.Put("/sys/class/power_supply/AC/type", "Mains\n");
  root.Put("/sys/class/power_supply/AC/online", "1\n");
  root.Put("/sys/class/power_supply/hidpp_battery_0/type", "Battery\n");
  root.Put("/sys/class/power_supply/hidpp_battery_0/scope", "Device\n");
  root.Put("/sys/class/power_supply/hidpp_battery_0/capacity", "5\n");
  root.Put("/proc/acpi/button/lid/LID/state", "state:      closed\n");
  root.Put("/sys/devices/platform/dock.0/docked", "1\n");
  root.Put("/sys/class/drm/card0-eDP-1/enabled", "enabled\n");
  root.Put("/sys/class/drm/card0-eDP-1/dpms", "Off\n");
  root.Put("/sys/class/drm/card0-DP-2/enabled", "enabled\n");
  root.Put("/sys/class/drm/card0-DP-2/dpms", "On\n");
  root.Put("/sys/class/drm/card0/dev", "226:0\n");
  root.Put("/sys/class/net/wlp0s20f3/wireless/x", "");
  root.Put("/sys/class/net/wlp0s20f3/operstate", "up\n");
  root.Put("/sys/class/net/lo/operstate", "unknown\n");
  root.Put("/sys/class/thermal/thermal_zone0/temp", "48000\n");
  root.Put("/sys/class/thermal/thermal_zone0/type", "acpitz\n");
  root.Put("/sys/class/thermal/thermal_zone1/temp", "61500\n");
  root.Put("/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
  root.Put("/sys/class/thermal/thermal_zone2/type", "iwlwifi_1\n");  // No value while it is off.
  root.Put("/sys/class/hwmon/hwmon4/fan1_input", "2100\n");
  root.Put("/sys/class/hwmon/hwmon4/fan2_input", "0\n");
  root.Put("/sys/class/hwmon/hwmon4/fan1_label", "left\n");
}

TEST(LaptopFactsTest, ALaptop) {
  runner::FakeRoot root;
  PutLaptop(root);
  EXPECT_THAT(ReadLaptopFacts(root.path()),
              UnorderedElementsAre(
                  Pair("dmi.vendor", "LENOVO"), Pair("dmi.model", "20XW"),
                  Pair("dmi.bios", "N32ET75W (1.51 )"), Pair("cpu.microcode", "0xa4"),
                  Pair("cpu.governor", "powersave"), Pair("cpu.epp", "balance_performance"),
                  Pair("cpu.turbo", "on"), Pair("throttle.core", "6"),
                  Pair("throttle.package", "10"), Pair("battery.status", "Charging"),
                  Pair("battery.capacity", "87"), Pair("battery.health", "86"),
                  Pair("battery.cycles", "212"), Pair("ac.online", "yes"), Pair("lid", "closed"),
                  Pair("dock", "docked"), Pair("display", "DP-2"), Pair("wifi", "wlp0s20f3 up"),
                  Pair("thermal.max", "61.5 x86_pkg_temp"), Pair("fan", "2100, 0")));
  const PowerFacts power = ReadPowerFacts(root.path());
  EXPECT_TRUE(power.has_battery);
  EXPECT_EQ(power.on_ac, true);
  EXPECT_EQ(power.battery_percent, 87);
  EXPECT_EQ(power.celsius, 61.5);
  EXPECT_EQ(power.docked, true);
}

TEST(LaptopFactsTest, AMachineThatTellsNothing) {
  runner::FakeRoot root;
  EXPECT_THAT(ReadLaptopFacts(root.path()), IsEmpty());
  const PowerFacts power = ReadPowerFacts(root.path());
  EXPECT_FALSE(power.has_battery);
  EXPECT_EQ(power.on_ac, std::nullopt);
  EXPECT_EQ(power.battery_percent, std::nullopt);
  EXPECT_EQ(power.celsius, std::nullopt);
  EXPECT_EQ(power.docked, std::nullopt);
}

TEST(LaptopFactsTest, WhatCanNotBeReadIsNotZero) {
  runner::FakeRoot root;
  root.Put(std::string(kBattery) + "type", "Battery\n");
  root.Put(std::string(kBattery) + "capacity", "none\n");
  root.Put("/sys/class/thermal/thermal_zone0/temp", "\n");
  const PowerFacts power = ReadPowerFacts(root.path());
  EXPECT_TRUE(power.has_battery);
  EXPECT_EQ(power.battery_percent, std::nullopt);
  EXPECT_EQ(power.celsius, std::nullopt);
}

TEST(LaptopFactsTest, TwoBatteriesAndTheWeakerDecides) {
  runner::FakeRoot root;
  PutLaptop(root);
  root.Put("/sys/class/power_supply/BAT1/type", "Battery\n");
  root.Put("/sys/class/power_supply/BAT1/status", "Discharging\n");
  root.Put("/sys/class/power_supply/BAT1/capacity", "20\n");
  root.Put("/sys/class/power_supply/BAT1/charge_full", "10\n");
  root.Put("/sys/class/power_supply/BAT1/charge_full_design", "20\n");
  EXPECT_EQ(ReadPowerFacts(root.path()).battery_percent, 20);
  auto facts = ReadLaptopFacts(root.path());
  EXPECT_EQ(facts["battery2.status"], "Discharging");
  EXPECT_EQ(facts["battery2.health"], "50");
}

TEST(LaptopFactsTest, FirmwareIsHostile) {
  runner::FakeRoot root;
  root.Put("/sys/class/dmi/id/product_name",
           std::string("X\x1b[2J\nY\xff") + std::string(3000, 'z'));
  const std::string model = ReadLaptopFacts(root.path())["dmi.model"];
  EXPECT_LE(model.size(), 210u);
  EXPECT_EQ(model.find('\x1b'), std::string::npos);
  EXPECT_EQ(model.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace shakedown::laptop
