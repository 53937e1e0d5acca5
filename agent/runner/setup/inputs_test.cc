#include "agent/runner/setup/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace shakedown::runner {
namespace {

using testing::ElementsAre;

TEST(InputsOfTest, EachParameterIsAnInput) {
  EXPECT_THAT(InputsOf("root=/dev/vda shakedown.input=linux-6.12:0123456789abcdef0123 quiet "
                       "shakedown.input=bfs:aa init=/x\n"),
              ElementsAre(Input{"linux-6.12", "0123456789abcdef0123"}, Input{"bfs", "aa"}));
  EXPECT_TRUE(InputsOf("root=/dev/vda").empty());
}

TEST(InputsOfTest, WhatWouldLeaveTheFolderIsLeftOut) {
  for (const char* bad :
       {"shakedown.input=../../etc:aa", "shakedown.input=a/b:aa", "shakedown.input=a",
        "shakedown.input=a:", "shakedown.input=:aa", "shakedown.input=a:../vda",
        "shakedown.input=a:0123456789abcdef01234", "shakedown.input", "shakedown.inputs=a:aa",
        "quiet -- shakedown.input=a:aa"}) {
    EXPECT_TRUE(InputsOf(bad).empty()) << bad;
  }
}

TEST(FindDiskTest, ByItsSerial) {
  char name[] = "/tmp/shakedown-block-test-XXXXXX";
  const std::string folder = mkdtemp(name);
  for (const auto& [disk, serial] : {std::pair("vda", ""), {"vdb", "aa01"}, {"vdc", "bb02\n"}}) {
    std::filesystem::create_directory(folder + "/" + disk);
    std::ofstream(folder + "/" + disk + "/serial") << serial;
  }
  std::filesystem::create_directory(folder + "/loop0");
  EXPECT_EQ(*FindDisk("aa01", folder), "vdb");
  EXPECT_EQ(*FindDisk("bb02", folder), "vdc");
  EXPECT_EQ(FindDisk("aa", folder).status().code(), absl::StatusCode::kNotFound);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shakedown::runner
