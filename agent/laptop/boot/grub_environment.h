// GRUB's environment block: 1024 bytes that the boot script reads and writes in place.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_GRUB_ENVIRONMENT_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_GRUB_ENVIRONMENT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::laptop {

// grub-core/lib/envblk.c: a signature line, lines "name=value" and comments, "#" up to the end.
inline constexpr size_t kGrubEnvironmentSize = 1024;

// All else than the variables that are set stays as it is, byte for byte and in its order.
class GrubEnvironment {
 public:
  // DataLoss: another size, no signature, something else than variables, comments and filler.
  static absl::StatusOr<GrubEnvironment> Parse(absl::string_view block);

  // Absent: no such line. The boot script takes absent and empty for the same.
  std::optional<std::string> Get(absl::string_view name) const;
  // `value` of [A-Za-z0-9_.-], may be empty. ResourceExhausted: the block is full.
  absl::Status Set(absl::string_view name, absl::string_view value);
  void Erase(absl::string_view name);

  // kGrubEnvironmentSize bytes.
  std::string Block() const;

 private:
  std::string lines_;  // Between signature and filler.
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_GRUB_ENVIRONMENT_H_
