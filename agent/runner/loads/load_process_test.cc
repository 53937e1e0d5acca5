#include "agent/runner/loads/load_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "agent/runner/loads/process_tree.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;

class LoadProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(AdoptOrphans().ok());
    char folder[] = "/tmp/load_process_test.XXXXXX";
    place_.scratch_parent = mkdtemp(folder);
    place_.tree = "/nonexistent";
  }
  void TearDown() override { fs::remove_all(place_.scratch_parent); }

  static v1::RunLoad Latt(const std::string& script, uint32_t limit_s) {
    v1::RunLoad request;
    request.set_index(4);
    request.set_limit_s(limit_s);
    v1::LattLoad& latt = *request.mutable_load()->mutable_latt();
    latt.set_clients(2);
    latt.set_min_sleep_ms(5);
    latt.set_sleep_width_ms(5);
    for (const std::string& word : {std::string("sh"), std::string("-c"), script})
      latt.add_command(word);
    return request;
  }

  // Steps until it is done or `enough`; the events in order.
  std::vector<v1::RunnerEvent> Drive(LoadProcess& process,
                                     const std::function<bool()>& enough = nullptr) {
    Clock& clock = SystemClock();
    const absl::Duration until = clock.Elapsed() + absl::Seconds(60);
    std::vector<v1::RunnerEvent> events;
    while (!process.done() && clock.Elapsed() < until && !(enough && enough())) {
      pollfd fd = {process.fd(), POLLIN, 0};
      poll(&fd, 1, 20);
      for (v1::RunnerEvent& event : process.Step()) events.push_back(std::move(event));
    }
    return events;
  }
  void ExpectNothingIsLeft() {
    EXPECT_TRUE(fs::is_empty(place_.scratch_parent));
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // No child, dead or alive.
  }
  LoadPlace place_;
};

TEST_F(LoadProcessTest, ResultWithTelemetry) {
  place_.live = true;
  auto process = LoadProcess::Start(Latt("sleep 2.2", 60), place_, SystemClock()).value();
  const std::vector<v1::RunnerEvent> events = Drive(*process);
  ASSERT_GE(events.size(), 3u);  // At least two beats and the result.
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    EXPECT_TRUE(events[i].has_progress());
    // Of the second that the beat ends.
    EXPECT_NEAR(events[i].progress().sample().at_ms(), 1000.0 * static_cast<double>(i + 1), 500);
    EXPECT_GT(events[i].progress().sample().values_size(), 5);
  }
  ASSERT_TRUE(events.back().has_load_run()) << events.back().failure().error();
  const v1::LoadRun& run = events.back().load_run();
  EXPECT_EQ(run.load(), 4u);
  EXPECT_GE(run.duration_ms(), 2200u);
  ASSERT_GT(run.series_size(), 0);
  for (const v1::Series& series : run.series()) {
    EXPECT_GE(series.values_size(), 2);
    EXPECT_EQ(series.step_ms(), 1000u);
    EXPECT_NE(series.unit(), "");
  }
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, StopEndsEveryProcess) {
  const std::string pid_file = place_.scratch_parent + "/../pid." + std::to_string(getpid());
  // A daemon in a session of its own that does not mind signals.
  auto process =
      LoadProcess::Start(Latt("trap '' TERM INT; setsid sh -c 'trap \"\" TERM; echo $$ > " +
                                  pid_file + "; while :; do sleep 1; done' & sleep 100",
                              100),
                         place_, SystemClock())
          .value();
  pid_t daemon = 0;
  Drive(*process, [&] { return bool(std::ifstream(pid_file) >> daemon); });
  ASSERT_GT(daemon, 0);
  const std::vector<v1::RunnerEvent> events = process->Stop("stopped");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].failure().error(), "load 4 (latt): stopped");
  EXPECT_NE(kill(daemon, 0), 0);
  EXPECT_TRUE(process->done());
  fs::remove(pid_file);
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, StoppedMakeLeavesNoObject) {
  place_.tree = place_.scratch_parent + "/tree";
  fs::create_directories(place_.tree);
  std::ofstream(place_.tree + "/Makefile") << "%.o:\n\ttouch $@\n\tsleep 100\n";
  v1::RunLoad request;
  request.set_limit_s(100);
  request.mutable_load()->mutable_make()->add_targets("a.o");
  request.mutable_load()->mutable_make()->add_targets("b.o");
  auto process = LoadProcess::Start(request, place_, SystemClock()).value();
  Drive(*process,
        [&] { return fs::exists(place_.tree + "/a.o") && fs::exists(place_.tree + "/b.o"); });
  process->Stop("stopped");
  EXPECT_FALSE(fs::exists(place_.tree + "/a.o"));
  EXPECT_FALSE(fs::exists(place_.tree + "/b.o"));
  fs::remove_all(place_.tree);
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, StoppedInterbenchLeavesNothing) {
  v1::RunLoad request;
  request.set_limit_s(100);
  request.set_loops_per_ms(20000);
  v1::InterbenchLoad& bench = *request.mutable_load()->mutable_interbench();
  bench.add_benchmarks("Audio");
  bench.add_loads("Compile");
  bench.set_max_file_mib(4);
  auto process = LoadProcess::Start(request, place_, SystemClock()).value();
  const auto writes = [&] {
    for (const auto& scratch : fs::directory_iterator(place_.scratch_parent)) {
      if (fs::exists(scratch.path() / "interbench.write")) return true;
    }
    return false;
  };
  Drive(*process, writes);
  EXPECT_TRUE(writes() || !process->done());
  process->Stop("stopped");
  ExpectNothingIsLeft();
}

