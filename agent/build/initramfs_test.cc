#include "agent/build/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "agent/build/hostile_files.h"
#include "proto/wire/files.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kDep[] =
    "kernel/fs/ext4/ext4.ko: kernel/lib/crc16.ko kernel/fs/mbcache.ko kernel/fs/jbd2/jbd2.ko\n"
    "kernel/lib/crc16.ko:\n"
    "kernel/fs/mbcache.ko:\n"
    "kernel/fs/jbd2/jbd2.ko:\n"
    "kernel/drivers/virtio/virtio-pci.ko.xz: kernel/drivers/virtio/virtio_ring.ko.xz\n"
    "kernel/drivers/virtio/virtio_ring.ko.xz:\n"
    "kernel/drivers/block/virtio_blk.ko: kernel/drivers/virtio/virtio_ring.ko.xz\n"
    "kernel/drivers/watchdog/i6300esb.ko:\n";

TEST(LoadOrderTest, EachComesAfterWhatItNeeds) {
  auto dependencies = ParseModulesDep(kDep);
  ASSERT_TRUE(dependencies.ok()) << dependencies.status();
  absl::StatusOr<std::vector<std::string>> order =
      LoadOrder(*dependencies, {"virtio_console"}, GuestModules());
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_THAT(
      *order,
      ElementsAre("kernel/drivers/watchdog/i6300esb.ko", "kernel/drivers/virtio/virtio_ring.ko.xz",
                  "kernel/drivers/virtio/virtio-pci.ko.xz", "kernel/drivers/block/virtio_blk.ko",
                  "kernel/lib/crc16.ko", "kernel/fs/mbcache.ko", "kernel/fs/jbd2/jbd2.ko",
                  "kernel/fs/ext4/ext4.ko"));
}

TEST(LoadOrderTest, ANeededModuleThatIsNowhereIsNamed) {
  absl::Status status = LoadOrder(*ParseModulesDep(kDep), {}, GuestModules()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("module virtio_console"));
}

TEST(LoadOrderTest, AllBuiltInNeedsNothing) {
  absl::StatusOr<std::vector<std::string>> order =
      LoadOrder({}, {"virtio_pci", "virtio_blk", "virtio_console", "ext4"}, GuestModules());
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_THAT(*order, IsEmpty());
}

TEST(LoadOrderTest, ACircleIsAnError) {
  auto circle = ParseModulesDep("a/ext4.ko: a/b.ko\na/b.ko: a/ext4.ko\n");
  ASSERT_TRUE(circle.ok());
  EXPECT_THAT(std::string(LoadOrder(*circle, {}, {{"ext4"}, {}}).status().message()),
              HasSubstr("needs itself"));
}

TEST(ParseModulesDepTest, NoPathLeavesTheFolder) {
  EXPECT_FALSE(ParseModulesDep("/etc/shadow:\n").ok());
  EXPECT_FALSE(ParseModulesDep("a.ko: ../../etc/shadow\n").ok());
  EXPECT_FALSE(ParseModulesDep("nonsense\n").ok());
}

struct Entry {
  uint32_t mode;
  std::string content;
};

// Read by libarchive: another's idea of the format than the writer's.
std::map<std::string, Entry> Entries(const std::string& bytes) {
  archive* reader = archive_read_new();
  archive_read_support_format_cpio(reader);
  EXPECT_EQ(archive_read_open_memory(reader, bytes.data(), bytes.size()), ARCHIVE_OK);
  std::map<std::string, Entry> entries;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    std::string content(archive_entry_size(entry), '\0');
    archive_read_data(reader, content.data(), content.size());
    entries[archive_entry_pathname(entry)] = {archive_entry_mode(entry), content};
  }
  archive_read_free(reader);
  return entries;
}

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/initramfsXXXXXX");
    folder_ = mkdtemp(pattern.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& path, const std::string& content) {
    const std::string file = absl::StrCat(folder_, "/", path);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    ASSERT_TRUE(WriteFileAtomically(file, content).ok());
  }
  std::string Tool(const std::vector<std::string>& argv, const std::string& input) {
    Command command;
    command.argv = argv;
    command.input = input;
    command.folder = folder_;
    command.limit = absl::Seconds(30);
    absl::StatusOr<std::string> output = RunForOutput(command);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? *output : "";
  }
  std::string folder_;
};

