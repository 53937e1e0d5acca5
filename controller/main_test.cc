// shakedown-controller as a process: what it prints, its exit codes, how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "db/embedded/ephemeral_postgres.h"
#include "proto/wire/files.h"
#include "proto/wire/subprocess.h"

namespace shakedown {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() {
    char name[] = "/tmp/shakedown-controller-test-XXXXXX";
    folder_ = mkdtemp(name);
    postgres_ = *embedded::EphemeralPostgres::Start();
    const char* source = std::getenv("SHAKEDOWN_SOURCE_DIR");
    const char* bin = std::getenv("SHAKEDOWN_BIN_DIR");
    catalog_ = absl::StrCat(source == nullptr ? "." : source, "/kernels");
    program_ = absl::StrCat(bin == nullptr ? "build/bin" : bin, "/shakedown-controller");
  }
  ~ControllerTest() override { std::filesystem::remove_all(folder_); }

  // `on_output` is called with all of the output so far; true sends SIGTERM (and SIGKILL 2 s
  // later).
  CommandResult Run(std::vector<std::string> arguments,
                    std::function<bool(const std::string&)> on_output = nullptr) {
    arguments.insert(arguments.begin(), program_);
    std::atomic<bool> end = false;
    std::string output;
    const absl::StatusOr<CommandResult> result =
        RunCommand({.argv = std::move(arguments),
                    .limit = absl::Seconds(60),
                    .cancel = &end,
                    .output = [&](absl::string_view piece) {
                      absl::StrAppend(&output, piece);
                      if (on_output && on_output(output)) end = true;
                    }});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(CommandResult{.exit_code = -1});
  }
  std::vector<std::string> Serve(const std::string& listen) const {
    return {"serve",
            "--database",
            postgres_->conninfo(),
            "--artefacts",
            folder_ + "/artefacts",
            "--catalog",
            catalog_,
            "--listen",
            listen};
  }
  std::vector<std::string> Token(const std::string& name, const std::string& file) const {
    return {"token",  "create", "--database", postgres_->conninfo(), "--role", "user",
            "--name", name,     "--out",      folder_ + "/" + file};
  }

  std::string folder_, catalog_, program_;
  std::unique_ptr<embedded::EphemeralPostgres> postgres_;
};

void ExpectOneLine(const CommandResult& result, int exit_code, const std::string& says) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_THAT(result.output, HasSubstr(says));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
}

TEST_F(ControllerTest, ATokenIsInItsFileAndNowhereElse) {
  const CommandResult result = Run(Token("ada", "ada"));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  const std::string token = ReadFile(folder_ + "/ada").value();
  EXPECT_GT(token.size(), 32u);
  EXPECT_THAT(result.output, Not(HasSubstr(token.substr(0, token.size() - 1))));
  struct stat info;
  ASSERT_EQ(stat((folder_ + "/ada").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ExpectOneLine(Run(Token("ada", "ada")), 1, "ada: File exists");
  EXPECT_EQ(ReadFile(folder_ + "/ada").value(), token) << "kept as it was";
  ExpectOneLine(Run(Token("a b", "b")), 64, "token name \"a b\"");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/b"));
}

TEST_F(ControllerTest, RefusalsAreOneLine) {
  ExpectOneLine(Run({}), 64, "subcommand");
  ExpectOneLine(Run({"serve"}), 64, "--");
  ExpectOneLine(Run({"dance"}), 64, "subcommand");
  ExpectOneLine(Run(Serve("0.0.0.0:7117")), 64, "--listen \"0.0.0.0:7117\": would send tokens");
  ExpectOneLine(Run(Serve("nonsense")), 64, "--listen \"nonsense\"");
  std::vector<std::string> half = Serve("127.0.0.1:0");
  half.insert(half.end(), {"--tls-cert", "/x"});
  ExpectOneLine(Run(half), 64, "--tls-cert and --tls-key: want both");
  catalog_ = "/nonexistent";
  const CommandResult result = Run(Serve("127.0.0.1:0"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("shakedown-controller: /nonexistent/catalog"));
}

bool Serves(const std::string& output) { return absl::StrContains(output, "serves on"); }

TEST_F(ControllerTest, SigtermEndsItCleanly) {
  const CommandResult result = Run(Serve("127.0.0.1:0"), Serves);
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("stops"));
}

TEST_F(ControllerTest, ThePageIsServedBesideTheService) {
  std::vector<std::string> command = Serve("127.0.0.1:0");
  command.insert(command.end(), {"--http", "127.0.0.1:0", "--dashboard", folder_ + "/nowhere",
                                 "--session-key", folder_ + "/key"});
  const CommandResult result = Run(command, Serves);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("page on http://127.0.0.1:0 (port "));
  EXPECT_THAT(result.output, HasSubstr("no index.html there"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/key"));
  std::vector<std::string> open = Serve("127.0.0.1:0");
  open.insert(open.end(), {"--http", "0.0.0.0:0"});
  ExpectOneLine(Run(open), 64, "--http \"0.0.0.0:0\": would send tokens");
}

TEST_F(ControllerTest, SigtermEndsItWithoutADatabaseToo) {
  const CommandResult result = Run(Serve("127.0.0.1:0"), [&](const std::string& output) {
    if (Serves(output)) {
      EXPECT_TRUE(postgres_->StopServer(false).ok());
    }
    return Serves(output);
  });
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_F(ControllerTest, WaitsForADatabaseThatIsNotThereYet) {
  ASSERT_TRUE(postgres_->StopServer().ok());
  bool started = false;
  const CommandResult result = Run(Serve("127.0.0.1:0"), [&](const std::string& output) {
    if (!started && absl::StrContains(output, "trying again every second")) {
      started = true;
      EXPECT_TRUE(postgres_->StartServer().ok());
    }
    return Serves(output);
  });
  EXPECT_TRUE(started);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_TRUE(Serves(result.output)) << result.output;
}

TEST_F(ControllerTest, SigtermEndsTheWaitForADatabase) {
  ASSERT_TRUE(postgres_->StopServer().ok());
  const CommandResult result = Run(Serve("127.0.0.1:0"), [](const std::string& output) {
    return absl::StrContains(output, "trying again every second");
  });
  EXPECT_TRUE(result.cancelled);
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace
}  // namespace shakedown
