#include "proto/wire/files.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace shakedown {
namespace {

TEST(FilesTest, WritesAndReadsBackLeavingNothingBeside) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  const std::string path = folder / "file";
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "new").ok());
  EXPECT_EQ(*ReadFile(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(FilesTest, ErrorsNameThePath) {
  EXPECT_EQ(ReadFile("/nonexistent/x").status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(ReadFile("/nonexistent/x").status().message().find("/nonexistent/x"),
            absl::string_view::npos);
  EXPECT_FALSE(WriteFileAtomically("/nonexistent/x", "y").ok());
}

TEST(FilesTest, ReadIsBounded) {
  EXPECT_EQ(ReadFile("/dev/zero", 1000).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_GT(ReadFile("/proc/self/status")->size(), 0u);
}

}  // namespace
}  // namespace shakedown
