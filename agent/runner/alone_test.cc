// The program itself, as a person starts it.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/runner/loads/process_tree.h"
#include "gtest/gtest.h"
#include "proto/wire/clock.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The runner, started in a folder of its own.
class AloneTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* bin = getenv("SHAKEDOWN_BIN_DIR");
    ASSERT_NE(bin, nullptr) << "run by ctest, or set SHAKEDOWN_BIN_DIR";
    program_ = absl::StrCat(bin, "/shakedown-runner");
    char folder[] = "/tmp/alone_test.XXXXXX";
    folder_ = mkdtemp(folder);
    // What a killed runner leaves behind becomes ours and can be looked for.
    ASSERT_TRUE(AdoptOrphans().ok());
  }
  void TearDown() override {
    EXPECT_TRUE(EndDescendants(absl::Seconds(20), SystemClock()).ok());
    fs::remove_all(folder_);
  }

  pid_t Start(const Words& words, const std::map<std::string, std::string>& variables = {}) {
    Words all = {program_};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    const int out = open((folder_ + "/out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = open((folder_ + "/err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(126);
    fs::create_directory(folder_ + "/here");
    if (chdir(working_.empty() ? (folder_ + "/here").c_str() : working_.c_str()) != 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  // Its exit code, or 128 + signal.
  static int Wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  static bool Until(const std::function<bool()>& good) {
    Clock& clock = SystemClock();
    const absl::Duration until = clock.Elapsed() + absl::Seconds(60);
    while (!good()) {
      if (clock.Elapsed() > until) return false;
      clock.Sleep(absl::Milliseconds(5));
    }
    return true;
  }
  // Whether a descendant of ours is `sleep SECONDS`.
  static bool Sleeps(const std::string& seconds) {
    for (const pid_t pid : DescendantsOf(getpid())) {
      const std::string line = Read(absl::StrCat("/proc/", pid, "/cmdline"));
      if (line == absl::StrCat("sleep", std::string(1, '\0'), seconds, std::string(1, '\0')))
        return true;
    }
    return false;
  }
  std::string Out() const { return Read(folder_ + "/out"); }
  std::string Err() const { return Read(folder_ + "/err"); }

  std::string program_, folder_;
  std::string working_;  // Of the runner; empty: "here" in the folder.
};

TEST_F(AloneTest, LattPrintsWhatTheOriginalPrints) {
  ASSERT_EQ(Wait(Start({"latt", "-c2", "-s5", "-S10", "-x1", "echo first; sleep 0.3; exit 3"})), 0)
      << Err();
  const Words lines = absl::StrSplit(Out(), '\n');
  ASSERT_EQ(lines.size(), 19u) << Out();
  EXPECT_EQ(lines[0], "first");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "Parameters: min_wait=5ms, max_wait=10ms, clients=2");
  EXPECT_TRUE(absl::StartsWith(lines[3], "Entries logged: "));
  EXPECT_EQ(lines[5], "Wakeup averages");
  EXPECT_EQ(lines[6], std::string(37, '-'));
  EXPECT_TRUE(absl::StartsWith(lines[7], "\tMax \t\t"));
  EXPECT_TRUE(absl::EndsWith(lines[10], " usec"));
  EXPECT_EQ(lines[12], "Work averages");
  // How long a command of 0.3 s takes on a busy host is not known; at least that.
  const std::string err = Err(), says = "command: status 3, real ";
  ASSERT_TRUE(absl::StrContains(err, says)) << err;
  EXPECT_GE(std::strtod(err.c_str() + err.find(says) + says.size(), nullptr), 0.3) << err;
}

TEST_F(AloneTest, LattTakesInterruptsForItsCommand) {
  const pid_t pid = Start({"latt", "-c2", "-s5", "-S10", "-x0", "--", "sleep", "1234.5"});
  ASSERT_TRUE(Until([] { return Sleeps("1234.5"); }));
  kill(pid, SIGINT);
  EXPECT_EQ(Wait(pid), 0) << Err();
  EXPECT_TRUE(absl::StrContains(Out(), "Entries logged: ")) << Out();
  EXPECT_TRUE(absl::StrContains(Err(), "command: status 130")) << Err();
}

// In real time names and units say so; where SCHED_FIFO is refused there is no number.
TEST_F(AloneTest, InterbenchInRealTimeAsJson) {
  const int code =
      Wait(Start({"interbench", "-c", "-r", "-l20000", "-t10", "-WAudio", "-wNone", "--json"}));
  if (code != 0) {
    EXPECT_TRUE(absl::StrContains(Err(), "realtime: SCHED_FIFO is refused")) << Err();
    return;
  }
  const std::string json = Out();
  for (const char* metric : {"latency.avg", "latency.max", "latency.rms", "latency.sd",
                             "latency.p50", "latency.p95", "latency.p99", "latency.p99.9"}) {
    const std::string start =
        absl::StrCat("{\"metric\":\"interbench.rt.audio.none.", metric, "\",\"value\":");
    const size_t found = json.find(start);
    ASSERT_NE(found, std::string::npos) << metric << json;
    const size_t unit = json.find("\"unit\":", found);
    EXPECT_EQ(json.substr(unit, 11), "\"unit\":\"us\"") << metric;
  }
  for (const char* metric : {"desired_cpu", "deadlines_met", "met", "missed", "achieved", "n"}) {
    EXPECT_TRUE(absl::StrContains(json, absl::StrCat("interbench.rt.audio.none.", metric, "\"")));
  }
  EXPECT_TRUE(absl::StrContains(
      json, "{\"metric\":\"interbench.rt.audio.none.latency\",\"unit\":\"us\",\"iteration\":1"));
  EXPECT_TRUE(absl::StrContains(json, "\"metric\":\"interbench.loops_per_ms\",\"value\":20000,"));
}

// SIGKILL of the runner in the middle: within a moment no process and no file is left.
class KilledTest : public AloneTest, public testing::WithParamInterface<Words> {};
TEST_P(KilledTest, LeavesNothing) {
  const pid_t pid = Start(GetParam());
  const bool latt = GetParam()[0] == "latt";
  const std::string here = folder_ + "/here";
  const auto busy = [&] {
    if (latt) return Sleeps("1234.5");
    for (const auto& entry : fs::recursive_directory_iterator(here)) {
      std::error_code error;
      if (entry.path().filename() == "interbench.write" && fs::file_size(entry, error) > 0)
        return true;
    }
    return false;
  };
  ASSERT_TRUE(Until([&] {
    try {
      return busy();
    } catch (const fs::filesystem_error&) {  // A folder that went while it was read.
      return false;
    }
  })) << Err();
  EXPECT_GE(DescendantsOf(getpid()).size(), 3u);
  kill(pid, SIGKILL);
  EXPECT_EQ(Wait(pid), 128 + SIGKILL);
  EXPECT_TRUE(Until([] {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    return DescendantsOf(getpid()).empty();
  }));
  Words left;
  for (const auto& entry : fs::directory_iterator(here)) {
    if (entry.path().filename() != "interbench.loops_per_ms") left.push_back(entry.path());
  }
  EXPECT_EQ(left, Words{});
}
INSTANTIATE_TEST_SUITE_P(, KilledTest,
                         testing::Values(Words{"latt", "-c3",
                                               "trap '' TERM INT HUP; setsid sleep 1234.5; true"},
                                         Words{"interbench", "-c", "-l20000", "-L2", "-t20",
                                               "-WAudio", "-wWrite", "--max-file=4"}),
                         [](const auto& test) { return test.param[0]; });

std::string Entry(const std::string& text, absl::string_view label) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, label)) return std::string(line);
  }
  return "";
}

