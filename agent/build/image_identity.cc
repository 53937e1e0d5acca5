#include "agent/build/image_identity.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr uint32_t kBuildIdType = 3;  // NT_GNU_BUILD_ID, elf.h.

// The Linux/x86 boot protocol (Documentation/arch/x86/boot.rst).
constexpr size_t kMagicAt = 0x202;
constexpr size_t kVersionPointerAt = 0x20e;
constexpr size_t kSetupStart = 0x200;
constexpr size_t kMaxVersion = 400;

uint32_t Word(absl::string_view bytes, size_t at) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;  // Both the kernel's notes and we are little-endian x86.
}

size_t Padded(size_t size) { return (size + 3) & ~size_t{3}; }

}  // namespace

absl::StatusOr<std::string> BuildIdFromNotes(absl::string_view notes) {
  while (notes.size() >= 12) {
    const size_t name_size = Word(notes, 0);
    const size_t size = Word(notes, 4);
    const uint32_t type = Word(notes, 8);
    notes.remove_prefix(12);
    if (name_size > notes.size() || size > notes.size() ||
        Padded(name_size) + size > notes.size()) {
      return absl::InvalidArgumentError("ELF notes: a note is longer than the section");
    }
    const absl::string_view name = notes.substr(0, name_size);
    const absl::string_view value = notes.substr(Padded(name_size), size);
    if (type == kBuildIdType && name == absl::string_view("GNU\0", 4) && size >= 8 && size <= 64) {
      return absl::BytesToHexString(value);
    }
    notes.remove_prefix(std::min(notes.size(), Padded(name_size) + Padded(size)));
  }
  return absl::NotFoundError("ELF notes: no GNU build id in them");
}

absl::Status CheckRelease(absl::string_view release) {
  bool good = !release.empty() && release.size() <= 64;
  for (const char c : release) {
    good = good && (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                    absl::StrContains(".+~_-", absl::string_view(&c, 1)));
  }
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("kernel release ", Quoted(release),
                                                 ": want 1 to 64 of letters, digits, . + ~ _ -"));
}

absl::StatusOr<ImageVersion> VersionOfBzImage(absl::string_view image) {
  if (image.size() < 0x1000 || image.substr(kMagicAt, 4) != "HdrS") {
    return absl::InvalidArgumentError("not a bzImage: no HdrS at 0x202");
  }
  const size_t at = kSetupStart + (Word(image, kVersionPointerAt) & 0xffff);
  if (at == kSetupStart || at >= image.size()) {
    return absl::InvalidArgumentError("bzImage without a version");
  }
  const absl::string_view rest = image.substr(at, kMaxVersion);
  const absl::string_view text = rest.substr(0, rest.find('\0'));
  // "RELEASE (user@host) #1 SMP …"
  const size_t blank = text.find(' ');
  const size_t number = text.find(") #");
  if (text.size() == rest.size() || blank == absl::string_view::npos ||
      number == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("bzImage: version ", Quoted(text), ": want RELEASE (WHO) #1 …"));
  }
  ImageVersion version{std::string(text.substr(0, blank)), std::string(text.substr(number + 2))};
  RETURN_IF_ERROR(CheckRelease(version.release));
  for (const char c : version.version) {
    if (absl::ascii_isprint(static_cast<unsigned char>(c))) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("bzImage: version ", Quoted(version.version), ": want printable text"));
  }
  return version;
}

}  // namespace shakedown::agent
