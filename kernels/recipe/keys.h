#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

// SHA-256 over all that a submitter controls and that changes the artefact: source, patch digests
// and strip levels, base, fragment contents, options, compiler, recipe version. Not over names,
// notes, boot parameters and tunables: two entries that differ in those alone share one build. 64
// lower-case hex digits.
std::string RequestKey(const v1::ResolvedKernel& resolved);

// All that went into a build, known once the source is there and configured.
struct BuildInputs {
  std::string source;  // What the source is: "linux-source-6.12 6.12.117-1~deb12u1 sha256:…",
                       // "git:COMMIT", "tree:…".
  std::vector<std::string> patches;  // "SHA256 pN" each, in order.
  std::string config;     // The final .config, without a local version. Empty for a ready image.
  std::string toolchain;  // First lines of the compiler's and the linker's --version.
  uint32_t recipe_version = 0;
  // Of a ready image: digest of what is put beside the kernel's modules into the initramfs. Else
  // empty.
  std::string initramfs;
};

// SHA-256 over all of it: the name of the artefacts.
std::string BuildKey(const BuildInputs& inputs);

// "-" and the first 12 digits of the build key: the end of uname -r.
std::string LocalVersion(absl::string_view build_key);

}  // namespace shakedown::kernels
