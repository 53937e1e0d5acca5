#include "agent/runner/setup/notes.h"

#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace shakedown::runner {
namespace {

constexpr uint32_t kGnuBuildIdType = 3;  // NT_GNU_BUILD_ID.
constexpr size_t kHeader = 12;           // namesz, descsz, type: 32 bits each, native order.

uint32_t Word(absl::string_view bytes, size_t at) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

uint64_t Aligned(uint32_t size) { return (uint64_t{size} + 3) & ~uint64_t{3}; }

absl::Status Bad(size_t at, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("ELF note at byte ", at, ": ", what));
}

}  // namespace

absl::StatusOr<std::string> GnuBuildId(absl::string_view notes) {
  size_t at = 0;
  while (notes.size() - at >= kHeader) {
    const uint32_t name_size = Word(notes, at);
    const uint32_t desc_size = Word(notes, at + 4);
    const uint32_t type = Word(notes, at + 8);
    const uint64_t left = notes.size() - at - kHeader;
    // The last note may lack its padding.
    if (name_size > left || Aligned(name_size) + desc_size > left) {
      return Bad(at, absl::StrCat("name of ", name_size, " and descriptor of ", desc_size,
                                  " bytes, but only ", left, " bytes are left"));
    }
    const absl::string_view name = notes.substr(at + kHeader, name_size);
    if (type == kGnuBuildIdType && name == absl::string_view("GNU\0", 4)) {
      if (desc_size < 4 || desc_size > 64) {
        return Bad(at, absl::StrCat("build id of ", desc_size, " bytes, want 4 to 64"));
      }
      return absl::BytesToHexString(notes.substr(at + kHeader + Aligned(name_size), desc_size));
    }
    const uint64_t whole = kHeader + Aligned(name_size) + Aligned(desc_size);
    if (whole >= notes.size() - at) break;
    at += whole;
  }
  return absl::NotFoundError("no GNU build id in the kernel's notes");
}

}  // namespace shakedown::runner
