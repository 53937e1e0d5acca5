// The order that proves a one-shot boot: the machine's own running kernel, no loads.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_TRY_BOOT_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_TRY_BOOT_H_

#include <string>

#include "absl/status/statusor.h"
#include "agent/laptop/boot/boot_transaction.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::laptop {

struct OwnKernel {
  v1::BootOrder order;
  BootFiles files;
};

// From `root`/boot: vmlinuz-RELEASE, and initrd.img-RELEASE (Debian) or initramfs-RELEASE.img when
// one is there. NotFound: no image, with the path.
absl::StatusOr<OwnKernel> FindOwnKernel(const std::string& root, const std::string& release,
                                        std::string attempt_id);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_TRY_BOOT_H_
