#include "controller/history/epoch.h"

#include <gtest/gtest.h>

namespace shakedown::history {
namespace {

using Fingerprint = google::protobuf::Map<std::string, std::string>;

Facts Of(std::initializer_list<std::pair<std::string, std::string>> facts) {
  Fingerprint fingerprint;
  for (const auto& [name, value] : facts) fingerprint[name] = value;
  return EpochFacts(fingerprint, {});
}

TEST(EpochTest, HardAndSoftFactsMakeItAndTheKernelsOwnDoNot) {
  const Facts facts = Of({{"cpu.model", "X"},
                          {"cpu.microcode", "0x1"},
                          {"something.new", "1"},
                          {"release", "6.12"},
                          {"mitigations", "mds: Mitigation"},
                          {"clocksource", "hpet"},
                          {"firmware", ""}});
  EXPECT_EQ(facts, (Facts{{"cpu.model", "X"}, {"cpu.microcode", "0x1"}, {"something.new", "1"}}));
}

TEST(EpochTest, MemoryIsTheMachines) {
  const auto kib = [](const char* text) { return Of({{"memory_kib", text}}).at("memory_kib"); };
  EXPECT_EQ(kib("465000"), kib("500000")) << "two kernels of one 512 MiB machine";
  EXPECT_EQ(kib("8000000"), kib("7700000"));
  EXPECT_NE(kib("8000000"), kib("16000000"));
  EXPECT_EQ(kib("12000000"), "12582912");
  EXPECT_EQ(kib("much"), "much");
}

TEST(EpochTest, VersionsOfToolsCount) {
  EXPECT_EQ(EpochFacts({}, {{"0", "hackbench 2.5"}, {"1", ""}}),
            (Facts{{"tool.0", "hackbench 2.5"}}));
}

TEST(EpochTest, KeysTellNamesFromValues) {
  EXPECT_EQ(EpochKey({{"a", "b"}}), EpochKey({{"a", "b"}}));
  EXPECT_NE(EpochKey({{"a", "b\n1:c=1:d"}}), EpochKey({{"a", "b"}, {"c", "d"}}));
  EXPECT_NE(EpochKey({{"a=1", "b"}}), EpochKey({{"a", "1=b"}}));
}

TEST(EpochTest, WhatChangedNamesBothValues) {
  EXPECT_EQ(WhatChanged({{"a", "1"}, {"b", "2"}, {"c", "3"}}, {{"a", "1"}, {"b", "5"}, {"d", "4"}}),
            "b 2 → 5; c 3 → (none); d (none) → 4");
  EXPECT_EQ(WhatChanged({{"a", "1"}}, {{"a", "1"}}), "");
}

}  // namespace
}  // namespace shakedown::history
