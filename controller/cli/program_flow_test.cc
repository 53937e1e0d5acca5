// The program itself against a farm: on a terminal, into a pipe, and asked by bash.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/completion.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "controller/cli/job_views.h"
#include "controller/cli/text_width.h"
#include "proto/wire/subprocess.h"

namespace shakedown::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kSilence = 30'000;  // Milliseconds after which the program is taken for stuck.

std::string BinFolder() {
  const char* bin = std::getenv("SHAKEDOWN_BIN_DIR");
  return bin == nullptr ? "build/bin" : bin;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs argv[0] on a terminal of its own with `columns` and 40 rows; what it wrote, as the terminal
// would get it.
Result RunOnTerminal(std::vector<std::string> argv, std::vector<std::string> environment,
                     unsigned short columns) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    ADD_FAILURE() << "no terminal";
    return {-1, "", ""};
  }
  const winsize size = {40, columns, 0, 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  const std::string end = ptsname(terminal);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, end.c_str(), O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO);
  pid_t child = -1;
  const int spawned = posix_spawn(&child, argv[0].c_str(), &files, &attributes,
                                  Pointers(argv).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  EXPECT_EQ(spawned, 0) << argv[0];
  Result result = {-1, "", ""};
  if (spawned == 0) {
    // EIO: nobody holds the other end any more.
    for (pollfd ready = {terminal, POLLIN, 0}; poll(&ready, 1, kSilence) == 1;) {
      char piece[4096];
      const ssize_t got = read(terminal, piece, sizeof(piece));
      if (got <= 0) break;
      result.out.append(piece, static_cast<size_t>(got));
    }
  }
  close(terminal);  // A program that is stuck gets SIGHUP.
  int status = -1;
  if (spawned == 0) waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

std::string WithoutColour(const std::string& text) {
  static const std::regex sgr("\x1b\\[[0-9;]*m");
  return std::regex_replace(text, sgr, "");
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find("\r\n")); }

class ProgramTest : public FlowTest {
 protected:
  // A job of `blocks` blocks that is seen twice: under way, and ended with a panic.
  void ServeAJob(uint32_t blocks) {
    job_ = MakeJob(blocks);
    job_.mutable_spec()->set_title(
        absl::StrCat("\x1b]0;owned\x07long ", std::string(120, 'x'), " end"));
    End(*job_.mutable_boots(0), v1::OUTCOME_MEASURED);
    service_.watch = [this](grpc::ServerContext*, grpc::ServerWriter<v1::JobView>* writer) {
      writer->Write(job_);
      v1::JobView ended = job_;
      for (v1::BootView& boot : *ended.mutable_boots()) End(boot, v1::OUTCOME_MEASURED);
      End(*ended.mutable_boots(1), v1::OUTCOME_PANICKED, "BUG: it fell\x1b[2J");
      EndJob(ended);
      writer->Write(ended);
      return grpc::Status::OK;
    };
  }
  std::vector<std::string> Watch(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv = {
        BinFolder() + "/shakedown", "--server", Address(), "--token-file",
        folder_ + "/token",         "watch",    "17"};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }
  std::vector<std::string> Environment(const std::vector<std::string>& more) const {
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder_,
                                            "SHAKEDOWN_SERVER=" + Address(),
                                            "SHAKEDOWN_TOKEN_FILE=" + folder_ + "/token"};
    environment.insert(environment.end(), more.begin(), more.end());
    return environment;
  }

  v1::JobView job_;
};

TEST_F(ProgramTest, ATerminalIsDrawnOnInColourAndToItsWidth) {
  ServeAJob(2);
  for (const unsigned short columns : {60, 100}) {
    const Result result = RunOnTerminal(Watch(), Environment({"TERM=xterm"}), columns);
    EXPECT_EQ(result.code, kKernelFailed) << result.out;
    EXPECT_THAT(result.out, HasSubstr("\x1b[32mmeasured"));
    EXPECT_THAT(result.out, HasSubstr("\x1b[31mpanicked"));
    EXPECT_THAT(result.out, HasSubstr("A\r\x1b[J")) << "drawn over";
    EXPECT_THAT(result.out, Not(HasSubstr("\x1b]")));
    EXPECT_THAT(result.out, Not(HasSubstr("\x1b[2J")));
    EXPECT_THAT(result.out, Not(HasSubstr("\x07")));
    const std::string title = WithoutColour(FirstLine(result.out));
    EXPECT_TRUE(absl::StartsWith(title, "Job 17: long xxx")) << title;
    EXPECT_EQ(Width(title), columns) << title;
  }
}

