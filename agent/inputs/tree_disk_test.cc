#include "agent/inputs/tree_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

class TreeDiskTest : public testing::Test {
 protected:
  TreeDiskTest() {
    char name[] = "/tmp/shakedown-disk-test-XXXXXX";
    folder_ = mkdtemp(name);
    tree_.folder = folder_ + "/tree";
    fs::create_directory(tree_.folder);
    ++tree_.inodes;
    ++tree_.blocks;
  }
  ~TreeDiskTest() override { fs::remove_all(folder_); }

  void Put(const std::string& name, const std::string& content) {
    std::ofstream(absl::StrCat(tree_.folder, "/", name)) << content;
    ++tree_.inodes;
    tree_.blocks += (content.size() + 4095) / 4096;
  }
  std::string Run(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    const absl::StatusOr<std::string> output = RunForOutput(command);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.value_or("");
  }

  std::string folder_;
  UnpackedTree tree_;
  const std::string digest_ = Sha256Hex("an archive");
};

TEST_F(TreeDiskTest, HoldsTheTreeInASoundFileSystem) {
  const std::string image = folder_ + "/a.img";
  Put("Makefile", "all:\n");
  fs::create_symlink("Makefile", tree_.folder + "/m");
  ++tree_.inodes;
  ASSERT_EQ(MakeTreeDisk(tree_, digest_, image, nullptr), absl::OkStatus());
  EXPECT_THAT(Run({"e2fsck", "-f", "-n", image}), testing::HasSubstr("files"));
  EXPECT_THAT(Run({"debugfs", "-R", "cat /Makefile", image}), testing::HasSubstr("all:\n"));
  EXPECT_THAT(Run({"debugfs", "-R", "stat /m", image}), testing::HasSubstr("Fast link dest"));
  EXPECT_THAT(Run({"dumpe2fs", "-h", image}),
              testing::HasSubstr(absl::StrCat("UUID:          ", digest_.substr(0, 8), "-")));
}

TEST_F(TreeDiskTest, ThousandsOfFilesFit) {
  for (int i = 0; i < 3000; ++i) Put(absl::StrCat("a-rather-long-file-name-", i), "x");
  Put("large", std::string(40 << 20, 'x'));
  tree_.blocks += 3001 * 48 / 4096 * 2;
  ASSERT_EQ(MakeTreeDisk(tree_, digest_, folder_ + "/a.img", nullptr), absl::OkStatus());
  Run({"e2fsck", "-f", "-n", folder_ + "/a.img"});
  // No more room than is needed, roughly.
  EXPECT_LT(fs::file_size(folder_ + "/a.img"), (40u + 12 + 12) << 20);
}

TEST_F(TreeDiskTest, ATreeThatDoesNotFitIsAnError) {
  Put("large", std::string(40 << 20, 'x'));
  tree_.blocks = 10;
  EXPECT_FALSE(MakeTreeDisk(tree_, digest_, folder_ + "/a.img", nullptr).ok());
}

TEST_F(TreeDiskTest, WantsADigest) {
  EXPECT_TRUE(absl::IsInvalidArgument(MakeTreeDisk(tree_, "-d /", folder_ + "/a.img", nullptr)));
}

TEST_F(TreeDiskTest, EndsWhenCancelled) {
  const std::atomic<bool> cancel = true;
  Put("large", std::string(40 << 20, 'x'));
  EXPECT_TRUE(absl::IsCancelled(MakeTreeDisk(tree_, digest_, folder_ + "/a.img", &cancel)));
}

}  // namespace
}  // namespace shakedown::agent
