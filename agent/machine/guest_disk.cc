#include "agent/machine/guest_disk.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

// `size` bytes from `offset` on; fewer when the file ends.
absl::StatusOr<std::string> ReadAt(const std::string& path, std::streamoff offset, size_t size) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return ErrnoStatus(errno == 0 ? EIO : errno, path);
  std::string bytes(size, '\0');
  file.seekg(offset);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  return bytes;
}

uint32_t LittleEndian(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

// s_blocks_count_lo and s_log_block_size of the superblock, struct ext4_super_block. An image has
// far fewer than 2^32 blocks.
absl::Status CheckLength(const std::string& image) {
  ASSIGN_OR_RETURN(const std::string super, ReadAt(image, 1024, 32));
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(image, error);
  if (error) return ErrnoStatus(error.value(), image);
  const uint64_t want = uint64_t{LittleEndian(super, 4)} << (10 + (LittleEndian(super, 24) & 7));
  if (size >= want) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("guest image ", image, ": has ", size,
                                                    " bytes, its file system ", want,
                                                    ": damaged, want it made anew"));
}

}  // namespace

absl::Status CheckGuestImage(const std::string& image) {
  absl::StatusOr<std::string> head = ReadAt(image, 0, 4);
  if (!head.ok()) return Annotate(head.status(), "guest image");
  ASSIGN_OR_RETURN(const std::string magic, ReadAt(image, 1024 + 56, 2));
  const absl::string_view kExt4("\x53\xEF", 2);
  if (magic == kExt4) return CheckLength(image);
  const std::string what = absl::StartsWith(*head, "QFI\xfb") ? "a qcow2 image" : "no ext4 image";
  return absl::FailedPreconditionError(
      absl::StrCat("guest image ", image, ": is ", what,
                   ", want a raw image with an ext4 file system and no partitions, as "
                   "deploy/guest/build-image makes"));
}

absl::Status CheckKernelImage(const std::string& kernel) {
  ASSIGN_OR_RETURN(const std::string magic, ReadAt(kernel, 0x202, 4));
  if (magic == "HdrS") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("kernel image ", kernel, ": found ", Quoted(magic),
                                                 " at offset 0x202, want \"HdrS\": no bzImage"));
}

absl::Status MakeOverlay(const std::string& image, const std::string& overlay) {
  Command command;
  command.argv = {"qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", image, overlay};
  command.limit = absl::Seconds(60);
  const absl::Status made = RunForOutput(command).status();
  if (made.ok()) return made;
  if (absl::StrContains(made.message(), "No space left")) {
    return absl::ResourceExhaustedError(
        absl::StrCat("overlay ", overlay, ": ", std::string(made.message())));
  }
  return Annotate(made, absl::StrCat("overlay ", overlay));
}

}  // namespace shakedown::agent