// Waits until all that was ours is gone; who dies without its parent comes to us.
void AwaitNoChildren() {
  const absl::Duration until = SystemClock().Elapsed() + absl::Seconds(60);
  while (waitpid(-1, nullptr, WNOHANG) >= 0 && SystemClock().Elapsed() < until) {
    poll(nullptr, 0, 2);
  }
}

// A runner in a process of its own that is killed while its load writes, builds and has daemons.
TEST_F(LoadProcessTest, KilledRunnerLeavesNoProcessAndNoFile) {
  place_.tree = place_.scratch_parent + "/tree";
  fs::create_directories(place_.tree);
  const std::string pids = place_.scratch_parent + "/pids";
  std::ofstream(place_.tree + "/Makefile")
      << "%.o:\n\ttouch $@\n\tsetsid sh -c 'trap \"\" TERM HUP; echo $$$$ >> " << pids
      << "; while :; do sleep 1; done' & echo $$$$ >> " << pids << "; sleep 1000\n";
  v1::RunLoad request;
  request.set_limit_s(1000);
  request.mutable_load()->mutable_make()->add_targets("a.o");
  v1::Activity& activity = *request.add_background();
  for (const char* word : {"sh", "-c", "echo $$ >> \"$0\"; sleep 1000", pids.c_str()}) {
    activity.mutable_command()->add_words(word);
  }
  const pid_t runner = fork();
  if (runner == 0) {
    AdoptOrphans().IgnoreError();
    auto process = LoadProcess::Start(request, place_, SystemClock()).value();
    Drive(*process);
    _exit(0);
  }
  std::vector<pid_t> seen;
  const absl::Duration until = SystemClock().Elapsed() + absl::Seconds(60);
  while (seen.size() < 3 && SystemClock().Elapsed() < until) {
    seen.clear();
    std::ifstream file(pids);
    for (pid_t pid; file >> pid;) seen.push_back(pid);
    poll(nullptr, 0, 2);
  }
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_TRUE(fs::exists(place_.tree + "/a.o"));
  kill(runner, SIGKILL);
  AwaitNoChildren();
  for (const pid_t pid : seen) EXPECT_NE(kill(pid, 0), 0) << pid;
  EXPECT_FALSE(fs::exists(place_.tree + "/a.o"));
  fs::remove_all(place_.tree);
  fs::remove(pids);
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, ADeadActivityFailsTheLoadByName) {
  v1::RunLoad request = Latt("sleep 0.5", 60);
  request.add_background()->set_name("film");
  request.mutable_background(0)->mutable_command()->add_words("false");
  auto process = LoadProcess::Start(request, place_, SystemClock()).value();
  const std::string error = Drive(*process).back().failure().error();
  EXPECT_TRUE(absl::StrContains(error, "activity \"film\" has ended")) << error;
  EXPECT_TRUE(absl::StrContains(error, "exit code 1")) << error;
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, LimitEndsIt) {
  auto process = LoadProcess::Start(Latt("sleep 100", 1), place_, SystemClock()).value();
  const std::vector<v1::RunnerEvent> events = Drive(*process);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().failure().error(), "load 4 (latt): not done within 1 s");
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, FailureOfTheLoad) {
  auto process = LoadProcess::Start(Latt("sleep 0.1; exit 9", 60), place_, SystemClock()).value();
  const std::vector<v1::RunnerEvent> events = Drive(*process);
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(absl::StrContains(events.back().failure().error(), "exit code 9"))
      << events.back().failure().error();
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, KilledFromOutsideIsSaid) {
  const std::string pid_file = place_.scratch_parent + "/../pid." + std::to_string(getpid());
  auto process = LoadProcess::Start(Latt("echo $PPID > " + pid_file + "; sleep 100", 100), place_,
                                    SystemClock())
                     .value();
  pid_t runner = 0;  // The process that runs the command; its parent is the load's.
  Drive(*process, [&] { return bool(std::ifstream(pid_file) >> runner); });
  std::ifstream stat("/proc/" + std::to_string(runner) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::optional<pid_t> worker = ParentOf(text);
  ASSERT_TRUE(worker.has_value());
  kill(*worker, SIGKILL);
  const std::vector<v1::RunnerEvent> events = Drive(*process);
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(absl::StrContains(events.back().failure().error(), "signal 9"))
      << events.back().failure().error();
  fs::remove(pid_file);
  ExpectNothingIsLeft();
}

TEST_F(LoadProcessTest, BadRequests) {
  EXPECT_EQ(LoadProcess::Start(Latt("true", 0), place_, SystemClock()).status().code(),
            absl::StatusCode::kInvalidArgument);
  v1::RunLoad none;
  none.set_limit_s(10);
  auto process = LoadProcess::Start(none, place_, SystemClock()).value();
  EXPECT_TRUE(absl::StrContains(Drive(*process).back().failure().error(), "no kind is set"));
  ExpectNothingIsLeft();
  LoadPlace gone = place_;
  gone.scratch_parent += "/gone";
  EXPECT_EQ(LoadProcess::Start(Latt("true", 1), gone, SystemClock()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(LoadProcessTest, BeatsTellSamplesOnlyWhereTheyAreWanted) {
  auto process = LoadProcess::Start(Latt("sleep 1.2", 60), place_, SystemClock()).value();
  const std::vector<v1::RunnerEvent> events = Drive(*process);
  ASSERT_GE(events.size(), 2u);
  EXPECT_TRUE(events[0].has_progress());
  EXPECT_FALSE(events[0].progress().has_sample());
  EXPECT_GT(events.back().load_run().series_size(), 0);
}

TEST(ParseLoadUserTest, TwoNumbersThatAreNotRoots) {
  const std::optional<LoadUser> user = ParseLoadUser("998:997");
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->uid, 998u);
  EXPECT_EQ(user->gid, 997u);
  for (const char* text : {"", "998", "998:", ":997", "0:997", "998:0", "-1:5", "5:-1",
                           "4294967295:1", "4294967296:1", "1:2:3", "a:b", " 1:2"}) {
    EXPECT_FALSE(ParseLoadUser(text).has_value()) << text;
  }
}

// Root's alone: a build host's tests are root, a person's may not be.
class UnprivilegedLoadTest : public LoadProcessTest {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "only root can become somebody else";
    LoadProcessTest::SetUp();
    fs::permissions(place_.scratch_parent, fs::perms::all);
    place_.user = LoadUser{61000, 61001};
  }
  static v1::RunLoad Command(const std::string& script) {
    v1::RunLoad request;
    request.set_index(1);
    request.set_limit_s(60);
    for (const char* word : {"sh", "-c", script.c_str()}) {
      request.mutable_load()->mutable_command()->add_words(word);
    }
    request.mutable_load()->set_iterations(1);
    return request;
  }
  std::string OutputOf(const std::string& script) {
    auto process = LoadProcess::Start(Command(script), place_, SystemClock()).value();
    const std::vector<v1::RunnerEvent> events = Drive(*process);
    if (events.empty()) return "no event";
    return events.back().has_load_run() ? events.back().load_run().output()
                                        : events.back().failure().error();
  }
};

TEST_F(UnprivilegedLoadTest, ItsCommandsAreNobodysButItsOwn) {
  const std::string output = OutputOf(
      "id -u; id -g; id -G; rm \"$(mktemp)\" && echo has a temporary file; "
      "touch /etc/shakedown-was-here 2>/dev/null || echo not the machine; "
      "kill -0 $(ps -o ppid= -p $(ps -o ppid= -p $PPID)) 2>/dev/null || echo not its watcher; "
      "grep -E 'Cap(Eff|Amb)|NoNew' /proc/self/status");
  EXPECT_TRUE(absl::StrContains(output, "61000\n61001\n61001\n")) << output;
  for (const char* line :
       {"has a temporary file", "not the machine", "not its watcher",
        // CAP_IPC_LOCK is 14, CAP_SYS_NICE 23.
        "CapEff:\t0000000000804000", "CapAmb:\t0000000000804000", "NoNewPrivs:\t1"}) {
    EXPECT_TRUE(absl::StrContains(output, line)) << line << " in " << output;
  }
  ExpectNothingIsLeft();
}

TEST_F(UnprivilegedLoadTest, MayDoWhatIsMeasured) {
  const std::string output =
      OutputOf("chrt -f 50 echo real time; renice -n 0 $$ >/dev/null; nice -n -5 nice");
  EXPECT_TRUE(absl::StrContains(output, "real time\n-5\n")) << output;
  v1::RunLoad bench;
  bench.set_index(2);
  bench.set_limit_s(60);
  v1::InterbenchLoad& load = *bench.mutable_load()->mutable_interbench();
  load.add_benchmarks("Audio");
  load.add_loads("None");
  load.set_seconds(1);
  load.set_realtime(true);
  load.set_loops_per_ms(1000);
  bench.mutable_load()->set_iterations(1);
  auto process = LoadProcess::Start(bench, place_, SystemClock()).value();
  const std::vector<v1::RunnerEvent> events = Drive(*process);
  ASSERT_TRUE(events.back().has_load_run()) << events.back().failure().error();
  EXPECT_EQ(events.back().load_run().warnings_size(), 0) << events.back().load_run().warnings(0);
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace shakedown::runner
