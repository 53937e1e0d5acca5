#include "agent/runner/loads/load_user.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr int kKept[] = {CAP_SYS_NICE, CAP_IPC_LOCK};

std::optional<uint32_t> ParseId(absl::string_view text) {
  uint32_t id = 0;
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  // The highest one means "unchanged" to the kernel.
  if (!digits || !absl::SimpleAtoi(text, &id) || id == 0 ||
      id == std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  return id;
}

// Permitted, effective and inheritable are kKept and nothing else.
int KeepOnly() {
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  for (const int capability : kKept) {
    __user_cap_data_struct& set = sets[CAP_TO_INDEX(capability)];
    set.permitted |= CAP_TO_MASK(capability);
  }
  for (__user_cap_data_struct& set : sets) set.effective = set.inheritable = set.permitted;
  return static_cast<int>(syscall(SYS_capset, &header, sets));
}

}  // namespace

std::optional<LoadUser> ParseLoadUser(absl::string_view text) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  const std::optional<uint32_t> uid = ParseId(text.substr(0, colon));
  const std::optional<uint32_t> gid = ParseId(text.substr(colon + 1));
  if (!uid || !gid) return std::nullopt;
  return LoadUser{*uid, *gid};
}

absl::Status BecomeLoadUser(const LoadUser& user) {
  const auto failed = [](absl::string_view what) {
    return ErrnoStatus(errno, absl::StrCat("the load's user: ", what));
  };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no new privileges");
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return failed("keep capabilities");
  if (setgroups(0, nullptr) != 0) return failed("groups");
  if (setresgid(user.gid, user.gid, user.gid) != 0) return failed(absl::StrCat("group ", user.gid));
  if (setresuid(user.uid, user.uid, user.uid) != 0) return failed(absl::StrCat("user ", user.uid));
  if (KeepOnly() != 0) return failed("capabilities");
  for (const int capability : kKept) {
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) {
      return failed(absl::StrCat("capability ", capability));
    }
  }
  // Changing users has hidden the process from its own user; nothing of root's is left in it.
  if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return failed("dumpable");
  return absl::OkStatus();
}

}  // namespace shakedown::runner
