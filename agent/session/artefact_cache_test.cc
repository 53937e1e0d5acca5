#include "agent/session/artefact_cache.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "agent/session/farm_test_base.h"
#include "proto/wire/files.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

class ArtefactCacheTest : public FarmTestBase {
 protected:
  std::string PathOf(const v1::Artefact& artefact) const {
    return folder_ + "/artefacts/" + artefact.sha256();
  }
  int Fetches(const v1::Artefact& artefact) {
    return Ask([&](const fakes::FarmBook& book) {
      const auto found = book.fetches.find(artefact.sha256());
      return found == book.fetches.end() ? 0 : found->second;
    });
  }
  size_t Files() const {
    size_t files = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(folder_ + "/artefacts")) {
      ++files;
    }
    return files;
  }
  // As if nobody had used it for a while: older by `seconds`.
  void Age(const v1::Artefact& artefact, int seconds) {
    const timespec times[2] = {{1'000'000 - seconds, 0}, {0, UTIME_OMIT}};
    ASSERT_EQ(utimensat(AT_FDCWD, PathOf(artefact).c_str(), times, 0), 0);
  }
};

TEST_F(ArtefactCacheTest, FetchesOnceAndKeepsOverRestarts) {
  const std::string content(100'000, 'k');
  const v1::Artefact artefact = OnFarm(content);
  for (int process = 0; process < 2; ++process) {
    auto cache = OpenCache();
    for (int i = 0; i < 2; ++i) {
      const absl::StatusOr<CachedFile> file = cache->Get(artefact, nullptr);
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_EQ(*ReadFile(file->path()), content);
    }
  }
  EXPECT_EQ(Fetches(artefact), 1);
}

TEST_F(ArtefactCacheTest, ADamagedFileIsFetchedAgain) {
  const v1::Artefact artefact = OnFarm("the right bytes");
  auto cache = OpenCache();
  ASSERT_TRUE(cache->Get(artefact, nullptr).ok());
  // In this process' sight, also with the size and the time put back as they were.
  struct stat before;
  ASSERT_EQ(stat(PathOf(artefact).c_str(), &before), 0);
  std::ofstream(PathOf(artefact)) << "the wrong bytes";
  EXPECT_EQ(*ReadFile(cache->Get(artefact, nullptr)->path()), "the right bytes");
  EXPECT_EQ(Fetches(artefact), 2);
  // Behind its back, between two processes.
  cache = nullptr;
  std::ofstream(PathOf(artefact)) << "short";
  const timespec times[2] = {{0, UTIME_OMIT}, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, PathOf(artefact).c_str(), times, 0), 0);
  cache = OpenCache();
  EXPECT_EQ(*ReadFile(cache->Get(artefact, nullptr)->path()), "the right bytes");
  EXPECT_EQ(Fetches(artefact), 3);
}

TEST_F(ArtefactCacheTest, ALinkInItsPlaceIsNotFollowed) {
  const v1::Artefact artefact = OnFarm("bytes");
  auto cache = OpenCache();
  const std::string elsewhere = folder_ + "/elsewhere";
  std::ofstream(elsewhere) << "bytes";
  std::filesystem::create_symlink(elsewhere, PathOf(artefact));
  ASSERT_TRUE(cache->Get(artefact, nullptr).ok());
  EXPECT_FALSE(std::filesystem::is_symlink(PathOf(artefact)));
  EXPECT_EQ(*ReadFile(elsewhere), "bytes");
}

TEST_F(ArtefactCacheTest, WrongBytesFromTheFarmAreRefusedAndNotKept) {
  const v1::Artefact artefact = OnFarm(std::string(5000, 'r'));
  auto cache = OpenCache();
  const std::vector<std::function<void(std::string&)>> lies = {
      [](std::string& content) { content[4000] = 'x'; },
      [](std::string& content) { content.resize(4999); },
      [](std::string& content) { content += "more"; },
      [](std::string& content) { content.clear(); },
  };
  for (const auto& lie : lies) {
    farm_->With([&](fakes::FarmBook& book) { book.corrupt = lie; });
    const absl::Status status = cache->Get(artefact, nullptr).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(artefact.sha256()));
    EXPECT_EQ(Files(), 0u);
  }
  farm_->With([&](fakes::FarmBook& book) { book.corrupt = nullptr; });
  EXPECT_TRUE(cache->Get(artefact, nullptr).ok());
}

TEST_F(ArtefactCacheTest, ErrorsOfTheFarmAreSaid) {
  auto cache = OpenCache();
  EXPECT_TRUE(absl::IsNotFound(cache->Get(ArtefactOf("nowhere"), nullptr).status()));
  farm_->GoAway();
  EXPECT_TRUE(absl::IsUnavailable(cache->Get(ArtefactOf("nowhere"), nullptr).status()));
  EXPECT_EQ(Files(), 0u);
}

