#include "agent/session/journal.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/ids.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

class JournalTest : public testing::Test {
 protected:
  JournalTest() : folder_(absl::StrCat(testing::TempDir(), "/journal-", NewUuid())) {
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/journal";
  }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Journal> Open(const std::string& boot_id = "boot-1") {
    absl::StatusOr<std::unique_ptr<Journal>> journal = OpenJournal(path_, boot_id, clock_);
    EXPECT_TRUE(journal.ok()) << journal.status();
    return journal.ok() ? *std::move(journal) : nullptr;
  }

  // Changes the file behind the journal's back.
  void Sql(const std::string& sql) {
    sqlite3* db;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
    sqlite3_close(db);
  }

  FakeClock clock_;
  std::string folder_;
  std::string path_;
  const WorkKey boot_{WorkKind::kBoot, NewUuid(), 3};
  const WorkKey build_{WorkKind::kBuild, NewUuid(), 1};
};

TEST_F(JournalTest, ANewOneIsEmptyAndCountsStarts) {
  clock_.Advance(absl::Seconds(1000));
  auto journal = Open();
  EXPECT_EQ(journal->Incarnation(), 1001u);
  EXPECT_TRUE(journal->OpenOrders().empty());
  EXPECT_TRUE(journal->PendingResults().empty());
  journal.reset();
  EXPECT_EQ(Open()->Incarnation(), 1002u);
}

TEST_F(JournalTest, KeepsOrderThenResultUntilAcknowledged) {
  const std::string bytes("order\0with\xff bytes", 17);
  auto journal = Open();
  ASSERT_TRUE(journal->AppendOrder(boot_, bytes).ok());
  EXPECT_FALSE(journal->Finished(boot_));
  journal = nullptr;
  journal = Open("boot-2");
  ASSERT_EQ(journal->OpenOrders().size(), 1u);
  EXPECT_EQ(journal->OpenOrders()[0].key, boot_);
  EXPECT_EQ(journal->OpenOrders()[0].bytes, bytes);
  EXPECT_EQ(journal->OpenOrders()[0].boot_id, "boot-1");
  ASSERT_TRUE(journal->AppendResult(boot_, "result").ok());
  EXPECT_TRUE(journal->Finished(boot_));
  journal = nullptr;
  journal = Open();
  EXPECT_TRUE(journal->OpenOrders().empty());
  ASSERT_EQ(journal->PendingResults().size(), 1u);
  EXPECT_EQ(journal->PendingResults()[0].bytes, "result");
  EXPECT_EQ(journal->PendingResults()[0].boot_id, "boot-2");
  ASSERT_TRUE(journal->Acknowledge(boot_).ok());
  journal = nullptr;
  journal = Open();
  EXPECT_TRUE(journal->PendingResults().empty());
  EXPECT_TRUE(journal->Finished(boot_));
  EXPECT_TRUE(absl::IsAlreadyExists(journal->AppendOrder(boot_, "again")));
}

TEST_F(JournalTest, TheSameIdUnderANewEpochIsOtherWork) {
  auto journal = Open();
  ASSERT_TRUE(journal->AppendOrder(build_, "a").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(journal->AppendOrder(build_, "a")));
  WorkKey next = build_;
  next.epoch = 2;
  EXPECT_TRUE(journal->AppendOrder(next, "b").ok());
  EXPECT_EQ(journal->OpenOrders().size(), 2u);
}

TEST_F(JournalTest, ASecondResultReplacesTheFirst) {
  auto journal = Open();
  EXPECT_TRUE(absl::IsNotFound(journal->AppendResult(boot_, "early")));
  ASSERT_TRUE(journal->AppendOrder(boot_, "order").ok());
  EXPECT_TRUE(absl::IsNotFound(journal->Acknowledge(boot_)));
  ASSERT_TRUE(journal->AppendResult(boot_, "one").ok());
  ASSERT_TRUE(journal->AppendResult(boot_, "two").ok());
  journal = nullptr;
  EXPECT_EQ(Open()->FindResult(boot_)->bytes, "two");
}

TEST_F(JournalTest, RemembersLogEndsUntilAcknowledged) {
  auto journal = Open();
  EXPECT_TRUE(absl::IsNotFound(journal->RecordLogEnd(boot_, 7)));
  ASSERT_TRUE(journal->AppendOrder(boot_, "order").ok());
  EXPECT_EQ(journal->LogEnd(boot_), std::nullopt);
  ASSERT_TRUE(journal->RecordLogEnd(boot_, 7).ok());
  ASSERT_TRUE(journal->RecordLogEnd(boot_, 900).ok());
  journal = nullptr;
  EXPECT_EQ(Open()->LogEnd(boot_), 900u);
}

TEST_F(JournalTest, ForgetsTheOldestAcknowledged) {
  auto journal = Open();
  for (int epoch = 1; epoch <= 105; ++epoch) {
    const WorkKey key{WorkKind::kBoot, boot_.id, epoch};
    ASSERT_TRUE(journal->AppendOrder(key, "o").ok());
    ASSERT_TRUE(journal->AppendResult(key, "r").ok());
    ASSERT_TRUE(journal->Acknowledge(key).ok());
  }
  journal = nullptr;
  journal = Open();
  EXPECT_FALSE(journal->Finished({WorkKind::kBoot, boot_.id, 5}));
  EXPECT_TRUE(journal->Finished({WorkKind::kBoot, boot_.id, 6}));
  EXPECT_TRUE(journal->Finished({WorkKind::kBoot, boot_.id, 105}));
}

struct Damage {
  std::string name;
  std::string sql;
};
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }
class JournalDamageTest : public JournalTest, public testing::WithParamInterface<Damage> {};

