#include "controller/import/clean.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "controller/import/quoted_printable.h"
#include "controller/import/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr size_t kLongestEscape = 256;

// Bytes of the escape sequence at the start of `bytes`, which begins with ESC: 1 when it is cut off
// or none.
size_t EscapeLength(absl::string_view bytes) {
  if (bytes.size() < 2) return 1;
  const size_t limit = std::min(bytes.size(), kLongestEscape);
  if (bytes[1] == '[') {
    for (size_t i = 2; i < limit; ++i) {
      if (bytes[i] >= 0x40 && bytes[i] <= 0x7E) return i + 1;
      if (bytes[i] < 0x20) return i;
    }
    return limit;
  }
  if (bytes[1] == ']') {  // Title and such: to BEL or ESC backslash.
    for (size_t i = 2; i < limit; ++i) {
      if (bytes[i] == '\x07') return i + 1;
      if (bytes[i] == '\x1b') return i + 1 < limit && bytes[i + 1] == '\\' ? i + 2 : i;
      if (bytes[i] == '\n') return i;
    }
    return limit;
  }
  if (bytes[1] == '(' || bytes[1] == ')') return std::min<size_t>(3, bytes.size());
  return bytes[1] >= 0x30 && bytes[1] <= 0x7E ? 2 : 1;
}

bool IsBlank(char32_t c) {
  return c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

void AppendPlain(absl::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const unsigned char c = static_cast<unsigned char>(bytes[0]);
    size_t length = 1;
    if (c == 0x1B) {
      length = EscapeLength(bytes);
    } else if (c == '\t' || (c >= 0x20 && c < 0x7F)) {
      out += bytes[0];
    } else if (c < 0x80) {
      out.append(kReplacement.data(), kReplacement.size());
    } else {
      char32_t wide = 0;
      length = DecodeUtf8(bytes, &wide);
      if (length == 0 || (wide >= 0x80 && wide < 0xA0)) {
        length = std::max<size_t>(length, 1);
        out.append(kReplacement.data(), kReplacement.size());
      } else if (wide == 0xFEFF) {
        // A byte order mark says nothing.
      } else if (IsBlank(wide)) {
        out += ' ';
      } else {
        out.append(bytes.data(), length);
      }
    }
    bytes.remove_prefix(length);
  }
}

// Appends the parts of a raw line between lone carriage returns; of empty ones only a single.
void AddParts(absl::string_view raw, int number, std::vector<RawLine>& lines) {
  const size_t before = lines.size();
  for (const absl::string_view part : absl::StrSplit(raw, '\r')) {
    std::string plain;
    AppendPlain(part, plain);
    if (!absl::StripAsciiWhitespace(plain).empty()) lines.push_back({number, std::move(plain)});
  }
  if (lines.size() == before) lines.push_back({number, ""});
}

// Once more over decoded lines, which may hold anything, and without quoting.
std::vector<RawLine> Finished(const std::vector<RawLine>& raw) {
  std::vector<RawLine> lines;
  lines.reserve(raw.size());
  for (const RawLine& line : raw) AddParts(line.text, line.number, lines);
  for (RawLine& line : lines) line.text = std::string(Unquoted(line.text));
  return lines;
}

std::vector<RawLine> Split(absl::string_view raw, CleanText& clean) {
  std::vector<RawLine> lines;
  int number = 0;
  while (!raw.empty()) {
    const size_t end = raw.find('\n');
    const absl::string_view line = raw.substr(0, end);
    ++number;
    if (lines.size() >= kMostLines) {
      clean.too_many = true;
      break;
    }
    if (line.size() > kLongestLine) {
      clean.too_long.push_back(number);
    } else {
      AddParts(line, number, lines);
    }
    if (end == absl::string_view::npos) break;
    raw.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

void Clean(absl::string_view raw, CleanText& clean) {
  std::vector<RawLine> lines = Split(raw, clean);
  // Blanks at the start of a line that goes on keep its numbers apart: decoded before they vanish.
  const bool encoded = IsQuotedPrintable(lines);
  lines = Finished(encoded ? DecodeQuotedPrintable(lines) : lines);
  if (encoded && IsQuotedPrintable(lines)) SpoilQuotedPrintable(lines);
  size_t size = 0;
  for (const RawLine& line : lines) size += line.text.size();
  clean.buffer.reserve(size);  // Views into it stay valid.
  clean.lines.reserve(lines.size());
  for (const RawLine& line : lines) {
    const size_t start = clean.buffer.size();
    clean.buffer += line.text;
    clean.lines.push_back(
        {line.number, absl::string_view(clean.buffer).substr(start, line.text.size())});
    clean.base64 = clean.base64 || SaysEncoding(line.text, "base64");
  }
}

}  // namespace shakedown::importer
