#include "agent/inputs/tree_disk.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

constexpr uint64_t kInodeBytes = 256, kBlock = 4096;
constexpr uint64_t kSpareInodes = 64;  // Those that ext4 keeps for itself, lost+found.
constexpr uint64_t kSpareBlocks = (8 << 20) / kBlock;  // Superblocks, bitmaps, group descriptors.
constexpr char kEpoch[] = "E2FSPROGS_FAKE_TIME=1";     // When the file system was made.

std::string UuidOf(const std::string& sha256) {
  return absl::StrCat(sha256.substr(0, 8), "-", sha256.substr(8, 4), "-", sha256.substr(12, 4), "-",
                      sha256.substr(16, 4), "-", sha256.substr(20, 12));
}

}  // namespace

absl::Status MakeTreeDisk(const UnpackedTree& tree, const std::string& sha256,
                          const std::string& image, const std::atomic<bool>* cancel) {
  if (!IsSha256Hex(sha256)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tree ", Quoted(sha256), ": want 64 lower-case hex digits"));
  }
  if (cancel != nullptr && cancel->load()) return absl::CancelledError("cancelled");
  const uint64_t inodes = tree.inodes + kSpareInodes;
  const uint64_t blocks =
      tree.blocks + tree.blocks / 32 + inodes * kInodeBytes / kBlock + kSpareBlocks;
  const std::string uuid = UuidOf(sha256);
  Command command;
  command.argv = {"mke2fs", "-q", "-F", "-t", "ext4", "-b", absl::StrCat(kBlock), "-I",
                  absl::StrCat(kInodeBytes),
                  // Never written to, never grown.
                  "-O", "^has_journal,^resize_inode", "-m", "0", "-N", absl::StrCat(inodes), "-L",
                  "shakedown-input", "-U", uuid, "-E",
                  absl::StrCat("hash_seed=", uuid, ",lazy_itable_init=0,root_owner=0:0"), "-d",
                  tree.folder, image, absl::StrCat(blocks)};
  command.environment.push_back(kEpoch);
  command.limit = absl::Minutes(30);
  command.cancel = cancel;
  const absl::Status made = RunForOutput(command).status();
  if (absl::IsInternal(made) && absl::StrContains(made.message(), "No space left")) {
    return absl::ResourceExhaustedError(made.message());
  }
  return made;
}

}  // namespace shakedown::agent
