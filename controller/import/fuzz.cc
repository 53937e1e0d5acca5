// libFuzzer's entry. The program's name says what is fuzzed: fuzz_vmstat offers every line of the
// input to that format ("_" for blanks in its name), fuzz_text is the whole of parse with the rows
// made of it, fuzz_clean the cleaning layer, fuzz_plain the farm's own form.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "controller/import/clean.h"
#include "controller/import/format.h"
#include "controller/import/parse.h"
#include "controller/import/plain.h"
#include "controller/import/rows.h"

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

// Whatever was read is the same after printing and reading it again.
void FuzzRows(const Parsed& parsed) {
  std::vector<Row> rows = RowsOf(parsed);
  for (Row& row : rows)
    if (row.variant.empty()) row.variant = "k";
  const std::string printed = PrintPlain({}, rows);
  if (PrintPlain({}, RowsOf(ParsePlain(printed))) != printed) std::abort();
}

void FuzzText(absl::string_view input) {
  const Parsed parsed = ParseText(input);
  PrintJson({{"f", parsed}});
  FuzzRows(parsed);
}

void Fuzz(absl::string_view input) {
  if (Target() == "text") return FuzzText(input);
  if (Target() == "plain") {
    return FuzzText(absl::StrCat("# shakedown results 1\nkernel,metric,value,", input));
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
  bool known = target == "text" || target == "clean" || target == "plain";
  for (const auto& format : shakedown::importer::Formats()) known = known || format.name == target;
  if (!known) {
    std::fprintf(stderr, "%s: want fuzz_text, fuzz_clean, fuzz_plain or fuzz_ and a format\n",
                 (*argv)[0]);
    std::exit(64);
  }
  shakedown::importer::Target() = target;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  shakedown::importer::Fuzz(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
