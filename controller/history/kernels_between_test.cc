#include "controller/history/kernels_between.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::history {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(KernelsBetweenTest, OnlyTheVersionDiffers) {
  const std::vector<std::string> names = {"debian-6.12", "debian-6.12-rc3", "debian-6.6",
                                          "debian-6.1",  "debian-6.6-rt",   "mine-6.6",
                                          "debian-5.10", "debian-6.13"};
  EXPECT_THAT(KernelsBetween(names, "debian-6.1", "debian-6.12").value(),
              ElementsAre("debian-6.1", "debian-6.6", "debian-6.12-rc3", "debian-6.12"));
}

TEST(KernelsBetweenTest, RefusesWhatHasNoOrder) {
  EXPECT_THAT(KernelsBetween({}, "debian-6.1", "mine-6.2").status().message(),
              HasSubstr("differ in more than a version"));
  EXPECT_THAT(KernelsBetween({}, "debian-6.12", "debian-6.2").status().message(),
              HasSubstr("not behind good"));
}

}  // namespace
}  // namespace shakedown::history
