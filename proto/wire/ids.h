// Names and ids that people and processes write: "17.3B.2", variant letters, UUIDs, kernel names.
#ifndef SHAKEDOWN_PROTO_WIRE_IDS_H_
#define SHAKEDOWN_PROTO_WIRE_IDS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// Job 17, block 3, variant index 1 (B), attempt 2.
struct BootName {
  int64_t job = 0;
  uint32_t block = 0;
  uint32_t variant = 0;  // 0 = A.
  uint32_t attempt = 1;
  bool operator==(const BootName&) const = default;
};

// "17.3B" for the first attempt, "17.3B.2" for the second.
std::string FormatBootName(const BootName& name);

// InvalidArgument when `text` is not such a name. "17.3B" gives attempt 0 = the latest one.
absl::StatusOr<BootName> ParseBootName(absl::string_view text);

// 'A' for 0, up to 'Z' for 25.
char VariantLetter(uint32_t variant);

// A random UUIDv4 in lower case, from the kernel's generator.
std::string NewUuid();
bool IsUuid(absl::string_view text);

// OK for [a-z0-9][a-z0-9.+_-]{0,63}; else InvalidArgument that names `what`, the value (escaped,
// cut) and the rule.
absl::Status CheckName(absl::string_view what, absl::string_view name);

// For messages: C-escaped, in quotes, cut to 80 bytes.
std::string Quoted(absl::string_view hostile);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_IDS_H_
