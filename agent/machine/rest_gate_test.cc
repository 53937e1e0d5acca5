#include "agent/machine/rest_gate.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/ids.h"

namespace shakedown::agent {
namespace {

using Answer = RestGate::Answer;
using testing::HasSubstr;

const RestReading kFine = {.on_ac = true, .charge = 80, .celsius = 45};

TEST(RestGateTest, AMachineThatTellsNothingGoes) {
  EXPECT_EQ(RestGate({}, absl::ZeroDuration()).Step({}, absl::ZeroDuration()), Answer::kGo);
}

TEST(RestGateTest, WaitsForMainsPowerAndThenVoids) {
  RestGate gate({}, absl::Seconds(10));
  RestReading battery = kFine;
  battery.on_ac = false;
  EXPECT_EQ(gate.Step(battery, absl::Seconds(10)), Answer::kWait);
  EXPECT_THAT(gate.text(), HasSubstr("ac_lost"));
  EXPECT_EQ(gate.Step(battery, absl::Seconds(309)), Answer::kWait);
  EXPECT_EQ(gate.Step(kFine, absl::Seconds(309)), Answer::kGo);
  EXPECT_EQ(gate.Step(battery, absl::Seconds(310)), Answer::kVoid);
  EXPECT_THAT(gate.text(), HasSubstr("ac_lost: the machine runs on battery"));
}

TEST(RestGateTest, WaitsForCharge) {
  RestGate gate({}, absl::ZeroDuration());
  RestReading empty = kFine;
  empty.charge = 12;
  EXPECT_EQ(gate.Step(empty, absl::Seconds(1)), Answer::kWait);
  EXPECT_EQ(gate.text(), "battery: charged to 12 %, at least 20 % is wanted");
}

TEST(RestGateTest, AHotMachineGoesOnceItCoolsNoMore) {
  RestGate gate({}, absl::ZeroDuration());
  RestReading hot = kFine;
  for (int second = 0; second < 20; ++second) {
    hot.celsius = 90 - second;
    EXPECT_EQ(gate.Step(hot, absl::Seconds(second)), Answer::kWait) << second;
  }
  hot.celsius = 71.2;  // Its own rest.
  EXPECT_EQ(gate.Step(hot, absl::Seconds(30)), Answer::kWait);
  EXPECT_EQ(gate.text(), "hot: 71.2 C and cooling down, at most 60 C is wanted");
  EXPECT_EQ(gate.Step(hot, absl::Seconds(60)), Answer::kGo);
}

TEST(RestGateTest, ReadsTheMachinesBatteriesAndNotAMouses) {
  const std::string root = absl::StrCat(testing::TempDir(), "/rest-", NewUuid());
  const auto write = [&](const std::string& path, const std::string& text) {
    const std::filesystem::path file = root + "/sys/class/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  };
  EXPECT_EQ(ReadForRest(root).charge, std::nullopt);
  write("power_supply/BAT0/type", "Battery");
  write("power_supply/BAT0/capacity", "71");
  write("power_supply/BAT1/type", "Battery");
  write("power_supply/BAT1/capacity", "35");
  write("power_supply/mouse/type", "Battery");
  write("power_supply/mouse/scope", "Device");
  write("power_supply/mouse/capacity", "3");
  write("power_supply/AC/type", "Mains");
  write("power_supply/AC/online", "1");
  write("thermal/thermal_zone0/temp", "48500");
  const RestReading reading = ReadForRest(root);
  EXPECT_EQ(reading.charge, 35);
  EXPECT_EQ(reading.on_ac, true);
  EXPECT_EQ(reading.celsius, 48.5);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace shakedown::agent
