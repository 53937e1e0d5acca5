// One boot of a test kernel on the machine this runs on, as a transaction that survives reboots,
// crashes and power cuts at any moment: install → verify → arm once → journal → reboot → prove →
// disarm → measure → keep → home → remove.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_BOOT_TRANSACTION_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_BOOT_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/laptop.pb.h"

namespace shakedown::laptop {

class BootLoader;  // boot_loader.h: grub, systemd-boot, kexec.
class Host;  // host.h: what is not a file: boot id, command line, clocks, reboot, tools. Injected
             // in tests.

// Files of the agent, not trusted: opened without following links, copied, compared with the
// order's digests.
struct BootFiles {
  std::string image;
  std::string initramfs;            // Empty: none in the order.
  std::string modules;              // Likewise.
  std::vector<std::string> inputs;  // In the order's order.
};

struct Standing {
  v1::BootStage stage = v1::BOOT_STAGE_NONE;
  std::string attempt_id;  // Empty when NONE.
  int64_t epoch = 0;
  bool runner_was_open = false;  // IN_TEST: loads may have begun before this process started.
  // IN_TEST or RETURNED: what became of the boot is known (kept, or found: the wrong kernel runs,
  // it runs a second time). IN_TEST: no runner may be opened any more, go home.
  bool has_result = false;
};

struct TransactionOptions {
  std::string root =
      "/";            // Of the file system with boot/, lib/modules/, sys/, proc/: a test's folder.
  std::string state;  // Folder for the journal and the order's inputs; root's, mode 0700.
  uint64_t keep_free = 64 << 20;  // Bytes that stay free on each file system that is written to.
};

// One owner, not thread-safe. Every state change is in the journal (appended, checksummed, fsynced)
// before it is acted upon. An error of the journal itself is Internal: the process must end.
class BootTransaction {
 public:
  virtual ~BootTransaction() = default;

  virtual Standing Where() const = 0;
  // Why no boot can be started now, as "/boot: 12 MiB free, want 96 MiB"; empty: one can. Looks
  // anew, in milliseconds.
  virtual std::string Problem() const = 0;

  // NONE → INSTALLED. Under names of our own; the distribution's files and the default entry are
  // never touched. After an error nothing is left. FailedPrecondition: this machine can not (the
  // loader, read-only /boot, Secure Boot, …). ResourceExhausted: space. DataLoss: digests.
  // InvalidArgument: the order. The order's text is kept in the journal.
  virtual absl::Status Install(const v1::BootOrder& order, const BootFiles& files) = 0;
  // INSTALLED → LEAVING: arms the one-shot entry, reads it back, journals, reboots. Does not return
  // when all is well in production; a test's Host returns.
  virtual absl::Status Leave() = 0;
  // IN_TEST: loads may begin from here on. The one-shot entry has been disarmed by Open().
  virtual absl::Status RunnerOpened() = 0;
  virtual absl::Status KeepResult(const v1::BootResult& result) = 0;
  // RETURNED: the kept result, or what the evidence says became of the boot.
  virtual absl::StatusOr<v1::BootResult> Collect() = 0;
  // IN_TEST → home by a reboot. INSTALLED or RETURNED → NONE: all that is ours is removed, the
  // journal says so. NONE: OK.
  virtual absl::Status Restore() = 0;
  // Of the transaction. Default when NONE.
  virtual const v1::BootOrder& Order() const = 0;
};

// The raw image of the order's input `index` (from 0) while a boot is installed.
std::string InputPath(const std::string& state, size_t index);

// Replays the journal, finds out in which kernel it runs (the token shakedown.boot=ATTEMPT_ID on
// the command line and the release), disarms what is still armed, finishes what a crash left half
// done. Called once at each start of the process. DataLoss: a damaged journal, naming the file and
// what to do; even then nothing is left armed.
absl::StatusOr<std::unique_ptr<BootTransaction>> OpenBootTransaction(TransactionOptions options,
                                                                     BootLoader& loader,
                                                                     Host& host);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_BOOT_TRANSACTION_H_
