#include "controller/web/session.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "proto/wire/files.h"

namespace shakedown::web {
namespace {

constexpr char kToken[] = "sd_user_0123456789 with a blank";

TEST(SessionTest, ATokenComesBackUntilTheEnd) {
  FakeClock clock;
  Sessions sessions(DrawSessionKey(), clock);
  const std::string cookie = sessions.Begin(kToken);
  EXPECT_EQ(cookie.find("sd_user"), std::string::npos);
  EXPECT_EQ(
      cookie.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos);
  EXPECT_NE(cookie, sessions.Begin(kToken));
  EXPECT_EQ(sessions.Find(cookie).value_or("?"), kToken);
  clock.Advance(kSessionLength - absl::Seconds(1));
  EXPECT_TRUE(sessions.Find(cookie).ok());
  clock.Advance(absl::Seconds(1));
  EXPECT_TRUE(absl::IsUnauthenticated(sessions.Find(cookie).status()));
}

TEST(SessionTest, SigningOutEndsThisSessionOnly) {
  FakeClock clock;
  Sessions sessions(DrawSessionKey(), clock);
  const std::string mine = sessions.Begin(kToken), other = sessions.Begin(kToken);
  sessions.End(mine);
  EXPECT_TRUE(absl::IsUnauthenticated(sessions.Find(mine).status()));
  EXPECT_TRUE(sessions.Find(other).ok());
}

TEST(SessionTest, AControllerWithTheSameKeyKnowsIt) {
  FakeClock clock;
  const std::string key = DrawSessionKey();
  const std::string cookie = Sessions(key, clock).Begin(kToken);
  EXPECT_TRUE(Sessions(key, clock).Find(cookie).ok());
  EXPECT_FALSE(Sessions(DrawSessionKey(), clock).Find(cookie).ok());
}

TEST(SessionTest, EveryChangedByteIsNoticed) {
  FakeClock clock;
  Sessions sessions(DrawSessionKey(), clock);
  const std::string cookie = sessions.Begin(kToken);
  // Not the last character: some of its bits are padding.
  for (size_t i = 0; i + 1 < cookie.size(); ++i) {
    std::string bad = cookie;
    bad[i] = bad[i] == 'A' ? 'B' : 'A';
    EXPECT_TRUE(absl::IsUnauthenticated(sessions.Find(bad).status())) << i;
  }
  for (const std::string& bad : {std::string(), std::string("x"), std::string(100000, 'A'),
                                 cookie + cookie, cookie.substr(1)}) {
    EXPECT_TRUE(absl::IsUnauthenticated(sessions.Find(bad).status()));
  }
}

TEST(SessionTest, TheKeyIsKeptInAFileForTheOwnerOnly) {
  char folder[] = "/tmp/shakedown-session-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/key";
  const auto key = ReadOrMakeSessionKey(path);
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(ReadOrMakeSessionKey(path).value_or("?"), *key);
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_TRUE(WriteFileAtomically(path, "short").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(ReadOrMakeSessionKey(path).status()));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shakedown::web
