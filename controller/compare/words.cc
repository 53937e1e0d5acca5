#include "controller/compare/words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

// One line, its blanks kept: the columns of a compiler's message mean something.
std::string OneLine(absl::string_view text) {
  std::string line = absl::StrReplaceAll(Printable(text), {{"\t", "  "}, {"\n", " "}});
  absl::StripTrailingAsciiWhitespace(&line);
  return line;
}

std::vector<std::string> Lines(absl::string_view text) {
  constexpr size_t kLongest = 500;
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(Printable(text), '\n')) {
    std::string kept = OneLine(line);
    if (kept.size() > kLongest) kept = ToUtf8(absl::string_view(kept).substr(0, kLongest));
    if (!kept.empty()) lines.push_back(std::move(kept));
  }
  return lines;
}

}  // namespace

std::string Word(v1::Outcome outcome) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::Outcome_Name(outcome), "OUTCOME_"));
}

std::string Word(v1::JobState state) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::JobState_Name(state), "JOB_STATE_"));
}

std::string Ascii(absl::string_view text) {
  std::string out;
  for (const char c : OneLine(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) out += c;
    if (byte >= 0xc0) out += '?';  // The first byte of a character; the others add nothing.
  }
  return out;
}

size_t ShownFrom(const std::vector<std::string>& lines, absl::string_view key, size_t count) {
  if (lines.size() <= count) return 0;
  const size_t last = lines.size() - count;
  if (key.empty()) return last;
  const auto at = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return absl::StrContains(line, key);
  });
  if (at == lines.end()) return last;
  const auto middle = static_cast<size_t>(at - lines.begin());
  return std::min(last, middle - std::min(middle, count / 2));
}

std::vector<std::string> TellingLines(absl::string_view text, absl::string_view key, size_t count) {
  const std::vector<std::string> lines = Lines(text);
  const size_t from = ShownFrom(lines, key, count);
  return {lines.begin() + static_cast<ptrdiff_t>(from),
          lines.begin() + static_cast<ptrdiff_t>(std::min(from + count, lines.size()))};
}

std::vector<std::string> FirstLines(absl::string_view text, size_t count) {
  std::vector<std::string> lines = Lines(text);
  if (lines.size() > count) lines.resize(count);
  return lines;
}

}  // namespace shakedown::compare
