#include "agent/inputs/unpack_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

#include "proto/wire/files.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

class UnpackTreeTest : public testing::Test {
 protected:
  UnpackTreeTest() {
    char name[] = "/tmp/shakedown-unpack-test-XXXXXX";
    folder_ = mkdtemp(name);
    fs::create_directory(folder_ + "/tree");
  }
  ~UnpackTreeTest() override { fs::remove_all(folder_); }

  absl::StatusOr<UnpackedTree> Unpack(const std::vector<fakes::TarItem>& items) {
    fakes::WriteTar(folder_ + "/x.tar.xz", items, "xz");
    return UnpackTree(folder_ + "/x.tar.xz", folder_ + "/tree", {}, nullptr);
  }
  struct stat Stat(const std::string& path) {
    struct stat info = {};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info;
  }

  std::string folder_;
};

TEST_F(UnpackTreeTest, TheTopFolderIsTheTree) {
  const auto tree = Unpack({{'5', "linux-6.12", ""},
                            {'0', "linux-6.12/Makefile", "all:\n", 04777},
                            {'0', "linux-6.12/a/fair.c", std::string(5000, 'x'), 0600},
                            {'2', "linux-6.12/a/m", "../Makefile"},
                            {'1', "linux-6.12/again.c", "linux-6.12/a/fair.c"}});
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->folder, folder_ + "/tree/linux-6.12");
  EXPECT_EQ(*ReadFile(tree->folder + "/Makefile"), "all:\n");
  EXPECT_EQ(*ReadFile(tree->folder + "/a/m"), "all:\n");
  EXPECT_EQ(ReadFile(tree->folder + "/again.c")->size(), 5000u);
  EXPECT_EQ(Stat(tree->folder + "/again.c").st_nlink, 2u);
  EXPECT_EQ(Stat(tree->folder + "/Makefile").st_mode, S_IFREG | 0755u);  // No set-user-id bit.
  EXPECT_EQ(Stat(tree->folder + "/a/fair.c").st_mode, S_IFREG | 0644u);
  EXPECT_EQ(Stat(tree->folder + "/a/fair.c").st_mtime, 1'700'000'000);
  EXPECT_EQ(Stat(tree->folder).st_mtime, 1'700'000'000);
  EXPECT_EQ(tree->inodes, 5u);  // Two folders, two files, a link.
  EXPECT_GE(tree->blocks, 2u + 1 + 2);
}

TEST_F(UnpackTreeTest, WithoutATopFolderItIsAllOfIt) {
  const auto tree = Unpack({{'0', "a", "1"}, {'0', "b", "2"}});
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->folder, folder_ + "/tree");
}

TEST_F(UnpackTreeTest, NothingIsWrittenThroughALink) {
  fs::create_directory(folder_ + "/outside");
  for (const std::string& target : {folder_ + "/outside", std::string("../outside")}) {
    const absl::Status status = Unpack({{'2', "way", target}, {'0', "way/in", "evil"}}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_TRUE(fs::is_empty(folder_ + "/outside"));
    fs::remove_all(folder_ + "/tree");
    fs::create_directory(folder_ + "/tree");
  }
}

}  // namespace
}  // namespace shakedown::agent
