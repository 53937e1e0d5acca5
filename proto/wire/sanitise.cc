#include "proto/wire/sanitise.h"

#include <algorithm>
#include <array>

namespace shakedown {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr char32_t kBad = 0xFFFD;
constexpr size_t kMaxEscape = 256;

// Bytes of the character that `lead` starts; 0: it starts none.
size_t LengthFromLead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool InRange(unsigned char byte, unsigned char low, unsigned char high) {
  return byte >= low && byte <= high;
}

// Whether `byte` may be second after `lead`: the table of the Unicode standard that shuts out
// overlong forms, surrogates and values past U+10FFFF.
bool GoodSecond(unsigned char lead, unsigned char byte) {
  switch (lead) {
    case 0xE0:
      return InRange(byte, 0xA0, 0xBF);
    case 0xED:
      return InRange(byte, 0x80, 0x9F);
    case 0xF0:
      return InRange(byte, 0x90, 0xBF);
    case 0xF4:
      return InRange(byte, 0x80, 0x8F);
    default:
      return InRange(byte, 0x80, 0xBF);
  }
}

// True when `bytes` is the start of a character that more bytes could complete.
bool IsCutCharacter(absl::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const size_t length = LengthFromLead(lead);
  if (length <= bytes.size()) return false;
  if (bytes.size() > 1 && !GoodSecond(lead, static_cast<unsigned char>(bytes[1]))) return false;
  return std::all_of(bytes.begin() + 1, bytes.end(),
                     [](char c) { return InRange(static_cast<unsigned char>(c), 0x80, 0xBF); });
}

void AppendUtf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// How many bytes at the start are printable ASCII, line feeds or tabs.
size_t PlainLength(absl::string_view bytes) {
  const auto end = std::find_if(bytes.begin(), bytes.end(), [](char c) {
    return !(c >= 0x20 && c < 0x7F) && c != '\n' && c != '\t';
  });
  return end - bytes.begin();
}

bool IsControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

// Characters that are not seen and change how others are seen.
bool ReordersOrHides(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  static constexpr std::array<Range, 12> kRanges = {{
      {0x00AD, 0x00AD},    // Soft hyphen.
      {0x061C, 0x061C},    // Arabic letter mark.
      {0x180E, 0x180E},    // Mongolian vowel separator.
      {0x200B, 0x200F},    // Zero-width space and joiners, left-to-right and right-to-left marks.
      {0x2028, 0x202E},    // Line and paragraph separator, embeddings and overrides.
      {0x2060, 0x206F},    // Word joiner, invisible operators, isolates, deprecated controls.
      {0xE000, 0xF8FF},    // Private use: whatever a font makes of it.
      {0xFE00, 0xFE0F},    // Variation selectors.
      {0xFEFF, 0xFEFF},    // Byte order mark.
      {0xFFF9, 0xFFFB},    // Interlinear annotation.
      {0xE0000, 0xE0FFF},  // Tags, more variation selectors.
      {0xF0000, 0x10FFFF},
  }};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [c](const Range& r) { return c >= r.first && c <= r.last; });
}

}  // namespace

size_t DecodeUtf8(absl::string_view bytes, char32_t* c) {
  if (bytes.empty()) return 0;
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const size_t length = LengthFromLead(lead);
  if (length == 0 || length > bytes.size()) return 0;
  if (length == 1) {
    *c = lead;
    return 1;
  }
  if (!GoodSecond(lead, static_cast<unsigned char>(bytes[1]))) return 0;
  char32_t value = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (!InRange(byte, 0x80, 0xBF)) return 0;
    value = (value << 6) | (byte & 0x3F);
  }
  *c = value;
  return length;
}

std::string ToUtf8(absl::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    char32_t c = 0;
    const size_t length = DecodeUtf8(bytes, &c);
    const absl::string_view character = bytes.substr(0, std::max<size_t>(length, 1));
    const absl::string_view good = length == 0 || c == 0 ? kReplacement : character;
    out.append(good.data(), good.size());
    bytes.remove_prefix(character.size());
  }
  return out;
}

std::string TerminalFilter::Add(absl::string_view bytes) {
  std::string joined;
  if (!cut_.empty()) {
    joined = std::move(cut_);
    cut_.clear();
    joined.append(bytes.data(), bytes.size());
    bytes = joined;
  }
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    if (state_ == State::kText && !after_return_) {  // Most of it is plain: in one go.
      const size_t plain = PlainLength(bytes);
      out.append(bytes.data(), plain);
      bytes.remove_prefix(plain);
      if (bytes.empty()) break;
    }
    char32_t c = kBad;
    const size_t length = DecodeUtf8(bytes, &c);
    if (length == 0 && IsCutCharacter(bytes)) {
      cut_.assign(bytes.data(), bytes.size());
      break;
    }
    Take(c, out);
    bytes.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string TerminalFilter::Finish() {
  std::string out;
  if (!cut_.empty()) TakeText(kBad, out);
  if (after_return_) out += '\n';
  *this = TerminalFilter();
  return out;
}

void TerminalFilter::Take(char32_t c, std::string& out) {
  const bool line_end = c == '\n' || c == '\r';
  if (state_ != State::kText && (line_end || ++escape_length_ > kMaxEscape)) {
    state_ = State::kText;
  }
  if (c == 0x1B && state_ != State::kString) {
    state_ = State::kEscape;
    escape_length_ = 0;
    return;
  }
  if (state_ == State::kText) {
    TakeText(c, out);
  } else {
    TakeEscape(c, out);
  }
}

void TerminalFilter::TakeText(char32_t c, std::string& out) {
  if (after_return_ && c != '\r') {
    if (c != '\n') out += '\n';
    after_return_ = false;
  }
  if (c == '\r') {
    after_return_ = true;
  } else if (c == '\n' || c == '\t' || (!IsControl(c) && !ReordersOrHides(c))) {
    AppendUtf8(c, out);
  }
}

// ECMA-48: ESC [ … final, ESC ] … BEL, ESC P/X/^/_ … ESC \, and ESC intermediate… final.
void TerminalFilter::TakeEscape(char32_t c, std::string& out) {
  switch (state_) {
    case State::kEscape:
      if (c == '[') {
        state_ = State::kControlSequence;
      } else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
        state_ = State::kString;
      } else if (c < 0x20 || c > 0x2F) {
        state_ = State::kText;
        if (c > 0x7E) TakeText(c, out);
      }
      break;
    case State::kControlSequence:
      if (c >= 0x40) state_ = State::kText;
      if (c > 0x7E) TakeText(c, out);
      break;
    case State::kString:
      if (c == 0x07) state_ = State::kText;
      if (c == 0x1B) state_ = State::kStringEscape;
      break;
    case State::kStringEscape:
      state_ = c == '\\' ? State::kText : State::kString;
      break;
    case State::kText:
      break;
  }
}

std::string Printable(absl::string_view bytes) {
  TerminalFilter filter;
  std::string out = filter.Add(bytes);
  return out + filter.Finish();
}

std::string PrintableLine(absl::string_view bytes, size_t limit) {
  std::string line;
  for (const char c : Printable(bytes)) {
    const bool blank = c == '\n' || c == '\t' || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() <= limit) return line;
  size_t end = limit > 3 ? limit - 3 : 0;  // "…" has three bytes.
  while (end > 0 && InRange(static_cast<unsigned char>(line[end]), 0x80, 0xBF)) --end;
  line.resize(end);
  return line + "…";
}

}  // namespace shakedown
