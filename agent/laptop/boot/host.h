// The machine a boot transaction runs on, as far as it is not a file: injected in tests.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_HOST_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_HOST_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/laptop/boot/disk.h"

namespace shakedown::laptop {

struct Tool {
  std::vector<std::string> argv;
  // Beside PATH, LC_ALL=C and HOME.
  std::map<std::string, std::string> environment = {};
  absl::Duration limit = absl::Minutes(1);
};

// One owner, not thread-safe.
class Host {
 public:
  virtual ~Host() = default;

  virtual std::string BootId() = 0;       // /proc/sys/kernel/random/boot_id, without line feed.
  virtual std::string CommandLine() = 0;  // /proc/cmdline, likewise.
  virtual std::string Release() = 0;      // uname -r.
  virtual absl::Time Now() = 0;           // The wall clock: the only one that crosses a reboot.

  // kOrdinary: an orderly reboot through the firmware. kKexec: into the kernel that has been loaded
  // by kexec. Asks the service manager; OK: it is under way and this process will be ended.
  enum class RebootKind { kOrdinary, kKexec };
  virtual absl::Status Reboot(RebootKind kind) = 0;

  // Output of a program that ended with 0; errors as RunForOutput. NotFound: no such program.
  virtual absl::StatusOr<std::string> Run(const Tool& tool) = 0;

  virtual Disk& disk() = 0;
};

// The machine this runs on.
std::unique_ptr<Host> MakeHost();

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_HOST_H_
