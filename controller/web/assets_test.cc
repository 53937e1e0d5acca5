#include "controller/web/assets.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "proto/wire/files.h"

namespace shakedown::web {
namespace {

class AssetsTest : public testing::Test {
 protected:
  AssetsTest() {
    char name[] = "/tmp/shakedown-assets-test-XXXXXX";
    folder_ = mkdtemp(name);
    std::filesystem::create_directories(folder_ + "/page/assets");
    Write("page/index.html", "<!doctype html>");
    Write("page/assets/main-1234.js", "1;");
    Write("page/assets/notes.xyz", "unknown kind");
    Write("secret.txt", "secret");
    std::filesystem::create_symlink(folder_ + "/secret.txt", folder_ + "/page/link.txt");
  }
  ~AssetsTest() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/" + name, text).ok());
  }
  std::string folder_;
};

TEST_F(AssetsTest, FilesAreFoundByTheirPath) {
  const auto assets = Assets::Load(folder_ + "/page");
  ASSERT_TRUE(assets.ok()) << assets.status();
  const Asset* script = assets->Find("/assets/main-1234.js");
  ASSERT_NE(script, nullptr);
  EXPECT_EQ(script->body, "1;");
  EXPECT_EQ(script->content_type, "text/javascript; charset=utf-8");
  EXPECT_TRUE(script->immutable);
  const Asset* index = assets->Find("/index.html");
  ASSERT_NE(index, nullptr);
  EXPECT_FALSE(index->immutable);
  EXPECT_NE(index->etag, script->etag);
  for (const char* page : {"/", "/jobs", "/jobs/17", "/logs/17.1B", "/logs/17.1B.2", "/boots/17.1B",
                           "/kernels/debian-6.12"}) {
    EXPECT_EQ(assets->Find(page), index) << page;
  }
}

TEST_F(AssetsTest, NothingElseIsServed) {
  const auto assets = Assets::Load(folder_ + "/page");
  for (const char* path : {"/assets/gone.js", "/assets/x", "/assets/notes.xyz", "/link.txt",
                           "/../secret.txt", "/favicon.ico", "/etc/passwd.txt", ""}) {
    const Asset* found = assets->Find(path);
    EXPECT_TRUE(found == nullptr || found == assets->Find("/index.html")) << path;
    if (found != nullptr) {
      EXPECT_EQ(found->body, "<!doctype html>");
    }
  }
  EXPECT_EQ(assets->Find("/link.txt"), nullptr);
  EXPECT_EQ(assets->Find("/assets/notes.xyz"), nullptr);
  EXPECT_EQ(Assets().Find("/"), nullptr);
}

TEST_F(AssetsTest, AFolderWithoutThePageIsRefused) {
  EXPECT_TRUE(absl::IsNotFound(Assets::Load(folder_).status()));
  EXPECT_TRUE(absl::IsNotFound(Assets::Load(folder_ + "/nowhere").status()));
  Write("page/big.txt", std::string((32 << 20) + 1, 'x'));
  EXPECT_TRUE(absl::IsOutOfRange(Assets::Load(folder_ + "/page").status()));
}

}  // namespace
}  // namespace shakedown::web
