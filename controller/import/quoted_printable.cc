#include "controller/import/quoted_printable.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "controller/import/clean.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kHeader = "content-transfer-encoding:";
constexpr absl::string_view kEncoding = "quoted-printable";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Whether two hex digits follow the "=" at `at`.
bool IsEscape(absl::string_view text, size_t at) {
  return at + 2 < text.size() && HexDigit(text[at + 1]) >= 0 && HexDigit(text[at + 2]) >= 0;
}

bool FitsEncoding(absl::string_view text) {
  for (size_t at = text.find('='); at != absl::string_view::npos; at = text.find('=', at + 1))
    if (!IsEscape(text, at) && at + 1 != text.size()) return false;
  return true;
}

bool ProvesEncoding(absl::string_view text) {
  return absl::StrContains(text, "=3D") || absl::StrContains(text, "=C2=A0");
}

// The end of a part: "--" and a boundary, which has no blank. Rulers of dashes are none.
bool IsBoundary(absl::string_view text) {
  return absl::StartsWith(text, "--") && text.size() > 4 && !absl::StrContains(text, ' ') &&
         text.find_first_not_of('-') != absl::string_view::npos;
}

// Appends the decoded text; true: the line goes on in the next one.
bool AppendDecoded(absl::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') {
      out += text[i];
    } else if (IsEscape(text, i)) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else if (i + 1 == text.size()) {
      return true;
    } else {
      out += '=';
    }
  }
  return false;
}

class Decoder {
 public:
  explicit Decoder(bool by_headers) : in_part_(!by_headers), by_headers_(by_headers) {}

  void Add(const RawLine& line) {
    if (by_headers_ && !goes_on_ && SaysEncoding(line.text, kEncoding)) {
      out_.push_back({line.number, "Content-Transfer-Encoding: 8bit"});
      header_seen_ = true;
    } else if (by_headers_ && header_seen_ && !in_part_) {
      out_.push_back(line);
      in_part_ = line.text.empty();
    } else if (by_headers_ && in_part_ && IsBoundary(line.text)) {
      out_.push_back(line);
      in_part_ = header_seen_ = goes_on_ = false;
    } else if (!in_part_) {
      out_.push_back(line);
    } else {
      AddEncoded(line);
    }
  }

  std::vector<RawLine> Take() { return std::move(out_); }

 private:
  void AddEncoded(const RawLine& line) {
    if (!goes_on_ || out_.back().text.size() > kLongestLine) out_.push_back({line.number, ""});
    goes_on_ = AppendDecoded(line.text, out_.back().text);
    // Encoded line feeds end lines, too.
    if (goes_on_ || !absl::StrContains(out_.back().text, '\n')) return;
    const int number = out_.back().number;
    const std::string joined = std::move(out_.back().text);
    out_.pop_back();
    for (const absl::string_view part : absl::StrSplit(joined, '\n'))
      out_.push_back({number, std::string(part)});
  }

  bool in_part_;
  const bool by_headers_;
  bool header_seen_ = false;
  bool goes_on_ = false;
  std::vector<RawLine> out_;
};

bool HasHeader(const std::vector<RawLine>& lines) {
  for (const RawLine& line : lines)
    if (SaysEncoding(line.text, kEncoding)) return true;
  return false;
}

}  // namespace

bool SaysEncoding(absl::string_view line, absl::string_view encoding) {
  return absl::StartsWithIgnoreCase(line, kHeader) &&
         absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(line.substr(kHeader.size())), encoding);
}

bool IsQuotedPrintable(const std::vector<RawLine>& lines) {
  if (HasHeader(lines)) return true;
  bool proven = false;
  for (const RawLine& line : lines) {
    if (!FitsEncoding(line.text)) return false;
    proven = proven || ProvesEncoding(line.text);
  }
  return proven;
}

std::vector<RawLine> DecodeQuotedPrintable(const std::vector<RawLine>& lines) {
  Decoder decoder(HasHeader(lines));
  for (const RawLine& line : lines) decoder.Add(line);
  return decoder.Take();
}

}  // namespace shakedown::importer
