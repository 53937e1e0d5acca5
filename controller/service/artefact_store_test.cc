#include "controller/service/artefact_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

class ArtefactStoreTest : public testing::Test {
 protected:
  ArtefactStoreTest() {
    char name[] = "/tmp/shakedown-artefacts-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~ArtefactStoreTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ArtefactStore> Open() {
    absl::StatusOr<std::unique_ptr<ArtefactStore>> store = ArtefactStore::Open(folder_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  int Incoming() const {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/incoming")) {
      (void)entry;
      ++files;
    }
    return files;
  }

  std::string folder_;
};

v1::Artefact Named(const std::string& content) {
  v1::Artefact artefact;
  artefact.set_sha256(Sha256Hex(content));
  artefact.set_size(content.size());
  return artefact;
}

TEST_F(ArtefactStoreTest, PutReadHas) {
  const auto store = Open();
  EXPECT_EQ(store->Has(Named("x")).value(), false);
  EXPECT_EQ(store->Put("x").value().sha256(), Sha256Hex("x"));
  EXPECT_EQ(store->Has(Named("x")).value(), true);
  const auto reader = store->Read(Named("x"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Next(100).value(), "x");
  EXPECT_EQ((*reader)->Next(100).value(), "");
  EXPECT_EQ(store->Read(Named("y")).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ArtefactStoreTest, AWriterThatIsDroppedLeavesNothing) {
  const auto store = Open();
  {
    auto writer = store->Create(Named("content"));
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE((*writer)->Write("cont").ok());
    EXPECT_EQ(Incoming(), 1);
  }
  EXPECT_EQ(Incoming(), 0);
  EXPECT_EQ(store->Has(Named("content")).value(), false);
}

TEST_F(ArtefactStoreTest, TheNextStartRemovesWhatADeadWriterLeftAndKeepsALiveOnes) {
  const auto store = Open();
  const std::string dead = absl::StrCat(folder_, "/incoming/", NewUuid());
  ASSERT_TRUE(WriteFileAtomically(dead, "half").ok());
  auto live = store->Create(Named("content"));
  ASSERT_TRUE(live.ok());
  Open();
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_EQ(Incoming(), 1);
  EXPECT_TRUE((*live)->Write("content").ok());
  EXPECT_EQ((*live)->Commit(), absl::OkStatus());
  EXPECT_EQ(store->Has(Named("content")).value(), true);
}

TEST_F(ArtefactStoreTest, ALinkInPlaceOfAFileIsNotFollowed) {
  const auto store = Open();
  const v1::Artefact artefact = store->Put("secret").value();
  const std::string path =
      absl::StrCat(folder_, "/", artefact.sha256().substr(0, 2), "/", artefact.sha256());
  std::filesystem::rename(path, folder_ + "/elsewhere");
  std::filesystem::create_symlink(folder_ + "/elsewhere", path);
  EXPECT_FALSE(store->Read(artefact).ok());
}

TEST_F(ArtefactStoreTest, AFolderThatCanNotBeMadeIsNamed) {
  const auto store = ArtefactStore::Open("/nonexistent/artefacts");
  EXPECT_EQ(store.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(store.status().message().find("/nonexistent/artefacts"), absl::string_view::npos);
}

TEST_F(ArtefactStoreTest, AFullDiskIsSaidAndTheRestRemoved) {
  // A file system of 64 KiB; needs root.
  if (mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "can not mount a small tmpfs here";
  }
  {
    const auto store = Open();
    const absl::Status status = store->Put(std::string(1 << 20, 'x')).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_EQ(Incoming(), 0);
    EXPECT_TRUE(store->Put("small").ok()) << "room again";
  }
  EXPECT_EQ(umount(folder_.c_str()), 0);
}

}  // namespace
}  // namespace shakedown::service
