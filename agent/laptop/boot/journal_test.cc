#include "agent/laptop/boot/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "agent/laptop/boot/fake_laptop.h"

namespace shakedown::laptop {
namespace {

using testing::HasSubstr;

class JournalTest : public testing::Test {
 protected:
  JournalTest() {
    char name[] = "/tmp/shakedown-journal-test-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/journal";
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<BootJournal> Open() {
    auto journal = BootJournal::Open(path_, *disk_);
    EXPECT_TRUE(journal.ok()) << journal.status();
    return journal.ok() ? *std::move(journal) : nullptr;
  }
  void Write(BootJournal& journal, const std::string& kind, const std::string& body) {
    const absl::Status written =
        journal.Append({kind, "boot-1", absl::FromUnixSeconds(1'800'000'000), body});
    EXPECT_TRUE(written.ok()) << written;
  }
  std::string Kinds() {
    std::string kinds;
    const auto journal = Open();
    if (journal == nullptr) return "?";
    for (const Record& record : journal->records()) kinds += record.kind + " ";
    return kinds;
  }

  const std::unique_ptr<Disk> disk_ = MakeDisk();
  std::string folder_, path_;
};

TEST_F(JournalTest, GivesBackWhatWasWritten) {
  const std::string bytes("a\nshakedown-journal 9 x y 1 2 3\n\0\xff", 35);
  Write(*Open(), "begin", bytes);
  const auto journal = Open();
  ASSERT_EQ(journal->records().size(), 1u);
  EXPECT_EQ(journal->records()[0].body, bytes);
  EXPECT_EQ(journal->records()[0].boot_id, "boot-1");
  EXPECT_EQ(journal->records()[0].wall, absl::FromUnixSeconds(1'800'000'000));
}

TEST_F(JournalTest, EveryTornTailIsCutOffAndItGoesOn) {
  Write(*Open(), "begin", "one");
  const std::string first = ReadText(path_);
  Write(*Open(), "installed", "two");
  const std::string both = ReadText(path_);
  for (size_t size = first.size(); size < both.size(); ++size) {
    WriteText(path_, both.substr(0, size));
    EXPECT_EQ(Kinds(), "begin ") << size;
    EXPECT_EQ(ReadText(path_), first);
    std::string zeros = both.substr(0, size);
    zeros.resize(both.size(), '\0');
    WriteText(path_, zeros);
    EXPECT_EQ(Kinds(), "begin ") << size;
    Write(*Open(), "armed", "");
    EXPECT_EQ(Kinds(), "begin armed ");
  }
}

TEST_F(JournalTest, AnyChangedByteBeforeASoundRecordIsDataLoss) {
  Write(*Open(), "begin", "one");
  const size_t first = ReadText(path_).size();
  Write(*Open(), "installed", "two");
  const std::string sound = ReadText(path_);
  for (size_t at = 0; at < first; ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteText(path_, damaged);
    const absl::Status status = BootJournal::Open(path_, *disk_).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << at << ": " << status;
    EXPECT_THAT(status.message(), HasSubstr(path_));
    EXPECT_EQ(ReadText(path_), damaged);
  }
}

TEST_F(JournalTest, AMissingRecordIsDataLoss) {
  Write(*Open(), "begin", "one");
  const size_t first = ReadText(path_).size();
  Write(*Open(), "installed", "two");
  const size_t second = ReadText(path_).size();
  Write(*Open(), "armed", "");
  const std::string all = ReadText(path_);
  WriteText(path_, all.substr(0, first) + all.substr(second));
  EXPECT_TRUE(absl::IsDataLoss(BootJournal::Open(path_, *disk_).status()));
}

TEST_F(JournalTest, IsReplacedInOneStepAndGoesOn) {
  const auto journal = Open();
  Write(*journal, "begin", "one");
  Write(*journal, "ended", "A");
  ASSERT_TRUE(journal->Replace({journal->records()[1]}).ok());
  Write(*journal, "begin", "two");
  EXPECT_EQ(Kinds(), "ended begin ");
}

TEST_F(JournalTest, AnyOtherErrorIsInternal) {
  std::filesystem::create_directory(path_);
  EXPECT_TRUE(absl::IsInternal(BootJournal::Open(path_, *disk_).status()));
  EXPECT_TRUE(absl::IsInternal(BootJournal::Open(folder_ + "/no/journal", *disk_).status()));
}

}  // namespace
}  // namespace shakedown::laptop
