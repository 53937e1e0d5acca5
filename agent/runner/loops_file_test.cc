#include "agent/runner/loops_file.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

class LoopsFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/loops_file_test.XXXXXX";
    wish_.folder = mkdtemp(folder);
  }
  void TearDown() override { std::filesystem::remove_all(wish_.folder); }
  uint64_t Loops() {
    return LoopsPerMs(
               wish_, [this]() -> absl::StatusOr<uint64_t> { return ++measured_, 3000000; },
               [this](absl::string_view text) { said_.emplace_back(text); })
        .value();
  }
  std::string Kept() {
    std::ifstream file(wish_.folder + "/interbench.loops_per_ms");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void Keep(const std::string& text) {
    std::ofstream(wish_.folder + "/interbench.loops_per_ms") << text;
  }
  LoopsWish wish_;
  int measured_ = 0;
  std::vector<std::string> said_;
};

TEST_F(LoopsFileTest, MeasuredOnceAndKept) {
  EXPECT_EQ(Loops(), 3000000u);
  EXPECT_EQ(Kept(), "3000000");  // Without a newline, as the original's.
  EXPECT_EQ(Loops(), 3000000u);
  EXPECT_EQ(measured_, 1);
}

TEST_F(LoopsFileTest, GivenWinsAndIsKept) {
  Keep("5000");
  wish_.given = 7000;
  EXPECT_EQ(Loops(), 7000u);
  EXPECT_EQ(Kept(), "7000");
  EXPECT_EQ(measured_, 0);
}

TEST_F(LoopsFileTest, ForcedIsMeasured) {
  Keep("5000");
  wish_.given = 7000;
  wish_.force = true;
  EXPECT_EQ(Loops(), 3000000u);
  EXPECT_EQ(Kept(), "3000000");
}

TEST_F(LoopsFileTest, StrangeFilesAreMeasuredAnew) {
  for (const char* text : {"", "12", "fast", "-5", "99999999999999999999", "3 000 000"}) {
    Keep(text);
    said_.clear();
    measured_ = 0;
    EXPECT_EQ(Loops(), 3000000u) << text;
    EXPECT_EQ(measured_, 1) << text;
    EXPECT_EQ(said_.size(), 2u) << text;
  }
}

TEST_F(LoopsFileTest, AFolderThatCanNotBeWrittenIsSaid) {
  wish_.folder += "/gone";
  EXPECT_EQ(Loops(), 3000000u);
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_NE(said_[1].find("are not kept"), std::string::npos) << said_[1];
  wish_.folder = wish_.folder.substr(0, wish_.folder.size() - 5);
}

}  // namespace
}  // namespace shakedown::runner
