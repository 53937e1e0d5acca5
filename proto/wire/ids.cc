#include "proto/wire/ids.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace shakedown {
namespace {

bool IsNameCharacter(char c, bool first) {
  if (absl::ascii_islower(c) || absl::ascii_isdigit(c)) return true;
  return !first && (c == '.' || c == '+' || c == '_' || c == '-');
}

// A plain decimal of 1 to 18 digits, at least 1: no sign, no blanks.
bool ParsePositive(absl::string_view text, int64_t* value) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); }) &&
         absl::SimpleAtoi(text, value) && *value >= 1;
}

}  // namespace

std::string FormatBootName(const BootName& name) {
  std::string text =
      absl::StrCat(name.job, ".", name.block, std::string(1, VariantLetter(name.variant)));
  if (name.attempt > 1) absl::StrAppend(&text, ".", name.attempt);
  return text;
}

absl::StatusOr<BootName> ParseBootName(absl::string_view text) {
  const absl::Status bad = absl::InvalidArgumentError(absl::StrCat(
      "boot ", Quoted(text), ": want job.blockLETTER[.attempt], for example 17.3B or 17.3B.2"));
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  if (parts.size() < 2 || parts.size() > 3 || parts[1].size() < 2) return bad;
  const char letter = parts[1].back();
  int64_t job, block, attempt = 0;
  if (!absl::ascii_isupper(letter) || !ParsePositive(parts[0], &job) ||
      !ParsePositive(parts[1].substr(0, parts[1].size() - 1), &block) || block > UINT32_MAX ||
      (parts.size() == 3 && (!ParsePositive(parts[2], &attempt) || attempt > UINT32_MAX))) {
    return bad;
  }
  return BootName{.job = job,
                  .block = static_cast<uint32_t>(block),
                  .variant = static_cast<uint32_t>(letter - 'A'),
                  .attempt = static_cast<uint32_t>(attempt)};
}

char VariantLetter(uint32_t variant) { return static_cast<char>('A' + variant % 26); }

std::string NewUuid() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) std::abort();
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  std::string hex =
      absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(bytes), sizeof bytes));
  for (const size_t dash : {8, 13, 18, 23}) hex.insert(dash, 1, '-');
  return hex;
}

bool IsUuid(absl::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    if (dash ? c != '-' : !(absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  bool good = !name.empty() && name.size() <= 64;
  for (size_t i = 0; good && i < name.size(); ++i) good = IsNameCharacter(name[i], i == 0);
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", Quoted(name), " (", name.size(),
                   " bytes): want 1 to 64 of a-z 0-9 . + _ -, the first a letter or digit"));
}

std::string Quoted(absl::string_view hostile) {
  std::string text = absl::CHexEscape(hostile.substr(0, 80));
  return absl::StrCat("\"", text, hostile.size() > 80 ? "…\"" : "\"");
}

}  // namespace shakedown
