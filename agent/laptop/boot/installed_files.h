// The files of one test kernel on the owner's file systems: made under names of our own, removed
// without a trace.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_INSTALLED_FILES_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_INSTALLED_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/laptop/boot/boot_transaction.h"
#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

// Where one attempt's files are. All follows from what the journal holds, so that a process that
// knows nothing else can remove them.
struct Places {
  std::string attempt_id;
  std::string release;
  std::string ours;       // BOOT/shakedown
  std::string boot;       // BOOT/shakedown/ATTEMPT: "linux", "initrd.img".
  std::string modules;    // /lib/modules/RELEASE: with the file ".shakedown" that says whose it is.
  std::string unpacking;  // /lib/modules/.shakedown-ATTEMPT: until it is whole, and from when it is
                          // being removed.
  std::string config;     // /boot/config-RELEASE while mkinitramfs runs, which asks it what the
                          // kernel can unpack.
  std::string work;       // STATE/work: what is needed to make the others.
  std::string inputs;     // STATE/inputs: "0.img", …

  std::string Image() const { return boot + "/linux"; }
  std::string Initramfs() const { return boot + "/initrd.img"; }
};
// `folder`: the loader's.
Places PlacesOf(const std::string& root, const std::string& folder, const std::string& state,
                const v1::BootOrder& order);

// InvalidArgument: an order that names something that is no name, has no digests, or that `files`
// does not match.
absl::Status CheckOrder(const v1::BootOrder& order, const BootFiles& files);

// The distribution's own kernel, to prove a one-shot boot with: its files of /boot, by their names,
// and no modules. Its release is taken, and it needs no initramfs made.
bool IsOwnKernel(const std::string& root, const v1::BootOrder& order, const BootFiles& files);

struct Digests {
  std::string image;      // SHA-256 of what the loader will read.
  std::string initramfs;  // Empty: none.
};

// How much `path`'s file system must have.
struct Need {
  std::string path;
  uint64_t bytes = 0;
};
// Adds up what is on one file system. ResourceExhausted, as "/boot: 12 MiB free, want 96 MiB";
// FailedPrecondition: read-only. Paths are shown without `root`.
absl::Status CheckSpace(Disk& disk, const std::string& root, const std::vector<Need>& needs,
                        uint64_t keep_free);

// Bytes that an initramfs will take, before it is made: as much as the machine's largest own.
uint64_t InitramfsEstimate(const std::string& root);

// Copies, unpacks, makes the initramfs, syncs, reads back. After an error whatever there is waits
// for RemoveFiles(). Errors as BootTransaction::Install.
absl::StatusOr<Digests> InstallFiles(const std::string& root, Host& host, const Places& places,
                                     const v1::BootOrder& order, const BootFiles& files,
                                     uint64_t keep_free);

// DataLoss: the image or initramfs is not what was installed.
absl::Status VerifyFiles(const Places& places, const Digests& digests);

// Idempotent, at whatever point InstallFiles() or this was stopped. Removes nothing that does not
// carry our mark.
absl::Status RemoveFiles(Disk& disk, const Places& places);

// The same for all that carries the mark of any attempt: of a journal that is gone.
absl::Status RemoveStrays(Disk& disk, const std::string& root, const std::string& folder);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_INSTALLED_FILES_H_
