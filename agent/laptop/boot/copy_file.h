// A stranger's file, taken by digest.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_COPY_FILE_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_COPY_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "agent/laptop/boot/disk.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::laptop {

// Copies the regular file `from`, opened without following a link, to the new file `to` (0600),
// syncs it and reads it back. Returns its SHA-256. DataLoss: size or digest are not `wanted`'s, or
// what is read back is not what was written. InvalidArgument: no regular file. OutOfRange: longer
// than `limit` bytes.
absl::StatusOr<std::string> CopyFile(Disk& disk, const std::string& from, const std::string& to,
                                     const std::optional<v1::Artefact>& wanted, uint64_t limit);

// SHA-256 of what the disk has, not of what memory still holds of it.
absl::StatusOr<std::string> DigestOnDisk(const std::string& path);

// Bytes of a file; 0 when there is none.
uint64_t SizeOf(const std::string& path);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_COPY_FILE_H_
