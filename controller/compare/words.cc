#include "controller/compare/words.h"

#include "absl/strings/ascii.h"
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

std::vector<std::string> LastLines(absl::string_view text, size_t count) {
  std::vector<std::string> lines = Lines(text);
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  return lines;
}

std::vector<std::string> FirstLines(absl::string_view text, size_t count) {
  std::vector<std::string> lines = Lines(text);
  if (lines.size() > count) lines.resize(count);
  return lines;
}

}  // namespace shakedown::compare
