#include "agent/laptop/boot/command_line.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr absl::string_view kToken = "shakedown.boot";
constexpr size_t kMaxLine = 2047;  // COMMAND_LINE_SIZE of x86 is 2048.
constexpr size_t kMaxParameters = 64;

const std::vector<std::string>& WayHome() {
  static const auto* const words =
      new std::vector<std::string>{"panic=10",           "oops=panic",
                                   "softlockup_panic=1", "hung_task_panic=1",
                                   "nmi_watchdog=panic", "systemd.watchdog_sec=60",
                                   "noresume",           "efi_pstore.pstore_disable=0"};
  return *words;
}

// The kernel takes "-" and "_" for the same.
std::string NameOf(absl::string_view word) {
  return absl::StrReplaceAll(word.substr(0, word.find('=')), {{"-", "_"}});
}

bool IsSetHere(const std::string& name) {
  const auto same = [&](const std::string& word) { return NameOf(word) == name; };
  return name == kToken || std::any_of(WayHome().begin(), WayHome().end(), same);
}

bool IsDropped(const std::string& name) {
  static const auto* const kDropped = new std::set<std::string>{
      "BOOT_IMAGE", "emergency", "initrd",      "nosoftlockup", "nowatchdog",
      "quiet",      "recovery",  "rescue",      "resume",       "resume_offset",
      "single",     "splash",    "systemd.unit"};
  return kDropped->contains(name) || IsSetHere(name);
}

// What an order may not say: where root and init are, what starts, how the machine comes home, what
// marks the owner's files (SELinux, IMA) or is not for the kernel at all.
bool IsTheOwners(const std::string& name) {
  static const auto* const kNames = new std::set<std::string>{"",
                                                              "__",
                                                              "BOOT_IMAGE",
                                                              "S",
                                                              "break",
                                                              "emergency",
                                                              "enforcing",
                                                              "init",
                                                              "initrd",
                                                              "nfsroot",
                                                              "noinitrd",
                                                              "nowatchdog",
                                                              "rdinit",
                                                              "reboot",
                                                              "recovery",
                                                              "rescue",
                                                              "resume",
                                                              "ro",
                                                              "root",
                                                              "rootdelay",
                                                              "rootflags",
                                                              "rootfstype",
                                                              "rootwait",
                                                              "rw",
                                                              "s",
                                                              "selinux",
                                                              "single",
                                                              "nosoftlockup",
                                                              "hardlockup_panic",
                                                              "watchdog_thresh",
                                                              "dyndbg",
                                                              "netconsole",
                                                              "resume_offset",
                                                              "hibernate"};
  static constexpr absl::string_view kFamilies[] = {"shakedown.",
                                                    "systemd.",
                                                    "rd.",
                                                    "luks.",
                                                    "ima_",
                                                    "evm",
                                                    "fsck.",
                                                    "watchdog.",
                                                    "sysctl.kernel.panic",
                                                    "sysctl.kernel.softlockup",
                                                    "sysctl.kernel.hung_task",
                                                    "sysctl.kernel.hardlockup",
                                                    "sysctl.kernel.watchdog",
                                                    "sysctl.kernel.nmi_watchdog"};
  if (kNames->contains(name)) return true;
  if (name.size() == 1 && absl::ascii_isdigit(name[0])) return true;  // A runlevel.
  return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](absl::string_view family) { return absl::StartsWith(name, family); });
}

// Means itself to GRUB within '…', to GRUB's quoting for Linux, to systemd-boot and to kexec.
bool IsHarmless(absl::string_view word) {
  constexpr absl::string_view kRefused = "\"'`\\$;&|<>{}#";
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return absl::ascii_isgraph(c) && !absl::StrContains(kRefused, absl::string_view(&c, 1));
  });
}

absl::Status CheckParameter(const std::string& word) {
  if (!IsHarmless(word) || word.size() > 256) {
    return absl::InvalidArgumentError(
        absl::StrCat("boot parameter ", Quoted(word),
                     ": want one word of at most 256 ASCII characters without quotes, "
                     "backslashes and $ ; & | < > { } #"));
  }
  const std::string name = NameOf(word);
  if (IsSetHere(name)) {
    return absl::InvalidArgumentError(absl::StrCat("boot parameter ", Quoted(word),
                                                   ": contradicts what brings a laptop home (",
                                                   absl::StrJoin(WayHome(), " "), ")"));
  }
  if (IsTheOwners(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("boot parameter ", Quoted(word),
                     ": what is root, init, a target or the way home is not an order's to say"));
  }
  return absl::OkStatus();
}

std::string LastValue(absl::string_view command_line, absl::string_view name) {
  std::string value;
  for (absl::string_view word : absl::StrSplit(command_line, ' ', absl::SkipEmpty())) {
    const size_t equals = word.find('=');
    if (equals == absl::string_view::npos || word.substr(0, equals) != name) continue;
    value = std::string(word.substr(equals + 1));
  }
  return value;
}

// Of the owner's kernel.
absl::Status Carry(absl::string_view running, std::vector<std::string>* line) {
  for (absl::string_view word :
       absl::StrSplit(running, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    if (IsDropped(NameOf(word))) continue;
    if (!IsHarmless(word) || word == "--") {
      return absl::FailedPreconditionError(
          absl::StrCat("/proc/cmdline: ", Quoted(PrintableLine(word)),
                       ": can not be given to a test kernel: has quotes or the like, or hides "
                       "what comes after it"));
    }
    line->emplace_back(word);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> BuildCommandLine(absl::string_view running,
                                             absl::string_view attempt_id,
                                             const std::vector<std::string>& parameters) {
  if (RootIn(running).empty()) {
    return absl::FailedPreconditionError("/proc/cmdline: no root=: want one to tell where it is");
  }
  std::vector<std::string> line;
  RETURN_IF_ERROR(Carry(running, &line));
  line.insert(line.end(), WayHome().begin(), WayHome().end());
  line.push_back(absl::StrCat(kToken, "=", attempt_id));
  if (parameters.size() > kMaxParameters) {
    return absl::InvalidArgumentError(
        absl::StrCat(parameters.size(), " boot parameters, want at most ", kMaxParameters));
  }
  for (const std::string& word : parameters) {
    RETURN_IF_ERROR(CheckParameter(word));
    line.push_back(word);
  }
  std::string text = absl::StrJoin(line, " ");
  if (text.size() <= kMaxLine) return text;
  return absl::FailedPreconditionError(absl::StrCat("command line: ", text.size(),
                                                    " bytes with the test kernel's parameters, "
                                                    "want at most ",
                                                    kMaxLine));
}

std::string TokenIn(absl::string_view command_line) { return LastValue(command_line, kToken); }

std::string RootIn(absl::string_view command_line) { return LastValue(command_line, "root"); }

}  // namespace shakedown::laptop
