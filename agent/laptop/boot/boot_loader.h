// What starts kernels on this machine, as far as it can be asked to start another one once.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_BOOT_LOADER_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_BOOT_LOADER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

struct BootEntry {
  std::string attempt_id;  // UUID in lower case: makes the entry's name.
  std::string image;       // Absolute, below Folder().
  std::string initramfs;   // Likewise; empty: none.
  // As BuildCommandLine() makes it: words of printable ASCII without quotes and backslashes, single
  // spaces between them.
  std::string command_line;
};

// At most one entry of ours at a time. The machine's default and everybody else's entries, files
// and one-shot choices stay as they are. All changes are on the disk when a call has returned OK.
// One owner, not thread-safe.
class BootLoader {
 public:
  virtual ~BootLoader() = default;

  virtual std::string Name() const = 0;  // "grub", "systemd-boot", "kexec".
  // Why this machine can not start a kernel once and come back, in one line with the file or
  // device, what is there and what is wanted. Empty: it can. Looks anew, in milliseconds.
  virtual std::string Problem() const = 0;
  // Where images must be so that the loader can read them, e.g. "/boot", below the root it was made
  // with.
  virtual std::string Folder() const = 0;
  // How to reboot once it is armed: kexec is the fast path, without the firmware.
  virtual Host::RebootKind Way() const = 0;

  virtual absl::Status AddEntry(const BootEntry& entry) = 0;
  // The entry that AddEntry() made, for the next boot only. Read it back with ReadArmed().
  virtual absl::Status ArmOnce(const BootEntry& entry) = 0;
  // The attempt whose entry is armed; empty: none of ours.
  virtual absl::StatusOr<std::string> ReadArmed() = 0;
  // Takes an armed entry of ours back, whichever. Somebody else's choice stays. Idempotent; OK when
  // the loader is not there at all.
  virtual absl::Status Disarm() = 0;
  // Idempotent; also right after an AddEntry() that a crash cut short. Disarm() first: a loader
  // takes a name it does not find for the first entry, which need not be the default.
  virtual absl::Status RemoveEntry() = 0;
};

// `root`: "/" or a test's folder, with boot/, proc/self/mountinfo, sys/. References outlive the
// loader.
std::unique_ptr<BootLoader> MakeGrub(const std::string& root, Host& host);
std::unique_ptr<BootLoader> MakeSystemdBoot(const std::string& root, Host& host);
std::unique_ptr<BootLoader> MakeKexec(const std::string& root, Host& host);

// The loader of this machine: `wanted` ("grub", "systemd-boot", "kexec"), or, when that is empty,
// the one that has booted it (the firmware's variable LoaderInfo says systemd-boot; else GRUB when
// boot/grub/grub.cfg is there; else kexec). Its Disarm() and RemoveEntry() are for all three, so
// that a choice that was changed in between leaves nothing armed. InvalidArgument: another name.
absl::StatusOr<std::unique_ptr<BootLoader>> MakeBootLoader(const std::string& root, Host& host,
                                                           const std::string& wanted = "");

// The firmware's variable SecureBoot: only signed kernels start, and kexec is locked down.
bool SecureBootIsOn(const std::string& root);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_BOOT_LOADER_H_
