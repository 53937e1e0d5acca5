#include "proto/wire/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "proto/wire/files.h"

namespace shakedown {
namespace {

class KeyFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/key-" + std::to_string(getpid());
    unlink(path_.c_str());
  }
  void TearDown() override { unlink(path_.c_str()); }
  std::string path_;
};

TEST_F(KeyFileTest, WrittenOnceForItsOwnerAlone) {
  const SigningKey key = *NewSigningKey();
  ASSERT_EQ(WriteSigningKey(path_, key), absl::OkStatus());
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const absl::StatusOr<SigningKey> read = ReadSigningKey(path_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->public_key, key.public_key);
  EXPECT_TRUE(absl::IsAlreadyExists(WriteSigningKey(path_, *NewSigningKey())));
  EXPECT_EQ(ReadSigningKey(path_)->public_key, key.public_key);
}

TEST_F(KeyFileTest, RefusesWhatOthersMayReadAndNeverTellsIt) {
  const SigningKey key = *NewSigningKey();
  ASSERT_EQ(WriteSigningKey(path_, key), absl::OkStatus());
  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(ReadSigningKey(path_).status()));
  ASSERT_EQ(WriteFileAtomically(path_, key.secret.substr(1), 0600), absl::OkStatus());
  const absl::Status bad = ReadSigningKey(path_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(bad)) << bad;
  EXPECT_FALSE(absl::StrContains(bad.message(), key.secret.substr(1))) << bad;
  EXPECT_TRUE(absl::IsNotFound(ReadSigningKey(path_ + "-none").status()));
}

}  // namespace
}  // namespace shakedown
