#include "agent/session/log_sender.h"

#include <atomic>
#include <fstream>

#include "absl/time/clock.h"
#include "agent/session/farm_test_base.h"

namespace shakedown::agent {
namespace {

class LogSenderTest : public FarmTestBase {
 protected:
  LogSenderTest() : journal_(OpenTestJournal()) {
    EXPECT_TRUE(journal_->AppendOrder(key_, "order").ok());
  }

  std::unique_ptr<LogSender> NewSender(LogLimits limits = {}) {
    LogSenderOptions options;
    options.folder = folder_ + "/logs";
    options.limits = limits;
    options.linger = absl::ZeroDuration();
    options.backoff = {absl::Milliseconds(1), absl::Milliseconds(2), absl::Milliseconds(2)};
    options.random = [] { return 0.5; };
    options.quiet = [this] { return quiet_.load(); };
    options.fatal = [](const absl::Status& status) { ADD_FAILURE() << status; };
    absl::StatusOr<std::unique_ptr<LogSender>> sender =
        MakeLogSender(options, *client_, *journal_, [](absl::string_view) { return MakeWaiter(); });
    EXPECT_TRUE(sender.ok()) << sender.status();
    return *std::move(sender);
  }

  bool FarmHas(const std::string& log) {
    return farm_->WaitUntil([&](const fakes::FarmBook& book) {
      const auto found = book.logs.find(key_.id);
      return found != book.logs.end() && found->second == log;
    });
  }
  std::string Log() {
    return Ask([&](const fakes::FarmBook& book) {
      const auto found = book.logs.find(key_.id);
      return found == book.logs.end() ? std::string() : found->second;
    });
  }
  absl::Status FinishAtLast(LogSender& sender) {
    // A farm that came back is not found again at once.
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    absl::Status status = sender.Finish(key_);
    while (!status.ok() && absl::Now() < deadline) status = sender.Finish(key_);
    return status;
  }
  bool Spilled() const { return !std::filesystem::is_empty(folder_ + "/logs"); }

