#include "controller/cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "proto/wire/files.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;

struct ServerCase {
  const char* name;
  const char* server;
  bool ca;
  const char* target;  // Null: refused.
  bool tls;
};
class ServerTest : public testing::TestWithParam<ServerCase> {};
TEST_P(ServerTest, TakesOnlyWhatIsSafe) {
  const ServerCase& c = GetParam();
  const absl::StatusOr<Endpoint> endpoint = ParseServer(c.server, c.ca);
  if (c.target == nullptr) {
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->target, c.target);
  EXPECT_EQ(endpoint->tls, c.tls);
}
INSTANTIATE_TEST_SUITE_P(
    , ServerTest,
    testing::ValuesIn<ServerCase>({
        {"Loopback", "127.0.0.1:7117", false, "127.0.0.1:7117", false},
        {"OtherLoopback", "127.8.9.1:80", false, "127.8.9.1:80", false},
        {"LoopbackWithHttp", "http://localhost:7117/", false, "localhost:7117", false},
        {"LoopbackV6", "[::1]:7117", false, "[::1]:7117", false},
        {"Unix", "unix:/run/farm.sock", false, "unix:/run/farm.sock", false},
        {"Https", "https://farm.example:443", false, "farm.example:443", true},
        {"OwnCa", "farm.example:7117", true, "farm.example:7117", true},
        {"ClearOverNetwork", "farm.example:7117", false, nullptr, false},
        {"ClearOverNetworkHttp", "http://192.168.1.4:7117", false, nullptr, false},
        {"NotLoopbackAfterAll", "127.0.0.1.example:80", false, nullptr, false},
        {"NotLoopbackV4", "127.0.0.999:80", false, nullptr, false},
        {"NoPort", "localhost", false, nullptr, false},
        {"PortZero", "localhost:0", false, nullptr, false},
        {"PortTooLarge", "localhost:65536", false, nullptr, false},
        {"PortIsAWord", "localhost:http", false, nullptr, false},
        {"Empty", "", false, nullptr, false},
        {"Path", "https://farm.example:443/api", false, nullptr, false},
        {"OtherScheme", "dns:///localhost:1", false, nullptr, false},
        {"Blank", "local host:1", false, nullptr, false},
        {"RelativeUnix", "unix:farm.sock", false, nullptr, false},
    }),
    [](const auto& test) { return test.param.name; });

class FilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/shakedown_settings_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& content, mode_t mode = 0600) {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(WriteFileAtomically(path, content, mode).ok());
    chmod(path.c_str(), mode);
    return path;
  }

  Environment Variables(std::map<std::string, std::string> variables) {
    variables.emplace("XDG_CONFIG_HOME", folder_);
    return [variables](const std::string& name) {
      const auto it = variables.find(name);
      return it == variables.end() ? std::nullopt : std::optional<std::string>(it->second);
    };
  }

  std::string folder_;
};

TEST_F(FilesTest, FlagsWinOverVariablesOverFile) {
  Write("shakedown/config.txtpb",
        "contexts { name: 'home' server: 'localhost:1' token_file: '/file' tls_ca: '/ca' }");
  const absl::StatusOr<ConnectionFlags> found = FindSettings(
      {.server = "flag:1"},
      Variables({{"SHAKEDOWN_SERVER", "variable:1"}, {"SHAKEDOWN_TOKEN_FILE", "/variable"}}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->server, "flag:1");
  EXPECT_EQ(found->token_file, "/variable");
  EXPECT_EQ(found->tls_ca, "") << "of another farm";
  EXPECT_EQ(FindSettings({}, Variables({}))->tls_ca, "/ca");
}

TEST_F(FilesTest, AContextsTokenGoesToNoOtherFarm) {
  Write("shakedown/config.txtpb",
        "contexts { name: 'home' server: 'localhost:1' token_file: '/file' }");
  EXPECT_EQ(FindSettings({.server = "localhost:1"}, Variables({}))->token_file, "/file");
  EXPECT_THAT(
      std::string(FindSettings({.server = "https://other:1"}, Variables({})).status().message()),
      HasSubstr("no token is known"));
}

TEST_F(FilesTest, SaysWhereASettingCanBeGiven) {
  const absl::Status none = FindSettings({}, Variables({})).status();
  EXPECT_THAT(std::string(none.message()), HasSubstr("--server"));
  EXPECT_THAT(std::string(none.message()), HasSubstr(folder_ + "/shakedown/config.txtpb"));
  const absl::Status no_token = FindSettings({.server = "a:1"}, Variables({})).status();
  EXPECT_THAT(std::string(no_token.message()), HasSubstr("--token-file"));
}

TEST_F(FilesTest, ReadsAToken) {
  const absl::StatusOr<std::string> token = ReadToken(Write("token", "sd_abc123\n"));
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(*token, "sd_abc123");
}

TEST_F(FilesTest, RefusesATokenThatOthersCanRead) {
  for (const mode_t mode : {0644, 0640, 0604, 0660}) {
    const absl::Status status = ReadToken(Write("token", "sd_abc123\n", mode)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << mode;
    EXPECT_THAT(std::string(status.message()), HasSubstr("chmod 600"));
  }
}

TEST_F(FilesTest, RefusesWhatIsNoToken) {
  EXPECT_FALSE(ReadToken(Write("empty", "\n")).ok());
  EXPECT_FALSE(ReadToken(Write("two", "one two\n")).ok());
  EXPECT_FALSE(ReadToken(Write("control", "one\x01two\n")).ok());
  EXPECT_FALSE(ReadToken(Write("long", std::string(5000, 'x'))).ok());
  EXPECT_FALSE(ReadToken(folder_).ok());
  EXPECT_EQ(ReadToken(folder_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace shakedown::cli
