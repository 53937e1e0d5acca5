// Who a kernel image will say it is, read from its bytes. Everything here distrusts the bytes.
#ifndef SHAKEDOWN_AGENT_BUILD_IMAGE_IDENTITY_H_
#define SHAKEDOWN_AGENT_BUILD_IMAGE_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

// The GNU build id in an ELF notes section (as /sys/kernel/notes has it), lower-case hex. NotFound:
// there is none. InvalidArgument: not notes.
absl::StatusOr<std::string> BuildIdFromNotes(absl::string_view notes);

struct ImageVersion {
  std::string release;  // uname -r
  std::string version;  // uname -v: "#1 SMP PREEMPT_DYNAMIC Debian 6.12.117-1~deb12u1 (2026-11-13)"
};

// From the header of a bzImage. InvalidArgument: not a bzImage, or one without a version.
absl::StatusOr<ImageVersion> VersionOfBzImage(absl::string_view image);

// OK for what uname -r can be: 1 to 64 bytes of letters, digits and . + ~ _ -.
absl::Status CheckRelease(absl::string_view release);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_IMAGE_IDENTITY_H_
