#include "agent/laptop/boot/firmware.h"

#include "absl/strings/str_cat.h"
#include "agent/laptop/boot/boot_loader.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kAttributes = 4;
constexpr size_t kMaxVariable = 64 << 10;

}  // namespace

std::string VariablePath(const std::string& root, absl::string_view name,
                         absl::string_view vendor) {
  return absl::StrCat(root, "/sys/firmware/efi/efivars/", name, "-", vendor);
}

absl::StatusOr<std::string> ReadVariable(const std::string& root, absl::string_view name,
                                         absl::string_view vendor) {
  const std::string path = VariablePath(root, name, vendor);
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMaxVariable));
  if (bytes.size() >= kAttributes) return bytes.substr(kAttributes);
  return absl::DataLossError(absl::StrCat(path, ": ", bytes.size(), " bytes, want 4 or more"));
}

std::string FromUtf16(absl::string_view bytes) {
  std::string text;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    if (bytes[i] == 0 && bytes[i + 1] == 0) break;
    const bool ascii = bytes[i + 1] == 0 && static_cast<unsigned char>(bytes[i]) < 0x80;
    text.push_back(ascii ? bytes[i] : '?');
  }
  return text;
}

std::string ToUtf16(absl::string_view ascii) {
  std::string bytes;
  for (char c : ascii) {
    bytes.push_back(c);
    bytes.push_back(0);
  }
  return bytes.append(2, '\0');
}

std::string VariableFile(absl::string_view value) {
  return absl::StrCat(absl::string_view("\x07\0\0\0", kAttributes), value);
}

bool SecureBootIsOn(const std::string& root) {
  const absl::StatusOr<std::string> value = ReadVariable(root, "SecureBoot", kGlobalVendor);
  return value.ok() && !value->empty() && value->front() == 1;
}

}  // namespace shakedown::laptop
