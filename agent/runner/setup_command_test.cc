#include "agent/runner/setup_command.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/setup/fake_root.h"
#include "agent/runner/telemetry/task_stat.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

class SetupCommandTest : public testing::Test {
 protected:
  void SetUp() override { root_.PutMachine(); }
  SetupDesk Desk() {
    return {root_.path(), SystemClock(), [this](const std::string& text) { out_ += text; },
            [this](const std::string& text) { err_ += text + "\n"; },
            [this](const std::vector<std::string>& words) {
              during_ = root_.IsAsItWas() ? "as it was" : "set up";
              load_ = words;
              return 7;
            }};
  }
  FakeRoot root_;
  std::string out_, err_, during_;
  std::vector<std::string> load_;
};

TEST_F(SetupCommandTest, AroundALoad) {
  EXPECT_EQ(
      SetupCommand({"stop cron", "turbo off", "drop_caches", "--", "latt", "--", "true"}, Desk()),
      7);
  EXPECT_EQ(during_, "set up");
  EXPECT_EQ(load_, std::vector<std::string>({"latt", "--", "true"}));
  EXPECT_TRUE(root_.IsAsItWas());
  EXPECT_EQ(root_.Get("/proc/sys/vm/drop_caches"), "3\n");
  EXPECT_EQ(err_, "");
}

TEST_F(SetupCommandTest, LeftUntilUndo) {
  EXPECT_EQ(SetupCommand({"governor performance", "stop cron"}, Desk()), 0);
  EXPECT_TRUE(absl::StrContains(out_, "stop cron (was running), undone by: service cron start\n"));
  EXPECT_FALSE(root_.IsAsItWas());
  EXPECT_EQ(UndoCommand(Desk()), 0);
  EXPECT_TRUE(root_.IsAsItWas());
  EXPECT_EQ(UndoCommand(Desk()), 0);  // Nothing is left.
}

TEST_F(SetupCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(SetupCommand({}, Desk()), 64);
  EXPECT_EQ(SetupCommand({"turbo off", "--"}, Desk()), 64);
  EXPECT_EQ(SetupCommand({"reboot"}, Desk()), 64);
  err_.clear();
  EXPECT_EQ(SetupCommand({"turbo off", "stop bluetooth"}, Desk()), 1);
  EXPECT_TRUE(absl::StartsWith(err_, "setup: stop bluetooth: ")) << err_;
  EXPECT_TRUE(root_.IsAsItWas());
  root_.Put("/sys/class/power_supply/AC/type", "Mains\n");
  root_.Put("/sys/class/power_supply/AC/online", "0\n");
  EXPECT_EQ(SetupCommand({"turbo off", "require_ac", "--", "make"}, Desk()), 1);
  EXPECT_TRUE(load_.empty());
  EXPECT_TRUE(root_.IsAsItWas());
}

TEST_F(SetupCommandTest, ALoadInAChildGivesItsCodeAndGetsTheSignal) {
  EXPECT_EQ(RunInChild([] { return 9; }), 9);
  const pid_t parent = getpid();
  EXPECT_EQ(RunInChild([parent] {
              kill(parent, SIGTERM);  // Which passes it on.
              for (;;) pause();
              return 0;
            }),
            128 + SIGTERM);
}

// The whole of it, killed by SIGKILL while the load runs: nothing is left and nothing is changed.
TEST_F(SetupCommandTest, KilledWhileTheLoadRuns) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    SetupDesk desk = Desk();
    desk.run_load = [&](const std::vector<std::string>&) {
      return RunInChild([&] {
        const pid_t self = getpid();
        [[maybe_unused]] const ssize_t ignored = write(ready[1], &self, sizeof self);
        for (;;) pause();
        return 0;
      });
    };
    _exit(SetupCommand({"stop cron", "governor performance", "--", "make"}, desk));
  }
  pid_t load = 0;
  ASSERT_EQ(read(ready[0], &load, sizeof load), static_cast<ssize_t>(sizeof load));
  close(ready[0]);
  close(ready[1]);
  EXPECT_FALSE(root_.IsAsItWas());
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  const auto is_gone = [&] {
    const std::optional<TaskStat> task = ReadTask(load);
    return !task || task->state == 'Z';  // This process may have adopted it.
  };
  const absl::Duration until = SystemClock().Elapsed() + absl::Seconds(30);
  while (SystemClock().Elapsed() < until && !(root_.IsAsItWas() && is_gone())) {
    SystemClock().Sleep(absl::Milliseconds(5));
  }
  EXPECT_TRUE(root_.IsAsItWas());
  EXPECT_TRUE(is_gone());
}

}  // namespace
}  // namespace shakedown::runner
