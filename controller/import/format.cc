#include "controller/import/format.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr Format kFormats[] = {
    {"side by side", ReadSideBySide},
    {"interbench", ReadInterbench},
    {"latt", ReadLatt},
    {"shell time", ReadShellTime},
    {"gnu time", ReadGnuTime},
    {"kernbench", ReadKernbench},
    {"vmstat", ReadVmstat},
    {"top", ReadTop},
    {"hackbench", ReadHackbench},
    {"schbench", ReadSchbench},
    {"cyclictest", ReadCyclictest},
    {"histogram", ReadHistogram},
    {"json", ReadJson},
    {"perf stat", ReadPerfStat},
    {"perf stat csv", ReadPerfStatCsv},
    {"perf bench", ReadPerfBench},
    {"phoronix", ReadPhoronix},
    {"mmtests", ReadMmtests},
    {"lookalike", ReadLookalike},
};

// What stands behind a prompt, or the line.
absl::string_view BehindPrompt(absl::string_view text) {
  const size_t prompt = text.find_first_of("$#%");
  if (prompt != absl::string_view::npos && absl::StartsWith(text.substr(prompt + 1), " "))
    text.remove_prefix(prompt + 2);
  return absl::StripAsciiWhitespace(text);
}

}  // namespace

absl::Span<const Format> Formats() { return kFormats; }

absl::string_view CommandBefore(const Lines& lines, size_t at, absl::string_view tool) {
  int seen = 0;
  for (size_t back = 1; back <= at && back <= 6 && seen < 3; ++back) {
    const absl::string_view command = BehindPrompt(lines[at - back].text);
    if (command.empty()) continue;
    ++seen;
    for (const absl::string_view word : Words(command)) {
      if (word == "sudo" || word == "./") continue;
      const absl::string_view name = word.substr(word.rfind('/') + 1);
      if (name == tool) return command;
      break;
    }
  }
  return {};
}

}  // namespace shakedown::importer
