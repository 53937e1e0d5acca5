#include "agent/machine/embedded_driver.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr char kMark[] =
    "# Written by shakedown-agent; without this line the file is left alone.\n";

// virtlogd is a daemon of its own: files in its place. QEMU run by root stays root, since the files
// it is given lie in folders that only their owner may enter, but libvirt takes its capabilities
// away (clear_emulator_capabilities) and puts it into its seccomp sandbox. A container has neither
// the cgroups nor the right to mount that libvirt would otherwise use.
constexpr char kCommonConf[] =
    "stdio_handler = \"file\"\n"
    "security_driver = \"none\"\n";
constexpr char kRootConf[] =
    "user = \"root\"\n"
    "group = \"root\"\n"
    "clear_emulator_capabilities = 1\n"
    "cgroup_controllers = []\n"
    "namespaces = []\n"
    "remember_owner = 0\n"
    "dynamic_ownership = 0\n";

// "%41" → "A"; as libvirt reads the query of a URI.
std::string Unescaped(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    uint32_t value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        absl::SimpleHexAtoi(text.substr(i + 1, 2), &value)) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

absl::Status CheckQemuUser() {
  if (geteuid() != 0 || getpwnam("libvirt-qemu") != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "libvirt run by root wants the user libvirt-qemu, which is not there: install "
      "libvirt-daemon-system, or run: useradd --system --user-group libvirt-qemu");
}

}  // namespace

absl::StatusOr<std::string> EmbeddedRoot(const std::string& uri) {
  absl::string_view rest = uri;
  if (!absl::ConsumePrefix(&rest, "qemu:///")) {
    return absl::InvalidArgumentError(
        absl::StrCat("libvirt URI ", Quoted(uri),
                     ": want qemu:///system, qemu:///session or qemu:///embed?root=/some/folder"));
  }
  if (!absl::ConsumePrefix(&rest, "embed")) return std::string();
  absl::ConsumePrefix(&rest, "?");
  for (const absl::string_view pair : absl::StrSplit(rest, '&')) {
    absl::string_view value = pair;
    if (absl::ConsumePrefix(&value, "root=") && absl::StartsWith(Unescaped(value), "/")) {
      return Unescaped(value);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "libvirt URI ", Quoted(uri), ": want an absolute path, qemu:///embed?root=/some/folder"));
}

absl::Status PrepareEmbeddedDriver(const std::string& root) {
  RETURN_IF_ERROR(CheckQemuUser());
  std::error_code error;
  std::filesystem::create_directories(absl::StrCat(root, "/etc"), error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat(root, "/etc"));
  const std::string path = absl::StrCat(root, "/etc/qemu.conf");
  const std::string wanted = absl::StrCat(kMark, kCommonConf, geteuid() == 0 ? kRootConf : "");
  const absl::StatusOr<std::string> there = ReadFile(path, 1 << 20);
  if (there.ok() && (*there == wanted || !absl::StartsWith(*there, kMark))) {
    return absl::OkStatus();
  }
  if (!there.ok() && !absl::IsNotFound(there.status())) return there.status();
  return WriteFileAtomically(path, wanted);
}

}  // namespace shakedown::agent
