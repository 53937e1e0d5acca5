// The initramfs that gets a test kernel to this machine's root: made here, with the machine's own
// tools, because the one of an order is for a guest.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_OWN_INITRAMFS_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_OWN_INITRAMFS_H_

#include <string>

#include "absl/status/status.h"
#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

struct InitramfsWish {
  std::string root;      // Of the machine's file system.
  std::string work;      // An empty folder of ours for all that is in between.
  std::string out;       // In `work`: made when it returns OK.
  std::string release;   // Of the test kernel.
  bool modules = false;  // lib/modules/RELEASE is there.
  std::string config;    // /boot/config-RELEASE: made for the while, when mkinitramfs wants it.
  std::string mark;      // The first line of `config`.
};

// mkinitramfs (initramfs-tools) or dracut; empty: the machine has neither.
std::string InitramfsTool(const std::string& root);

// True: the kernel itself finds such a root (/dev/sda2, PARTUUID=…) when its drivers are built in.
bool KernelFindsRoot(const std::string& root_parameter);

// With a copy of the owner's configuration, in which only the modules that this machine needs are
// asked for (MODULES=dep; when that does not work, most), and no resume from swap. What was made is
// listed: it must have an /init, and modules.dep when there are modules. FailedPrecondition: the
// tools can not.
absl::Status MakeInitramfs(Host& host, const InitramfsWish& wish);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_OWN_INITRAMFS_H_