TEST_P(JournalDamageTest, IsRefusedWithTheFileAndWhatToDo) {
  auto journal = Open();
  ASSERT_TRUE(journal->AppendOrder(boot_, "order").ok());
  ASSERT_TRUE(journal->AppendResult(boot_, "result").ok());
  journal = nullptr;
  Sql(GetParam().sql);
  const absl::Status status = OpenJournal(path_, "boot-1", clock_).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  EXPECT_THAT(std::string(status.message()), HasSubstr("mv "));
}
INSTANTIATE_TEST_SUITE_P(, JournalDamageTest,
                         testing::ValuesIn<Damage>({
                             {"Body", "UPDATE records SET body = 'other' WHERE kind = 'result'"},
                             {"Epoch", "UPDATE records SET epoch = epoch + 1 WHERE kind = 'order'"},
                             {"BootId", "UPDATE records SET boot_id = 'x' WHERE kind = 'order'"},
                             {"Time", "UPDATE records SET wall_us = 5 WHERE kind = 'order'"},
                             {"Checksum", "UPDATE records SET checksum = '' WHERE kind = 'start'"},
                             {"OrderGone", "DELETE FROM records WHERE kind = 'order'"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST_F(JournalTest, AFileThatIsNoDatabaseIsRefused) {
  std::ofstream(path_) << std::string(8192, 'x');
  const absl::Status status = OpenJournal(path_, "boot-1", clock_).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
}

TEST_F(JournalTest, ATruncatedFileIsRefused) {
  auto journal = Open();
  for (int i = 1; i < 50; ++i) {
    ASSERT_TRUE(journal->AppendOrder({WorkKind::kBoot, boot_.id, i}, std::string(4000, 'o')).ok());
  }
  journal = nullptr;
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_TRUE(absl::IsDataLoss(OpenJournal(path_, "boot-1", clock_).status()));
}

TEST_F(JournalTest, AFolderThatIsNotThereIsNamed) {
  const absl::Status status = OpenJournal(folder_ + "/no/journal", "b", clock_).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder_ + "/no/journal"));
}

// A child process works on the journal and says in a pipe what returned OK; SIGKILL ends it.
class JournalCrashTest : public JournalTest {
 protected:
  // Runs `steps` in a child that is killed after `count` of them, or as soon as it can be when it
  // works without end.
  template <typename Steps>
  std::string KillAfter(size_t count, Steps steps) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      FakeClock clock;
      absl::StatusOr<std::unique_ptr<Journal>> journal = OpenJournal(path_, "boot-1", clock);
      if (journal.ok()) {
        steps(**journal, [&](char done) { return write(ends[1], &done, 1) == 1; });
      }
      for (;;) pause();
    }
    close(ends[1]);
    std::string said;
    char done;
    while (said.size() < count && read(ends[0], &done, 1) == 1) said.push_back(done);
    kill(child, SIGKILL);
    while (read(ends[0], &done, 1) == 1) said.push_back(done);
    close(ends[0]);
    int status;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    return said;
  }
};

TEST_F(JournalCrashTest, EveryStepThatReturnedIsThere) {
  for (size_t steps = 1; steps <= 4; ++steps) {
    std::filesystem::remove_all(path_);
    const std::string said = KillAfter(steps, [&](Journal& journal, auto say) {
      // The last step asked for is the last that is made.
      if (journal.AppendOrder(boot_, "order").ok()) say('o');
      if (steps >= 2 && journal.RecordLogEnd(boot_, 11).ok()) say('l');
      if (steps >= 3 && journal.AppendResult(boot_, "result").ok()) say('r');
      if (steps >= 4 && journal.Acknowledge(boot_).ok()) say('a');
    });
    ASSERT_EQ(said, std::string("olra").substr(0, steps));
    auto journal = Open();
    EXPECT_EQ(journal->OpenOrders().size(), steps < 3 ? 1u : 0u) << steps;
    EXPECT_EQ(journal->PendingResults().size(), steps == 3 ? 1u : 0u) << steps;
    EXPECT_EQ(journal->Finished(boot_), steps >= 3) << steps;
    EXPECT_EQ(journal->LogEnd(boot_).has_value(), steps == 2 || steps == 3) << steps;
  }
}

TEST_F(JournalCrashTest, KilledInTheMiddleOfAnythingItIsSoundAndWhole) {
  for (size_t kill_after : {1, 2, 3, 5, 8, 13, 21, 34}) {
    std::filesystem::remove_all(path_);
    const std::string said = KillAfter(kill_after, [&](Journal& journal, auto say) {
      for (int epoch = 1;; ++epoch) {
        const WorkKey key{WorkKind::kBoot, boot_.id, epoch};
        if (!journal.AppendOrder(key, std::string(20000, 'o')).ok() || !say('o')) return;
        if (!journal.AppendResult(key, std::string(9000, 'r')).ok() || !say('r')) return;
        if (epoch % 2 == 0 && (!journal.Acknowledge(key).ok() || !say('a'))) return;
      }
    });
    auto journal = Open();
    ASSERT_NE(journal, nullptr);
    const auto count = [&](char c) { return std::count(said.begin(), said.end(), c); };
    // At most the one step that was under way is there beyond what was said.
    int finished = 0;
    for (int epoch = 1; epoch <= count('r') + 1; ++epoch) {
      finished += journal->Finished({WorkKind::kBoot, boot_.id, epoch});
    }
    EXPECT_GE(finished, count('r'));
    const int pending = static_cast<int>(journal->PendingResults().size());
    EXPECT_NEAR(pending, count('r') - count('a'), 1);
    EXPECT_LE(journal->OpenOrders().size(), 1u);
  }
}

}  // namespace
}  // namespace shakedown::agent