  const WorkKey key_{WorkKind::kBoot, NewUuid(), 3};
  std::unique_ptr<Journal> journal_;
  std::atomic<bool> quiet_ = false;
};

TEST_F(LogSenderTest, SendsWhatIsWrittenWithoutBeingAsked) {
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  sender->Write(key_, "one ");
  EXPECT_TRUE(FarmHas("one "));
  sender->Write(key_, "two");
  EXPECT_TRUE(FarmHas("one two"));
  EXPECT_TRUE(sender->Finish(key_).ok());
  sender->Write(key_, "after the end");
  EXPECT_TRUE(sender->Finish(key_).ok());
  EXPECT_EQ(Log(), "one two");
}

TEST_F(LogSenderTest, ABigPieceIsSentInManyAnyByte) {
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  std::string log;
  for (int i = 0; i < 900'000; ++i) log.push_back(static_cast<char>(i * 7));
  sender->Write(key_, log);
  EXPECT_TRUE(sender->Finish(key_).ok());
  EXPECT_EQ(Log(), log);
}

TEST_F(LogSenderTest, GoesOnWhereTheFarmsLogEnds) {
  farm_->With([&](fakes::FarmBook& book) { book.logs[key_.id] = "an earlier lease|"; });
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  sender->Write(key_, "mine");
  EXPECT_TRUE(sender->Finish(key_).ok());
  EXPECT_EQ(Log(), "an earlier lease|mine");
}

TEST_F(LogSenderTest, LostAnswersNeitherDoubleNorDropBytes) {
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  std::string want;
  for (int i = 0; i < 20; ++i) {
    farm_->With([](fakes::FarmBook& book) { book.lost_answers["AppendLog"] = 1; });
    const std::string line = absl::StrCat("line ", i, "\n");
    sender->Write(key_, line);
    want += line;
    ASSERT_TRUE(FarmHas(want)) << i;
  }
  EXPECT_TRUE(FinishAtLast(*sender).ok());
  EXPECT_EQ(Log(), want);
}

TEST_F(LogSenderTest, AFarmThatLostBytesGetsTheRest) {
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  sender->Write(key_, "0123456789");
  ASSERT_TRUE(FarmHas("0123456789"));
  farm_->With([&](fakes::FarmBook& book) { book.logs[key_.id] = "0123"; });
  sender->Write(key_, "abc");
  EXPECT_TRUE(FinishAtLast(*sender).ok());
  EXPECT_EQ(Log(), "0123abc");
}

TEST_F(LogSenderTest, WhileTheFarmIsAwayItSpillsAndLaterSendsAll) {
  auto sender = NewSender({.memory = 1000, .spill = 1 << 20});
  ASSERT_TRUE(sender->Open(key_).ok());
  sender->Write(key_, "start|");
  ASSERT_TRUE(FarmHas("start|"));
  farm_->GoAway();
  std::string want = "start|";
  for (int i = 0; i < 1000; ++i) {
    const std::string line = absl::StrCat("line ", i, "\n");
    sender->Write(key_, line);
    want += line;
  }
  EXPECT_TRUE(Spilled());
  EXPECT_FALSE(sender->Finish(key_).ok());
  farm_->ComeBack();
  sender->Nudge();
  EXPECT_TRUE(FarmHas(want));
  EXPECT_TRUE(FinishAtLast(*sender).ok());
  EXPECT_FALSE(Spilled());
}

TEST_F(LogSenderTest, ARestartedAgentSendsWhatWasSpilledOnceAndSaysSo) {
  auto sender = NewSender({.memory = 100, .spill = 1 << 20});
  ASSERT_TRUE(sender->Open(key_).ok());
  sender->Write(key_, "start|");
  ASSERT_TRUE(FarmHas("start|"));
  farm_->GoAway();
  const std::string spilled(150, 's');
  sender->Write(key_, spilled);
  ASSERT_TRUE(Spilled());
  sender = nullptr;
  farm_->ComeBack();
  // Half of it had arrived before.
  farm_->With(
      [&](fakes::FarmBook& book) { book.logs[key_.id] = "start|" + spilled.substr(0, 70); });
  sender = NewSender();
  EXPECT_TRUE(FinishAtLast(*sender).ok());
  EXPECT_THAT(Log(), testing::StartsWith("start|" + spilled + "\n[the agent was restarted"));
  EXPECT_FALSE(Spilled());
}

TEST_F(LogSenderTest, FilesOfForgottenWorkGo) {
  { auto sender = NewSender(); }
  std::ofstream(folder_ + "/logs/" + NewUuid() + ".1") << "old";
  auto sender = NewSender();
  EXPECT_FALSE(Spilled());
}

TEST_F(LogSenderTest, ALogTheFarmDoesNotWantIsNoReasonToKeepAResult) {
  for (const absl::Status& no :
       {absl::FailedPreconditionError("old epoch"), absl::NotFoundError("no such log")}) {
    auto sender = NewSender();
    ASSERT_TRUE(sender->Open(key_).ok());
    farm_->With([&](fakes::FarmBook& book) { book.failures["AppendLog"] = {no}; });
    sender->Write(key_, "bytes");
    EXPECT_TRUE(sender->Finish(key_).ok()) << no;
  }
}

TEST_F(LogSenderTest, ABusyFarmIsAskedAgainAFullOneNotForEver) {
  const absl::Status no = absl::ResourceExhaustedError("too many calls, or 64 MiB are enough");
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  farm_->With([&](fakes::FarmBook& book) { book.failures["AppendLog"] = {no, no, no}; });
  sender->Write(key_, "busy");
  EXPECT_TRUE(FarmHas("busy"));
  farm_->With([&](fakes::FarmBook& book) {
    book.failures["AppendLog"] = std::vector<absl::Status>(1000, no);
  });
  sender->Write(key_, "full");
  EXPECT_TRUE(FinishAtLast(*sender).ok());
  EXPECT_EQ(Ask([](const fakes::FarmBook& book) { return book.failures.at("AppendLog").size(); }),
            990u);
}

TEST_F(LogSenderTest, QuietWhileAMachineIsDarkButFinishSends) {
  quiet_ = true;
  auto sender = NewSender();
  ASSERT_TRUE(sender->Open(key_).ok());
  sender->Write(key_, "measured in the dark");
  EXPECT_TRUE(sender->Finish(key_).ok());
  EXPECT_EQ(Log(), "measured in the dark");
}

TEST_F(LogSenderTest, AnIdThatIsNoUuidNamesNoFile) {
  auto sender = NewSender();
  EXPECT_TRUE(absl::IsInvalidArgument(sender->Open({WorkKind::kBoot, "../../x", 1})));
}

}  // namespace
}  // namespace shakedown::agent
