#include "agent/build/modules_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "agent/build/hostile_files.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/tree_archive.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kRelease[] = "6.12.1-abc";

class PackModulesTest : public testing::Test {
 protected:
  PackModulesTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/packXXXXXX");
    folder_ = mkdtemp(pattern.data());
  }
  ~PackModulesTest() override { fs::remove_all(folder_); }

  // Below lib/modules/RELEASE of a root.
  void Write(const std::string& root, const std::string& path, const std::string& content) {
    const std::string whole =
        absl::StrCat(folder_, "/", root, "/lib/modules/", kRelease, "/", path);
    fs::create_directories(fs::path(whole).parent_path());
    std::ofstream(whole) << content;
  }
  std::string Top(const std::string& root) {
    return absl::StrCat(folder_, "/", root, "/lib/modules/", kRelease);
  }
  absl::Status Pack(const std::string& root, const std::string& out = "out") {
    return PackModules(absl::StrCat(folder_, "/", root), kRelease, absl::StrCat(folder_, "/", out));
  }
  // "PATH" or "PATH=CONTENT", as a laptop reads them.
  std::vector<std::string> Read(const std::string& out = "out") {
    struct Visitor : TreeVisitor {
      absl::Status Entry(const TreeEntry& entry) override {
        const bool file = entry.kind == TreeEntry::Kind::kFile;
        lines.push_back(absl::StrCat(entry.path, file ? "=" : "/"));
        EXPECT_EQ(entry.mtime_s, 0) << entry.path;
        EXPECT_TRUE(file || entry.kind == TreeEntry::Kind::kFolder) << entry.path;
        EXPECT_FALSE(file && entry.executable) << entry.path;
        return absl::OkStatus();
      }
      absl::Status Data(absl::string_view piece) override {
        absl::StrAppend(&lines.back(), piece);
        return absl::OkStatus();
      }
      std::vector<std::string> lines;
    } visitor;
    const auto shape = ReadTree(absl::StrCat(folder_, "/", out), {}, nullptr, &visitor);
    EXPECT_TRUE(shape.ok()) << shape.status();
    return visitor.lines;
  }
  std::string folder_;
};

TEST_F(PackModulesTest, FilesInOrderWithoutTheTree) {
  Write("r", "modules.dep", "kernel/fs/ext4/ext4.ko:\n");
  Write("r", "kernel/fs/ext4/ext4.ko", "ELF");
  Write("r", "empty", "");
  fs::create_symlink("/build/linux", Top("r") + "/build");
  fs::create_symlink("/build/linux", Top("r") + "/source");
  ASSERT_EQ(Pack("r"), absl::OkStatus());
  const std::string top = absl::StrCat("lib/modules/", kRelease);
  EXPECT_THAT(Read(), ElementsAre("lib/", "lib/modules/", top + "/",
                                  top + "/empty=", top + "/kernel/", top + "/kernel/fs/",
                                  top + "/kernel/fs/ext4/", top + "/kernel/fs/ext4/ext4.ko=ELF",
                                  top + "/modules.dep=kernel/fs/ext4/ext4.ko:\n"));
}

TEST_F(PackModulesTest, TheSameBytesForTheSameFiles) {
  for (const char* name : {"b.ko", "a.ko", "c/d.ko"}) Write("one", name, name);
  for (const char* name : {"c/d.ko", "a.ko", "b.ko"}) Write("two", name, name);
  chmod((Top("two") + "/a.ko").c_str(), 0700);
  fs::last_write_time(Top("two") + "/b.ko", fs::file_time_type::min() + std::chrono::hours(1));
  ASSERT_EQ(Pack("one", "1"), absl::OkStatus());
  ASSERT_EQ(Pack("two", "2"), absl::OkStatus());
  EXPECT_EQ(*Sha256File(folder_ + "/1"), *Sha256File(folder_ + "/2"));
  Write("two", "a.ko", "other");
  ASSERT_EQ(Pack("two", "3"), absl::OkStatus());
  EXPECT_NE(*Sha256File(folder_ + "/1"), *Sha256File(folder_ + "/3"));
}

TEST_F(PackModulesTest, HostileTreesAreRefused) {
  EXPECT_TRUE(absl::IsNotFound(Pack("none")));
  Write("link", "x.ko", "");
  fs::create_symlink("/etc/shadow", Top("link") + "/kernel.ko");
  EXPECT_TRUE(absl::IsInvalidArgument(Pack("link"))) << Pack("link");
  Write("folder", "x.ko", "");
  fs::create_symlink("/etc", Top("folder") + "/kernel");
  EXPECT_TRUE(absl::IsInvalidArgument(Pack("folder"))) << Pack("folder");
  Write("pipe", "x.ko", "");
  ASSERT_EQ(mkfifo((Top("pipe") + "/fifo").c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(Pack("pipe"))) << Pack("pipe");
  fs::create_directories(folder_ + "/up/lib/modules");
  fs::create_symlink("/lib", Top("up"));
  EXPECT_TRUE(absl::IsInvalidArgument(Pack("up"))) << Pack("up");
  EXPECT_TRUE(absl::IsInvalidArgument(PackModules(folder_, "../..", folder_ + "/out")));
}

TEST_F(PackModulesTest, TooManyLevelsOrEntries) {
  std::string deep = "a";
  for (int i = 0; i < 40; ++i) absl::StrAppend(&deep, "/a");
  Write("deep", deep, "");
  EXPECT_TRUE(absl::IsOutOfRange(Pack("deep"))) << Pack("deep");
  for (int i = 0; i < 10; ++i) Write("many", absl::StrCat(i), "");
  EXPECT_TRUE(absl::IsOutOfRange(ListBeneath(folder_ + "/many", "lib/modules", 9, {}).status()));
}

TEST_F(PackModulesTest, AFullDiskIsSaid) {
  Write("r", "x.ko", std::string(1 << 20, 'x'));
  const absl::Status full = PackModules(folder_ + "/r", kRelease, "/dev/full");
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("/dev/full"));
}

}  // namespace
}  // namespace shakedown::agent