TEST_F(ProgramTest, NoColorIsHeeded) {
  ServeAJob(2);
  const Result plain = RunOnTerminal(Watch(), Environment({"TERM=xterm", "NO_COLOR=1"}), 80);
  EXPECT_EQ(plain.code, kKernelFailed) << plain.out;
  EXPECT_EQ(WithoutColour(plain.out), plain.out);
  EXPECT_THAT(plain.out, HasSubstr("A\r\x1b[J")) << "drawn over all the same";
  const Result empty = RunOnTerminal(Watch(), Environment({"TERM=xterm", "NO_COLOR="}), 80);
  EXPECT_THAT(empty.out, HasSubstr("\x1b[32m")) << "empty counts as not set";
}

TEST_F(ProgramTest, CompactDrawsInAFewLines) {
  ServeAJob(20);
  const auto drawn = [&](const std::vector<std::string>& more) {
    const Result result = RunOnTerminal(Watch(more), Environment({"TERM=xterm"}), 80);
    EXPECT_EQ(result.code, kKernelFailed) << result.out;
    std::smatch match;
    static const std::regex up("\x1b\\[([0-9]+)A");
    int lines = 0;
    if (!std::regex_search(result.out, match, up)) return 0;
    EXPECT_TRUE(absl::SimpleAtoi(match.str(1), &lines));
    return lines;
  };
  EXPECT_GT(drawn({}), 20);
  const int compact = drawn({"--compact"});
  EXPECT_GE(compact, 2);
  EXPECT_LE(compact, 5);
}

TEST_F(ProgramTest, IntoAPipeAndADumbTerminalGoNoControlCodes) {
  ServeAJob(2);
  const absl::StatusOr<CommandResult> piped = shakedown::RunCommand(
      {.argv = Watch(), .environment = Environment({"TERM=xterm"}), .limit = absl::Seconds(30)});
  ASSERT_TRUE(piped.ok()) << piped.status();
  EXPECT_EQ(piped->exit_code, kKernelFailed) << piped->output;
  const Result dumb = RunOnTerminal(Watch(), Environment({"TERM=dumb"}), 60);
  EXPECT_EQ(dumb.code, kKernelFailed) << dumb.out;
  for (const std::string& output : {piped->output, dumb.out}) {
    EXPECT_THAT(output, HasSubstr("17.1B debian-6.12: panicked: BUG: it fell"));
    EXPECT_THAT(output, HasSubstr(" end")) << "nothing is cut";
    for (const char c : output) {
      EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r')
          << static_cast<int>(c);
    }
  }
}

class BashTest : public ProgramTest {
 protected:
  // What bash is offered behind `line`, the cursor at `point` of it.
  std::vector<std::string> Offers(const std::string& line, size_t point = std::string::npos) {
    const std::string script = folder_ + "/completion.bash";
    EXPECT_TRUE(WriteFileAtomically(script, *CompletionScript("bash")).ok());
    const absl::StatusOr<CommandResult> result = shakedown::RunCommand(
        {.argv = {"bash", "--norc", "--noprofile", "-c",
                  "source \"$1\" && COMP_LINE=$2 COMP_POINT=$3 && _shakedown && "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"",
                  "bash", script, line, absl::StrCat(std::min(point, line.size()))},
         .environment = Environment({"PATH=" + BinFolder() + ":/usr/bin:/bin"}),
         .limit = absl::Seconds(30)});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_EQ(result->exit_code, 0) << result->output;
    std::vector<std::string> lines;
    std::istringstream text(result->output);
    for (std::string one; std::getline(text, one);) {
      if (!one.empty()) lines.push_back(one);
    }
    return lines;
  }
};

TEST_F(BashTest, CompletesCommandsOptionsAndWhatTheFarmHas) {
  service_.kernels.add_kernels()->set_name("debian-6.12");
  service_.kernels.add_kernels()->set_name("mine");
  v1::MachineView& machine = *service_.machines.add_machines();
  machine.set_name("vm1");
  machine.set_state("idle");
  EXPECT_THAT(Offers("shakedown expl"), ElementsAre("explain"));
  EXPECT_THAT(Offers("shakedown expl 17", 14), ElementsAre("explain")) << "at the cursor";
  EXPECT_THAT(Offers("shakedown completion "), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Offers("shakedown submit --base"), ElementsAre("--baseline"));
  EXPECT_THAT(Offers("shakedown submit --baseline d"), ElementsAre("debian-6.12"));
  EXPECT_THAT(Offers("shakedown nonsense "), IsEmpty());
}

// Bash cuts words at colons and replaces what is behind the last one.
TEST_F(BashTest, CompletesBehindAColon) {
  service_.kernels.add_kernels()->set_name("debian-6.12");
  service_.kernels.add_kernels()->set_name("mine");
  EXPECT_THAT(Offers("shakedown note k"), ElementsAre("kernel:debian-6.12", "kernel:mine"));
  EXPECT_THAT(Offers("shakedown note kernel:"), ElementsAre("debian-6.12", "mine"));
  EXPECT_THAT(Offers("shakedown note kernel:m"), ElementsAre("mine"));
}

}  // namespace
}  // namespace shakedown::cli
