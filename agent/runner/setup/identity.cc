#include "agent/runner/setup/identity.h"

#include <sys/utsname.h>

#include <cerrno>

#include "absl/strings/ascii.h"
#include "agent/runner/setup/notes.h"
#include "agent/runner/setup/tunables.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kNotes[] = "/sys/kernel/notes";

absl::StatusOr<std::string> ReadLine(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, 1 << 16));
  return std::string(absl::StripAsciiWhitespace(text));
}

// Empty when the file does not exist.
absl::StatusOr<std::string> ReadLineIfThere(const std::string& path) {
  absl::StatusOr<std::string> line = ReadLine(path);
  if (absl::IsNotFound(line.status())) return std::string();
  return line;
}

absl::StatusOr<std::string> ReadBuildId() {
  absl::StatusOr<std::string> notes = ReadFile(kNotes, 1 << 20);
  if (absl::IsNotFound(notes.status())) return std::string();
  if (!notes.ok()) return notes.status();
  absl::StatusOr<std::string> id = GnuBuildId(*notes);
  if (absl::IsNotFound(id.status())) return std::string();
  if (!id.ok()) return Annotate(id.status(), kNotes);
  return id;
}

}  // namespace

absl::StatusOr<std::string> ReadBootId() { return ReadLine("/proc/sys/kernel/random/boot_id"); }

absl::StatusOr<v1::Identity> ReadIdentity(const std::vector<std::string>& tunables) {
  v1::Identity identity;
  utsname names;
  if (uname(&names) != 0) return ErrnoStatus(errno, "uname");
  identity.set_release(names.release);
  identity.set_version(names.version);
  ASSIGN_OR_RETURN(*identity.mutable_build_id(), ReadBuildId());
  ASSIGN_OR_RETURN(*identity.mutable_command_line(), ReadLine("/proc/cmdline"));
  ASSIGN_OR_RETURN(*identity.mutable_boot_id(), ReadBootId());
  ASSIGN_OR_RETURN(*identity.mutable_sched_ext_state(),
                   ReadLineIfThere("/sys/kernel/sched_ext/state"));
  ASSIGN_OR_RETURN(*identity.mutable_sched_ext_ops(),
                   ReadLineIfThere("/sys/kernel/sched_ext/root/ops"));
  for (const std::string& name : tunables) {
    ASSIGN_OR_RETURN(std::string value, ReadTunable(name));
    v1::Tunable* tunable = identity.add_tunables();
    tunable->set_name(name);
    tunable->set_value(std::move(value));
  }
  return identity;
}

}  // namespace shakedown::runner
