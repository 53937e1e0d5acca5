#include "controller/cli/contexts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "controller/cli/exit_code.h"
#include "controller/cli/run.h"
#include "proto/wire/files.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class ContextsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/shakedown_contexts_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Environment Variables(std::map<std::string, std::string> variables = {}) {
    variables.emplace("XDG_CONFIG_HOME", folder_);
    return [variables](const std::string& name) {
      const auto it = variables.find(name);
      return it == variables.end() ? std::nullopt : std::optional<std::string>(it->second);
    };
  }

  // What the command prints; `code_` is its exit code.
  std::string Run(const std::vector<std::string>& arguments) {
    std::ostringstream out, err;
    Screen screen(out, err, {});
    FakeClock clock;
    Interrupt interrupt;
    code_ = cli::Run(arguments, screen, Variables(), clock, interrupt);
    return out.str() + err.str();
  }

  std::string Path() const { return folder_ + "/shakedown/config.txtpb"; }
  int Set(const std::string& name, const std::string& server) {
    Run({"contexts", "set", name, "--server", server, "--token-file", "/tokens/" + name});
    return code_;
  }

  std::string folder_;
  int code_ = -1;
};

TEST_F(ContextsTest, TheFirstIsTheCurrentOneUntilAnotherIsChosen) {
  EXPECT_EQ(Set("home", "127.0.0.1:7117"), kOk);
  EXPECT_EQ(Set("office", "https://farm.example:7117"), kOk);
  EXPECT_EQ(FindSettings({}, Variables())->server, "127.0.0.1:7117");
  EXPECT_EQ(FindSettings({.context = "office"}, Variables())->token_file, "/tokens/office");
  EXPECT_EQ(FindSettings({}, Variables({{"SHAKEDOWN_CONTEXT", "office"}}))->token_file,
            "/tokens/office");
  Run({"contexts", "use", "office"});
  EXPECT_EQ(FindSettings({}, Variables())->server, "https://farm.example:7117");
  EXPECT_EQ(FindSettings({.server = "localhost:1", .token_file = "/t"}, Variables())->server,
            "localhost:1");
  EXPECT_THAT(Run({"contexts"}), HasSubstr("*  office"));
}

TEST_F(ContextsTest, ReplacesAndRemoves) {
  Set("home", "127.0.0.1:1");
  Set("home", "127.0.0.1:2");
  EXPECT_EQ(ReadConfig(Path())->contexts_size(), 1);
  EXPECT_EQ(FindSettings({}, Variables())->server, "127.0.0.1:2");
  Run({"contexts", "remove", "home"});
  EXPECT_EQ(code_, kOk);
  EXPECT_EQ(ReadConfig(Path())->contexts_size(), 0);
  EXPECT_FALSE(FindSettings({}, Variables()).ok());
}

TEST_F(ContextsTest, RefusesWhatWouldNotWork) {
  EXPECT_NE(Set("Home!", "127.0.0.1:1"), kOk);
  EXPECT_NE(Set("far", "farm.example:1"), kOk);  // The token would cross the network in the clear.
  EXPECT_THAT(Run({"contexts", "use", "none"}), HasSubstr("context \"none\": want one of"));
  EXPECT_FALSE(std::filesystem::exists(Path()));
}

TEST_F(ContextsTest, ABadFileIsNamedWithItsLine) {
  std::filesystem::create_directories(folder_ + "/shakedown");
  ASSERT_TRUE(WriteFileAtomically(Path(), "current: 'a'\nserver: 'x'\n").ok());
  EXPECT_THAT(std::string(ReadConfig(Path()).status().message()), HasSubstr("config.txtpb:2:"));
  ASSERT_TRUE(WriteFileAtomically(Path(), "current: 'gone'\n").ok());
  EXPECT_THAT(std::string(ReadConfig(Path()).status().message()), HasSubstr("\"gone\""));
}

TEST_F(ContextsTest, SeveralWithoutACurrentOneAskForAChoice) {
  std::filesystem::create_directories(folder_ + "/shakedown");
  ASSERT_TRUE(WriteFileAtomically(Path(),
                                  "contexts { name: 'a' server: 'localhost:1' token_file: '/a' }\n"
                                  "contexts { name: 'b' server: 'localhost:2' token_file: '/b' }\n")
                  .ok());
  EXPECT_THAT(std::string(FindSettings({}, Variables()).status().message()),
              HasSubstr("--context NAME"));
}

}  // namespace
}  // namespace shakedown::cli
