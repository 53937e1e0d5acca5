// libFuzzer's entry: one program a format (SHAKEDOWN_FUZZ_FORMAT is its name), which is offered
// every line of the input; "text" is the whole of parse, "clean" the cleaning layer.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "controller/import/clean.h"
#include "controller/import/format.h"
#include "controller/import/parse.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kFormat = SHAKEDOWN_FUZZ_FORMAT;

void FuzzFormat(const CleanText& clean, ReadBlock read) {
  Sink sink;
  for (size_t at = 0; at < clean.lines.size();) {
    const size_t taken = read(clean.lines, at, sink);
    if (taken > clean.lines.size() - at) std::abort();
    at += taken == 0 ? 1 : taken;
  }
  PrintJson({{"f", sink.Take()}});
}

void FuzzClean(const CleanText& once) {
  std::string joined;
  for (const Line& line : once.lines) absl::StrAppend(&joined, line.text, "\n");
  CleanText twice;
  Clean(joined, twice);
  if (once.lines.size() != twice.lines.size()) std::abort();
  for (size_t i = 0; i < once.lines.size(); ++i)
    if (once.lines[i].text != twice.lines[i].text) std::abort();
}

void Fuzz(absl::string_view input) {
  if (kFormat == "text") {
    PrintJson({{"f", ParseText(input)}});
    return;
  }
  CleanText clean;
  Clean(input, clean);
  if (kFormat == "clean") FuzzClean(clean);
  for (const Format& format : Formats())
    if (format.name == kFormat) FuzzFormat(clean, format.read);
}

}  // namespace
}  // namespace shakedown::importer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  shakedown::importer::Fuzz(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
