// What is read at home, and before leaving, to find out later what became of a boot.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_GATHER_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_GATHER_H_

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/laptop/boot/evidence.h"
#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

// What was there before the boot and so tells nothing of it.
struct Before {
  std::set<std::string> records;  // SHA-256 of each record in pstore.
  bool watchdog_reset = false;
};
Before LookBefore(const std::string& root);
std::string FormatBefore(const Before& before);
Before ParseBefore(absl::string_view text);

struct Question {
  std::string release;  // Of the test kernel.
  std::string left;     // boot_id of the boot that was left.
  std::string in_test;  // boot_id of the test kernel; empty: it never got so far.
  Before before;
};
// Fills the fields of `evidence` that our journal does not know (which are set), and returns the
// texts they are from: at most 64 KiB of UTF-8. What can not be read is left out: it is no
// evidence.
std::string Gather(const std::string& root, Host& host, const Question& question,
                   Evidence* evidence);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_GATHER_H_
