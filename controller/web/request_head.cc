#include "controller/web/request_head.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace shakedown::web {
namespace {

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("request: ", what));
}

bool IsTokenChar(unsigned char c) {
  return absl::ascii_isalnum(c) ||
         absl::StrContains("!#$%&'*+-.^_`|~",
                           absl::string_view(reinterpret_cast<const char*>(&c), 1));
}

bool IsToken(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool IsPlain(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

absl::Status CheckRequestLine(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  if (words.size() != 3 || !IsToken(words[0]) || words[0].size() > 16) {
    return Bad("want METHOD TARGET HTTP/1.1");
  }
  if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0") return Bad("want HTTP/1.1");
  if (words[1].empty() || words[1][0] != '/') return Bad("target: want a path");
  if (words[1].size() > kMaxTarget) return Bad("target: too long");
  return absl::OkStatus();
}

bool MayComeOnce(const std::string& name) {
  return name == "host" || name == "content-length" || name == "content-type" ||
         name == "authorization" || name == "cookie" || name == "transfer-encoding" ||
         name == "origin";
}

}  // namespace

absl::StatusOr<std::string> CleanHead(absl::string_view head) {
  if (!absl::EndsWith(head, "\r\n\r\n")) return Bad("want lines that end with CR LF");
  head.remove_suffix(4);
  const std::vector<absl::string_view> lines = absl::StrSplit(head, "\r\n");
  for (const absl::string_view line : lines) {
    if (!IsPlain(line)) return Bad("control character in the head");
  }
  const absl::Status first = CheckRequestLine(lines[0]);
  if (!first.ok()) return first;
  if (lines.size() > 1 + kMaxFields) return Bad("too many header fields");
  std::map<std::string, int> seen;
  std::string out = absl::StrCat(lines[0], "\r\n");
  for (size_t i = 1; i < lines.size(); ++i) {
    const size_t colon = lines[i].find(':');
    if (colon == absl::string_view::npos || !IsToken(lines[i].substr(0, colon))) {
      return Bad("header field: want NAME: VALUE");
    }
    const std::string name = absl::AsciiStrToLower(lines[i].substr(0, colon));
    if (++seen[name] > 1 && MayComeOnce(name)) return Bad(absl::StrCat("two ", name, " fields"));
    if (name != "range" && name != "if-range") absl::StrAppend(&out, lines[i], "\r\n");
  }
  if (seen.count("content-length") && seen.count("transfer-encoding")) {
    return Bad("content-length and transfer-encoding");
  }
  return out + "\r\n";
}

}  // namespace shakedown::web
