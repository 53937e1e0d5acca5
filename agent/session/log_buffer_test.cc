#include "agent/session/log_buffer.h"

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/ids.h"

namespace shakedown::agent {
namespace {

class LogBufferTest : public testing::Test {
 protected:
  LogBufferTest() : path_(absl::StrCat(testing::TempDir(), "/log-", NewUuid())) {}
  ~LogBufferTest() override { std::filesystem::remove(path_); }

  bool FileIsThere() const { return std::filesystem::exists(path_); }

  static std::string ReadAll(const LogBuffer& buffer, uint64_t from) {
    std::string all;
    while (from + all.size() < buffer.end()) {
      absl::StatusOr<std::string> piece = buffer.Read(from + all.size(), 7);
      EXPECT_TRUE(piece.ok()) << piece.status();
      if (!piece.ok() || piece->empty()) break;
      all += *piece;
    }
    return all;
  }

  const std::string path_;
};

TEST_F(LogBufferTest, StaysInMemoryUpToItsLimit) {
  LogBuffer buffer(path_, {.memory = 10, .spill = 100});
  EXPECT_FALSE(buffer.WouldSpill(10));
  buffer.Append("0123456789");
  EXPECT_FALSE(FileIsThere());
  EXPECT_TRUE(buffer.WouldSpill(1));
  EXPECT_EQ(ReadAll(buffer, 0), "0123456789");
  buffer.Forget(4);
  EXPECT_EQ(buffer.front(), 4u);
  EXPECT_EQ(ReadAll(buffer, 4), "456789");
}

TEST_F(LogBufferTest, SpillsAndReadsAcrossFileAndMemory) {
  LogBuffer buffer(path_, {.memory = 10, .spill = 100});
  buffer.Append("ab");
  buffer.Forget(2);
  buffer.Append("0123456789A");
  EXPECT_TRUE(buffer.spilled());
  EXPECT_EQ(buffer.spill_front(), 2u);
  EXPECT_FALSE(buffer.WouldSpill(1000));
  buffer.Append("BCD");
  EXPECT_EQ(ReadAll(buffer, 2), "0123456789ABCD");
  buffer.Forget(5);
  EXPECT_TRUE(FileIsThere());
  EXPECT_EQ(ReadAll(buffer, 5), "3456789ABCD");
  buffer.Forget(14);
  EXPECT_FALSE(FileIsThere());
  EXPECT_EQ(ReadAll(buffer, 14), "CD");
  EXPECT_EQ(buffer.spill_front(), 14u);
}

TEST_F(LogBufferTest, SaysHowMuchIsLostBeyondTheFile) {
  LogBuffer buffer(path_, {.memory = 200, .spill = 300});
  const std::string head(201, 'h'), next(205, 'n');
  buffer.Append(head);
  buffer.Append(next);
  buffer.Append("more");
  EXPECT_EQ(ReadAll(buffer, 0), head + next.substr(0, 99));
  buffer.Forget(300);
  EXPECT_THAT(ReadAll(buffer, 300), testing::HasSubstr("[110 bytes of this log are lost"));
  buffer.Append("!");
  EXPECT_EQ(ReadAll(buffer, buffer.end() - 1), "!");
}

TEST_F(LogBufferTest, AFileThatCanNotBeWrittenLosesBytesButSaysSo) {
  LogBuffer buffer("/nonexistent/folder/log", {.memory = 4, .spill = 10});
  buffer.Append("0123456789");
  EXPECT_THAT(ReadAll(buffer, 0), testing::HasSubstr("[10 bytes of this log are lost"));
}

TEST_F(LogBufferTest, TakesUpWhatAnEarlierProcessLeft) {
  {
    LogBuffer earlier(path_, {.memory = 4, .spill = 100});
    EXPECT_TRUE(absl::IsNotFound(LogBuffer(path_, {}).Recover()));
    earlier.Append("spilled");
    earlier.Append("mem");
  }
  LogBuffer buffer(path_, {});
  ASSERT_TRUE(buffer.Recover().ok());
  buffer.Append("|new");
  EXPECT_EQ(ReadAll(buffer, 0), "spilled|new");
  buffer.Drop();
  EXPECT_EQ(ReadAll(buffer, buffer.front()), "");
  EXPECT_FALSE(FileIsThere());
}

}  // namespace
}  // namespace shakedown::agent
