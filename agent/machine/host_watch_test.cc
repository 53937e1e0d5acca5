#include "agent/machine/host_watch.h"

#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

TEST(HostWatchTest, WhatIsNeitherTheMachinesNorOursIsForeign) {
  const HostTimes before = {1000, 500, 10, 100};
  const HostTimes after = {3000, 1700, 30, 1100};
  const auto facts = HostFacts(before, after);
  EXPECT_EQ(facts.at("host_foreign_cpu"), "10.0 %");
  EXPECT_EQ(facts.at("host_steal"), "1.0 %");
}

TEST(HostWatchTest, NoTimeNoFacts) {
  EXPECT_TRUE(HostFacts({1000, 5, 1, 1}, {1000, 5, 1, 1}).empty());
  HostWatch watch("shakedown-no-such-machine@", "/nonexistent/");
  watch.Look();
  EXPECT_TRUE(watch.Facts().empty());
}

TEST(HostWatchTest, GrainNeverGoesBelowZero) {
  EXPECT_EQ(HostFacts({0, 0, 0, 0}, {100, 50, 0, 52}).at("host_foreign_cpu"), "0.0 %");
}

}  // namespace
}  // namespace shakedown::agent
