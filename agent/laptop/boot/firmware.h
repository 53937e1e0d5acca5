// The firmware's variables as files of efivarfs.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_FIRMWARE_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_FIRMWARE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::laptop {

// Of systemd's boot loader interface (LoaderInfo, LoaderFeatures, LoaderEntryOneShot, …).
inline constexpr absl::string_view kLoaderVendor = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";
inline constexpr absl::string_view kGlobalVendor = "8be4df61-93ca-11d2-aa0d-00e098032b8c";

std::string VariablePath(const std::string& root, absl::string_view name, absl::string_view vendor);

// The value, without the four bytes of attributes before it. NotFound: no such variable, or no
// UEFI. DataLoss: shorter than its attributes.
absl::StatusOr<std::string> ReadVariable(const std::string& root, absl::string_view name,
                                         absl::string_view vendor);

// UTF-16LE up to a NUL or the end; what is not ASCII becomes "?". And back, with a NUL.
std::string FromUtf16(absl::string_view bytes);
std::string ToUtf16(absl::string_view ascii);

// Attributes (non-volatile, boot and run-time access) and value, as efivarfs takes them.
std::string VariableFile(absl::string_view value);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_FIRMWARE_H_
