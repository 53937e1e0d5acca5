#include "controller/import/parse.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/clean.h"
#include "controller/import/format.h"
#include "controller/import/plain.h"

namespace shakedown::importer {
namespace {

size_t ReadAny(const Lines& lines, size_t at, Sink& sink) {
  if (lines[at].text.empty()) return 1;
  for (const Format& format : Formats()) {
    const size_t taken = format.read(lines, at, sink);
    if (taken > 0) return taken;
  }
  return 1;  // Prose.
}

// A text that does not end its last line may have lost a part of the number or the name there.
void MarkCut(absl::string_view raw, const Lines& lines, Parsed& parsed) {
  if (raw.empty() || raw.back() == '\n' || lines.empty()) return;
  const absl::string_view text = lines.back().text;
  if (text.empty() || absl::StrContains(")}>]%", text.substr(text.size() - 1))) return;
  for (auto result = parsed.results.rbegin();
       result != parsed.results.rend() && result->line == lines.back().number; ++result)
    result->marks.push_back("last line without an end: may be cut off");
}

}  // namespace

Parsed ParseText(absl::string_view raw) {
  Sink sink;
  if (raw.size() > kMostBytes) {
    sink.Refuse(1, absl::StrCat(raw.size(), " bytes, want at most ", kMostBytes));
    return sink.Take();
  }
  if (PlainHeadOf(raw).has_value()) {
    Parsed plain = ParsePlain(raw);
    if (plain.results.empty() && plain.refused.empty())
      plain.refused.push_back({1, "results: a heading without rows"});
    return plain;
  }
  CleanText clean;
  Clean(raw, clean);
  for (const int line : clean.too_long)
    sink.Refuse(line, absl::StrCat("a line of more than ", kLongestLine, " bytes"));
  if (clean.base64) sink.Refuse(1, "a part of the mail is base64: save it decoded");
  for (size_t at = 0; at < clean.lines.size();) at += ReadAny(clean.lines, at, sink);
  if (clean.too_many) {
    sink.Refuse(clean.lines.back().number,
                absl::StrCat("more than ", kMostLines, " lines: not read from here on"));
  }
  Parsed parsed = sink.Take();
  MarkCut(raw, clean.lines, parsed);
  if (parsed.results.empty() && parsed.refused.empty())
    parsed.refused.push_back({1, "no results of a known format in the text"});
  return parsed;
}

}  // namespace shakedown::importer
