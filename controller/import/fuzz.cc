// libFuzzer's entry. The program's name says what is fuzzed: fuzz_vmstat offers every line of the
// input to that format ("_" for blanks in its name), fuzz_text is the whole of parse, fuzz_clean
// the cleaning layer.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "controller/import/clean.h"
#include "controller/import/format.h"
#include "controller/import/parse.h"

namespace shakedown::importer {

// Set once, before the first input.
std::string& Target() {
  static std::string target;
  return target;
}

namespace {

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
  if (Target() == "text") {
    PrintJson({{"f", ParseText(input)}});
    return;
  }
  CleanText clean;
  Clean(input, clean);
  if (Target() == "clean") FuzzClean(clean);
  for (const Format& format : Formats())
    if (format.name == Target()) FuzzFormat(clean, format.read);
}

}  // namespace
}  // namespace shakedown::importer

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const absl::string_view program((*argv)[0]);
  const size_t at = program.rfind("fuzz_");
  std::string target(at == absl::string_view::npos ? "" : program.substr(at + 5));
  for (char& c : target)
    if (c == '_') c = ' ';
  bool known = target == "text" || target == "clean";
  for (const auto& format : shakedown::importer::Formats()) known = known || format.name == target;
  if (!known) {
    std::fprintf(stderr, "%s: want fuzz_text, fuzz_clean or fuzz_ and a format\n", (*argv)[0]);
    std::exit(64);
  }
  shakedown::importer::Target() = target;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  shakedown::importer::Fuzz(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
