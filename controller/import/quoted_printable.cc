#include "controller/import/quoted_printable.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "controller/import/clean.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kHeader = "content-transfer-encoding:";
constexpr char k8Bit[] = "Content-Transfer-Encoding: 8bit";
constexpr absl::string_view kEncoding = "quoted-printable";
// Parts within parts; mails have two or three.
constexpr size_t kMostBoundaries = 16;

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
  text = absl::StripTrailingAsciiWhitespace(text);
  for (size_t at = text.find('='); at != absl::string_view::npos; at = text.find('=', at + 1))
    if (!IsEscape(text, at) && at + 1 != text.size()) return false;
  return true;
}

bool ProvesEncoding(absl::string_view text) {
  return absl::StrContains(text, "=3D") || absl::StrContains(text, "=C2=A0");
}

// The boundary that a header "Content-Type: multipart/…; boundary=…" declares; empty: none.
absl::string_view BoundaryOf(absl::string_view text) {
  const size_t at = text.find("boundary=");
  if (at == absl::string_view::npos) return {};
  absl::string_view rest = text.substr(at + 9);
  if (!absl::StartsWith(rest, "\"")) return rest.substr(0, rest.find_first_of("; \t"));
  rest.remove_prefix(1);
  return rest.substr(0, rest.find('"'));
}

// Appends the decoded text; true: the line goes on in the next one.
bool AppendDecoded(absl::string_view text, std::string& out) {
  text = absl::StripTrailingAsciiWhitespace(text);  // Of transport, by the RFC.
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

// A line that goes on from the one before, when the encoded text was quoted: without the quoting,
// but with the blanks that belong to it.
absl::string_view Continuation(absl::string_view text) {
  while (absl::StartsWith(text, ">")) {
    text.remove_prefix(1);
    if (absl::StartsWith(text, " ")) text.remove_prefix(1);
  }
  return text;
}

class Decoder {
 public:
  explicit Decoder(bool by_headers) : in_part_(!by_headers), by_headers_(by_headers) {}

  void Add(const RawLine& line) {
    const absl::string_view text = Unquoted(line.text);
    const absl::string_view boundary = in_part_ ? absl::string_view() : BoundaryOf(line.text);
    if (by_headers_ && !boundary.empty() && boundaries_.size() < kMostBoundaries)
      boundaries_.emplace_back(boundary);
    if (by_headers_ && !goes_on_ && SaysEncoding(line.text, kEncoding)) {
      out_.push_back({line.number, k8Bit});
      header_seen_ = true;
    } else if (by_headers_ && header_seen_ && !in_part_) {
      out_.push_back(line);
      in_part_ = text.empty();
    } else if (by_headers_ && in_part_ && IsBoundary(text)) {
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
  bool IsBoundary(absl::string_view text) const {
    if (!absl::StartsWith(text, "--")) return false;
    for (const std::string& boundary : boundaries_)
      if (absl::StartsWith(text.substr(2), boundary)) return true;
    return false;
  }

  void AddEncoded(const RawLine& line) {
    if (!goes_on_ || out_.back().text.size() > kLongestLine) out_.push_back({line.number, ""});
    const absl::string_view text = goes_on_ ? Continuation(line.text) : line.text;
    goes_on_ = AppendDecoded(text, out_.back().text);
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
  std::vector<std::string> boundaries_;
  std::vector<RawLine> out_;
};

bool HasHeader(const std::vector<RawLine>& lines) {
  for (const RawLine& line : lines)
    if (SaysEncoding(line.text, kEncoding)) return true;
  return false;
}

}  // namespace

absl::string_view Unquoted(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  while (absl::StartsWith(line, ">")) line = absl::StripLeadingAsciiWhitespace(line.substr(1));
  return line;
}

bool SaysEncoding(absl::string_view line, absl::string_view encoding) {
  line = Unquoted(line);
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

void SpoilQuotedPrintable(std::vector<RawLine>& lines) {
  for (RawLine& line : lines) {
    if (SaysEncoding(line.text, kEncoding)) line.text = k8Bit;
    line.text = absl::StrReplaceAll(line.text, {{"=3D",
                                                 "\xEF\xBF\xBD"
                                                 "3D"},
                                                {"=C2=A0",
                                                 "\xEF\xBF\xBD"
                                                 "C2=A0"}});
  }
}

}  // namespace shakedown::importer
