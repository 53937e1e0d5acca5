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

// Whether words could be a command line that stands without a prompt: "vmstat -S M 1 60", but not
// "vmstat says".
bool LooksTyped(const std::vector<absl::string_view>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const absl::string_view word = words[i];
    if (word == "|" || word == ">") return true;
    const bool argument = word[0] == '-' || absl::ascii_isdigit(word[0]) || word.size() == 1 ||
                          word == "process" || word == "thread";
    if (!argument) return false;
  }
  return true;
}

// The command line of `tool`; empty: another line.
absl::string_view CommandOf(absl::string_view text, absl::string_view tool) {
  const size_t prompt = text.find_first_of("$#%");
  const bool prompted =
      prompt != absl::string_view::npos && absl::StartsWith(text.substr(prompt + 1), " ");
  if (prompted) text = absl::StripAsciiWhitespace(text.substr(prompt + 2));
  std::vector<absl::string_view> words = Words(text);
  if (!words.empty() && words[0] == "sudo") words.erase(words.begin());
  if (words.empty() || words[0].substr(words[0].rfind('/') + 1) != tool) return {};
  return prompted || LooksTyped(words) ? text : absl::string_view();
}

}  // namespace

absl::Span<const Format> Formats() { return kFormats; }

absl::string_view CommandBefore(const Lines& lines, size_t at, absl::string_view tool) {
  int seen = 0;
  for (size_t back = 1; back <= at && back <= 6 && seen < 3; ++back) {
    const absl::string_view text = lines[at - back].text;
    if (text.empty()) continue;
    ++seen;
    const absl::string_view command = CommandOf(text, tool);
    if (!command.empty()) return command;
  }
  return {};
}

}  // namespace shakedown::importer