TEST_F(FolderTest, BuildInitramfsGivesAnArchiveThatCpioReads) {
  Write("m/modules.dep",
        "k/virtio_blk.ko.gz: k/virtio.ko\nk/virtio.ko:\nk/ext4.ko: k/crc16.ko\nk/crc16.ko:\n");
  Write("m/modules.builtin", "kernel/drivers/virtio/virtio_pci.ko\nkernel/x/virtio_console.ko\n");
  Write("m/k/virtio_blk.ko", "block");
  Write("m/k/virtio.ko", "virtio");
  Write("m/k/ext4.ko", "ext4");
  Write("m/k/crc16.ko", "crc");
  Tool({"gzip", "m/k/virtio_blk.ko"}, "");
  Write("runner", "#!runner");
  absl::StatusOr<std::string> archive = BuildInitramfs(folder_ + "/m", folder_ + "/runner");
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ(*archive, *BuildInitramfs(folder_ + "/m", folder_ + "/runner"));
  const std::map<std::string, Entry> entries = Entries(*archive);
  EXPECT_EQ(entries.at("init").content, "#!runner");
  EXPECT_EQ(entries.at("init").mode, S_IFREG | 0755u);
  EXPECT_EQ(entries.at("modules").mode, S_IFDIR | 0755u);
  EXPECT_EQ(entries.at("dev/console").mode, S_IFCHR | 0600u);
  EXPECT_EQ(entries.at("modules/load.txt").content,
            "virtio.ko\nvirtio_blk.ko\ncrc16.ko\next4.ko\n");
  EXPECT_EQ(entries.at("modules/virtio_blk.ko").content, "block");
}

TEST_F(FolderTest, ReadBeneathFollowsNothing) {
  Write("inside/file", "content");
  Write("secret", "secret");
  ASSERT_EQ(symlink("../secret", (folder_ + "/inside/link").c_str()), 0);
  ASSERT_EQ(symlink("/", (folder_ + "/inside/root").c_str()), 0);
  ASSERT_EQ(mkfifo((folder_ + "/inside/pipe").c_str(), 0600), 0);
  const std::string inside = folder_ + "/inside";
  EXPECT_EQ(*ReadBeneath(inside, "file", 7), "content");
  EXPECT_EQ(ReadBeneath(inside, "file", 6).status().code(), absl::StatusCode::kOutOfRange);
  for (const char* path : {"link", "root/etc/passwd", "../secret", "/etc/passwd", "pipe", "."}) {
    EXPECT_EQ(ReadBeneath(inside, path, 1000).status().code(), absl::StatusCode::kInvalidArgument)
        << path;
  }
  EXPECT_EQ(ReadBeneath(inside, "none", 7).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(FolderTest, DecompressKnowsTheUsualKindsAndItsLimit) {
  const std::string text(100000, 'k');
  for (const char* tool : {"gzip", "bzip2", "xz"}) {
    const std::string packed = Tool({tool, "-c"}, text);
    EXPECT_EQ(*Decompress(packed, text.size()), text) << tool;
    EXPECT_EQ(Decompress(packed, 1000).status().code(), absl::StatusCode::kOutOfRange) << tool;
    EXPECT_FALSE(Decompress(packed.substr(0, packed.size() / 2), text.size()).ok()) << tool;
  }
  EXPECT_EQ(*Decompress("plain", 5), "plain");
  EXPECT_EQ(*Decompress("", 5), "");
}

}  // namespace
}  // namespace shakedown::agent