TEST_F(ArtefactCacheTest, BadNamesAndSizesAreRefused) {
  auto cache = OpenCache();
  v1::Artefact artefact;
  for (const char* name : {"", "../x", "ABC", "/etc/passwd"}) {
    artefact.set_sha256(name);
    EXPECT_TRUE(absl::IsInvalidArgument(cache->Get(artefact, nullptr).status())) << name;
  }
  artefact = OnFarm("x");
  artefact.set_size(uint64_t{1} << 60);
  EXPECT_TRUE(absl::IsInvalidArgument(cache->Get(artefact, nullptr).status()));
  artefact.set_size(1);
  ASSERT_TRUE(cache->Get(artefact, nullptr).ok());
  artefact.set_size(2);
  EXPECT_TRUE(absl::IsInvalidArgument(cache->Get(artefact, nullptr).status()));
}

// A disk of 64 KiB, seen by this thread only; wants root, as the agent has on a VM host.
TEST_F(ArtefactCacheTest, AFullDiskIsSaidWithFolderAndNeed) {
  const v1::Artefact artefact = OnFarm(std::string(100'000, 'f'));
  bool mounted = false;
  std::vector<absl::Status> results;
  std::thread([&] {
    const std::string folder = folder_ + "/artefacts";
    std::filesystem::create_directories(folder);
    mounted = unshare(CLONE_NEWNS) == 0 &&
              mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
    if (!mounted) return;
    auto cache = OpenCache();
    results.push_back(cache->Get(artefact, nullptr).status());
    v1::Artefact unknown_size = artefact;
    unknown_size.set_size(0);
    results.push_back(cache->Get(unknown_size, nullptr).status());
    EXPECT_EQ(Files(), 0u);
  }).join();
  if (!mounted) GTEST_SKIP() << "a small file system can not be mounted without root";
  for (const absl::Status& status : results) {
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(folder_ + "/artefacts"));
  }
  EXPECT_THAT(std::string(results[0].message()), HasSubstr("needs 100000 bytes"));
}

TEST_F(ArtefactCacheTest, CancelEndsAFetch) {
  const v1::Artefact artefact = OnFarm(std::string(5000, 'x'));
  auto cache = OpenCache();
  const std::atomic<bool> cancel = true;
  EXPECT_TRUE(absl::IsCancelled(cache->Get(artefact, &cancel).status()));
  EXPECT_EQ(Files(), 0u);
}

TEST_F(ArtefactCacheTest, TheLeastRecentlyUsedGoesFirstAndPinnedOnesStay) {
  auto cache = OpenCache(/*limit=*/3000);
  const v1::Artefact old = OnFarm(std::string(1000, 'a'));
  const v1::Artefact pinned = OnFarm(std::string(1000, 'b'));
  const v1::Artefact young = OnFarm(std::string(1000, 'c'));
  ASSERT_TRUE(cache->Get(old, nullptr).ok());
  absl::StatusOr<CachedFile> pin = cache->Get(pinned, nullptr);
  ASSERT_TRUE(pin.ok());
  ASSERT_TRUE(cache->Get(young, nullptr).ok());
  Age(pinned, 300);
  Age(old, 200);
  Age(young, 100);
  ASSERT_TRUE(cache->Get(OnFarm(std::string(1000, 'd')), nullptr).ok());
  EXPECT_TRUE(absl::IsNotFound(cache->Find(old).status()));
  EXPECT_TRUE(cache->Find(pinned).ok());
  EXPECT_TRUE(cache->Find(young).ok());
  Age(pinned, 300);
  Age(young, 100);
  pin = absl::CancelledError("not needed any more");
  ASSERT_TRUE(cache->Get(OnFarm(std::string(1000, 'e')), nullptr).ok());
  EXPECT_TRUE(absl::IsNotFound(cache->Find(pinned).status()));
}

TEST_F(ArtefactCacheTest, TakesACopyOfWhatIsMadeHere) {
  auto cache = OpenCache();
  const std::string path = folder_ + "/bzImage";
  std::ofstream(path) << "kernel";
  const v1::Artefact artefact = ArtefactOf("kernel");
  ASSERT_TRUE(cache->Add(artefact, path).ok());
  std::filesystem::remove(path);
  EXPECT_EQ(*ReadFile(cache->Find(artefact)->path()), "kernel");
  EXPECT_EQ(Fetches(artefact), 0);
  std::ofstream(path) << "other";
  EXPECT_TRUE(absl::IsDataLoss(cache->Add(ArtefactOf("kernel2"), path).status()));
  EXPECT_TRUE(absl::IsNotFound(cache->Add(ArtefactOf("kernel3"), path + "-none").status()));
}

TEST_F(ArtefactCacheTest, HalfFetchedFilesOfAnEarlierProcessGo) {
  { auto cache = OpenCache(); }
  std::ofstream(folder_ + "/artefacts/" + std::string(64, 'a') + ".x.half") << "half";
  auto cache = OpenCache();
  EXPECT_EQ(Files(), 0u);
}

TEST_F(ArtefactCacheTest, ManyAskersFetchOnce) {
  auto cache = OpenCache();
  const v1::Artefact artefact = OnFarm(std::string(200'000, 'm'));
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { good += cache->Get(artefact, nullptr).ok(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(Fetches(artefact), 1);
}

}  // namespace
}  // namespace shakedown::agent
