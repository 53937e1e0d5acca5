#include "controller/import/parse.h"

#include "absl/strings/str_cat.h"
#include "controller/import/clean.h"
#include "controller/import/format.h"

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

}  // namespace

Parsed ParseText(absl::string_view raw) {
  Sink sink;
  if (raw.size() > kMostBytes) {
    sink.Refuse(1, absl::StrCat(raw.size(), " bytes, want at most ", kMostBytes));
    return sink.Take();
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
  if (parsed.results.empty() && parsed.refused.empty())
    parsed.refused.push_back({1, "no results of a known format in the text"});
  return parsed;
}

}  // namespace shakedown::importer
