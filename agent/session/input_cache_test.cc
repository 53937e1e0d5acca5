#include "agent/session/input_cache.h"

#include <atomic>

#include "agent/session/farm_test_base.h"
#include "proto/wire/files.h"
#include "proto/wire/subprocess.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

class InputCacheTest : public FarmTestBase {
 protected:
  v1::Input OnFarmAs(const std::string& name, const std::vector<fakes::TarItem>& items) {
    const std::string path = folder_ + "/new.tar";
    fakes::WriteTar(path, items, "zstd");
    v1::Input input;
    input.set_name(name);
    *input.mutable_archive() = OnFarm(*ReadFile(path));
    return input;
  }
  std::unique_ptr<InputCache> OpenInputs(uint64_t limit = uint64_t{1} << 30) {
    if (archives_ == nullptr) archives_ = OpenCache(64 << 20);
    auto inputs =
        MakeInputCache({.folder = folder_ + "/inputs", .limit = limit}, *archives_, *client_);
    EXPECT_TRUE(inputs.ok()) << inputs.status();
    return *std::move(inputs);
  }
  int Fetches(const v1::Input& input) {
    return Ask([&](const fakes::FarmBook& book) {
      const auto found = book.fetches.find(input.archive().sha256());
      return found == book.fetches.end() ? 0 : found->second;
    });
  }
  std::string FileOf(const std::string& disk, const std::string& path) {
    Command command;
    command.argv = {"debugfs", "-R", "cat " + path, disk};
    return RunForOutput(command).value_or("");
  }
  size_t Disks() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(folder_ + "/inputs/disks")) {
      ++count;
    }
    return count;
  }

  std::unique_ptr<ArtefactCache> archives_;
};

TEST_F(InputCacheTest, UnpacksOnceAndKeepsOverRestarts) {
  const v1::Input input = OnFarmAs("linux", {{'0', "linux-6.12/Makefile", "all: vmlinux\n"}});
  for (int process = 0; process < 2; ++process) {
    const auto inputs = OpenInputs();
    for (int i = 0; i < 2; ++i) {
      const absl::StatusOr<CachedFile> disk = inputs->Get(input, nullptr);
      ASSERT_TRUE(disk.ok()) << disk.status();
      EXPECT_THAT(FileOf(disk->path(), "/Makefile"), HasSubstr("all: vmlinux"));
      EXPECT_FALSE(std::filesystem::exists(folder_ + "/inputs/work"));
    }
  }
  EXPECT_EQ(Fetches(input), 1);
}

TEST_F(InputCacheTest, ADamagedDiskIsMadeAgain) {
  const v1::Input input = OnFarmAs("linux", {{'0', "l/Makefile", "all:\n"}});
  const auto inputs = OpenInputs();
  const std::string path = inputs->Get(input, nullptr)->path();
  ASSERT_EQ(WriteFileAtomically(path, "zeros"), absl::OkStatus());
  const absl::StatusOr<CachedFile> again = inputs->Get(input, nullptr);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(FileOf(again->path(), "/Makefile"), HasSubstr("all:"));
}

TEST_F(InputCacheTest, TheLeastRecentlyUsedDiskGoesFirst) {
  const v1::Input one = OnFarmAs("one", {{'0', "a/x", std::string(4 << 20, '1')}});
  const v1::Input two = OnFarmAs("two", {{'0', "a/x", std::string(4 << 20, '2')}});
  const auto inputs = OpenInputs(20 << 20);  // One disk has 12 MiB and some.
  {
    const absl::StatusOr<CachedFile> pinned = inputs->Get(one, nullptr);
    ASSERT_TRUE(pinned.ok()) << pinned.status();
    ASSERT_TRUE(inputs->Get(two, nullptr).ok());
    EXPECT_TRUE(std::filesystem::exists(pinned->path()));  // A boot uses it.
  }
  const v1::Input three = OnFarmAs("three", {{'0', "a/x", std::string(4 << 20, '3')}});
  ASSERT_TRUE(inputs->Get(three, nullptr).ok());
  EXPECT_EQ(Disks(), 1u);
}

TEST_F(InputCacheTest, AHostileArchiveIsNamed) {
  const v1::Input input = OnFarmAs("evil", {{'2', "way", "/etc"}, {'0', "way/passwd", "x"}});
  const absl::Status status = OpenInputs()->Get(input, nullptr).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("input \"evil\": entry \"way/passwd\""));
  EXPECT_EQ(Disks(), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/inputs/work"));
}

TEST_F(InputCacheTest, ErrorsAndCancelLeaveNothing) {
  v1::Input input = OnFarmAs("linux", {{'0', "l/Makefile", "all:\n"}});
  const std::atomic<bool> cancel = true;
  const auto inputs = OpenInputs();
  EXPECT_TRUE(absl::IsCancelled(inputs->Get(input, &cancel).status()));
  input.mutable_archive()->set_sha256("../../etc/passwd");
  EXPECT_TRUE(absl::IsInvalidArgument(inputs->Get(input, nullptr).status()));
  EXPECT_EQ(Disks(), 0u);
}

}  // namespace
}  // namespace shakedown::agent