// The same numbers' form and the same words in every language: the decimal point above all.
TEST_F(AloneTest, LanguageChangesNothing) {
  for (const char* language : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
    const std::map<std::string, std::string> variables = {
        {"LANG", language}, {"LC_ALL", language}, {"LC_NUMERIC", language}};
    ASSERT_EQ(Wait(Start({"latt", "-c2", "-s5", "-S10", "-x0", "--json", "--", "sleep", "0.2"},
                         variables)),
              0)
        << language << Err();
    const std::string json = Out();
    EXPECT_TRUE(absl::StrContains(json, "\"metric\":\"latt.command.real\",\"value\":0."))
        << language << json;
    ASSERT_EQ(Wait(Start({"interbench", "-c", "-l20000", "-t10", "-WAudio", "-wNone"}, variables)),
              0)
        << language << Err();
    const std::string row = Entry(Out(), "None\t");
    EXPECT_TRUE(absl::StrContains(row, ".")) << language << Out();
    EXPECT_FALSE(absl::StrContains(row, ",")) << language << Out();
  }
}

TEST_F(AloneTest, InterbenchPrintsAndLogsItsTable) {
  ASSERT_EQ(
      Wait(Start({"interbench", "-l20000", "-L2", "-t10", "-WGaming", "-wNone", "-m", "hello"})), 0)
      << Err();
  const Words lines = absl::StrSplit(Out(), '\n');
  ASSERT_EQ(lines.size(), 12u) << Out();
  EXPECT_EQ(lines[0], "Load set to 2 processors");
  EXPECT_EQ(lines[2], "Using 20000 loops per ms, running every load for 10 seconds");
  EXPECT_TRUE(absl::StartsWith(lines[3], "Benchmarking kernel "));
  EXPECT_EQ(lines[4], "Comment: hello");
  EXPECT_EQ(lines[6], "--- Benchmarking simulated cpu of Gaming in the presence of simulated ---");
  EXPECT_EQ(lines[7], "Load\tLatency +/- SD (ms)  Max Latency   % Desired CPU");
  EXPECT_TRUE(absl::StartsWith(lines[8], "None\t"));
  std::string log;
  for (const auto& entry : fs::directory_iterator(folder_ + "/here")) {
    if (entry.path().extension() == ".log") log = Read(entry.path());
  }
  EXPECT_EQ(log, Out());
  EXPECT_EQ(Read(folder_ + "/here/interbench.loops_per_ms"), "20000");
}

TEST_F(AloneTest, AWorkingFolderThatCanNotBeWrittenIsSaidInOneLine) {
  working_ = "/proc";
  const pid_t pid = Start({"interbench", "-l20000", "-t20", "-WAudio", "-wNone"});
  ASSERT_TRUE(Until([this] { return absl::StrContains(Out(), "--- Benchmarking"); })) << Err();
  kill(pid, SIGINT);
  EXPECT_EQ(Wait(pid), 1);
  EXPECT_TRUE(absl::StrContains(
      Err(), "working directory can not be written: no log and no interbench.loops_per_ms"))
      << Err();
  EXPECT_TRUE(absl::StrContains(Err(), "interrupted")) << Err();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(AloneTest, UsageErrorsNameTheWord) {
  EXPECT_EQ(Wait(Start({"interbench", "-wServer"})), 64);
  EXPECT_TRUE(absl::StrContains(Err(), "\"Server\"")) << Err();
  EXPECT_EQ(Wait(Start({"latt", "-c4"})), 1);
  EXPECT_EQ(Err(), "latt-0.1: [options] 'app'\n");
}

}  // namespace
}  // namespace shakedown::runner
