#include "agent/runner/setup/undo_journal.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "agent/runner/setup/fake_root.h"
#include "agent/runner/telemetry/task_stat.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

constexpr char kFile[] = "/run/shakedown-runner/undo";

class UndoJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    root_.Put("/proc/sys/a", "changed");
    root_.Put("/proc/sys/b", "changed");
  }
  std::unique_ptr<UndoJournal> Open() {
    absl::StatusOr<std::unique_ptr<UndoJournal>> journal = UndoJournal::Open(root_.path());
    EXPECT_TRUE(journal.ok()) << journal.status();
    return journal.ok() ? *std::move(journal) : nullptr;
  }
  absl::Status Replay() { return UndoLeftovers(root_.path(), absl::Seconds(1), SystemClock()); }
  FakeRoot root_;
};

TEST_F(UndoJournalTest, OnDiskBeforeAddReturnsAndReplayedInReverse) {
  {
    auto journal = Open();
    ASSERT_TRUE(journal->Add(WriteBack("/proc/sys/a", "first")).ok());
    ASSERT_TRUE(journal->Add(WriteBack("/proc/sys/a", "second\ttab\nline \"q\" \xff")).ok());
  }
  EXPECT_EQ(Open()->actions().size(), 2u);
  EXPECT_EQ(Open()->actions()[1].value, "second\ttab\nline \"q\" \xff");
  EXPECT_TRUE(Replay().ok());
  EXPECT_EQ(root_.Get("/proc/sys/a"), "first");
  EXPECT_TRUE(Open()->actions().empty());
}

TEST_F(UndoJournalTest, OneAtATime) {
  auto journal = Open();
  EXPECT_TRUE(absl::IsFailedPrecondition(UndoJournal::Open(root_.path()).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(
      UndoLeftovers(root_.path(), absl::Milliseconds(30), SystemClock())));
}

TEST_F(UndoJournalTest, WhatFailsStaysAndTheRestIsDone) {
  {
    auto journal = Open();
    ASSERT_TRUE(journal->Add(WriteBack("/proc/sys/a", "old")).ok());
    ASSERT_TRUE(journal->Add(WriteBack("/proc/sys/gone", "old")).ok());
    ASSERT_TRUE(journal->Add(WriteBack("/proc/sys/b", "old")).ok());
  }
  EXPECT_TRUE(absl::StrContains(Replay().message(), "/proc/sys/gone"));
  EXPECT_EQ(root_.Get("/proc/sys/a"), "old");
  EXPECT_EQ(root_.Get("/proc/sys/b"), "old");
  ASSERT_EQ(Open()->actions().size(), 1u);
  root_.Put("/proc/sys/gone", "changed");
  EXPECT_TRUE(Replay().ok());
  EXPECT_EQ(root_.Get("/proc/sys/gone"), "old");
}

TEST_F(UndoJournalTest, ACutLineIsNotThereAndTheNextIs) {
  { ASSERT_TRUE(Open()->Add(WriteBack("/proc/sys/a", "old")).ok()); }
  const std::string whole = root_.Get(kFile);
  root_.Put(kFile, whole + whole.substr(whole.find('\n') + 1, 12));
  {
    auto journal = Open();
    EXPECT_EQ(journal->actions().size(), 1u);
    ASSERT_TRUE(journal->Add(WriteBack("/proc/sys/b", "old")).ok());
  }
  EXPECT_EQ(Open()->actions().size(), 2u);
}

TEST_F(UndoJournalTest, AnotherBootsChangesAreGone) {
  { ASSERT_TRUE(Open()->Add(WriteBack("/proc/sys/a", "old")).ok()); }
  std::string text = root_.Get(kFile);
  text.replace(text.find('\n') - 8, 8, "00000000");
  root_.Put(kFile, text);
  EXPECT_TRUE(Replay().ok());
  EXPECT_EQ(root_.Get("/proc/sys/a"), "changed");
}

TEST_F(UndoJournalTest, WritesNothingButTheKernelsFiles) {
  {
    auto journal = Open();
    ASSERT_TRUE(journal->Add(WriteBack("/etc/passwd", "x")).ok());
    ASSERT_TRUE(journal->Add(WriteBack("/sys/../etc/passwd", "x")).ok());
    ASSERT_TRUE(journal->Add({UndoAction::Kind::kEndProcess, "-1", "0"}).ok());
    ASSERT_TRUE(journal->Add({UndoAction::Kind::kEndProcess, "1", "0"}).ok());
  }
  root_.Put("/etc/passwd", "root");
  EXPECT_FALSE(Replay().ok());
  EXPECT_EQ(root_.Get("/etc/passwd"), "root");
}

TEST_F(UndoJournalTest, NothingLeftNothingDone) {
  EXPECT_TRUE(Replay().ok());
  EXPECT_EQ(root_.Get(kFile), "");
}

TEST_F(UndoJournalTest, EndsOnlyTheProcessThatWasMeant) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    for (;;) pause();
  }
  const uint64_t start = ReadTask(child)->start_ticks;
  EXPECT_TRUE(EndProcess(child, start + 1, SystemClock()).ok());
  EXPECT_EQ(kill(child, 0), 0);
  EXPECT_TRUE(EndProcess(child, start, SystemClock()).ok());
  EXPECT_FALSE(ReadTask(child));
}

}  // namespace
}  // namespace shakedown::runner
