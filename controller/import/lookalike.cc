// What only looks like results: rows of numbers that nothing names, percentages alone, tools that
// did not run. Said, so that nobody takes a text for read that was not.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kTools[] = {"interbench", "latt",     "kernbench",  "vmstat", "top",
                                        "hackbench",  "schbench", "cyclictest", "perf",   "time"};

// The tool that a line says did not run; empty: none.
absl::string_view FailedTool(absl::string_view text) {
  const bool usage = absl::StartsWithIgnoreCase(text, "usage:");
  const bool missing = absl::StrContains(text, "command not found") ||
                       absl::StrContains(text, "No such file or directory") ||
                       absl::StrContains(text, ": not found");
  const bool option =
      absl::StrContains(text, "invalid option") || absl::StrContains(text, "unrecognized option");
  if (!usage && !missing && !option) return {};
  std::string plain(text);
  for (char& c : plain)
    if (c == ':' || c == '/' || c == '\'') c = ' ';
  for (const absl::string_view word : Words(plain))
    for (const absl::string_view tool : kTools)
      if (word == tool) return tool;
  return {};
}

bool IsPercentage(absl::string_view word) {
  while (!word.empty() && absl::StrContains("(,;.:)", word.substr(word.size() - 1)))
    word.remove_suffix(1);
  if (!absl::EndsWith(word, "%")) return false;
  word.remove_suffix(1);
  while (!word.empty() && absl::StrContains("(~+-<>", word.substr(0, 1))) word.remove_prefix(1);
  return Number(word).has_value();
}

bool IsRowOfNumbers(const std::vector<absl::string_view>& words) {
  if (words.size() < 3) return false;
  for (const absl::string_view word : words)
    if (!Number(word)) return false;
  return true;
}

}  // namespace

size_t ReadLookalike(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  if (const absl::string_view tool = FailedTool(text); !tool.empty()) {
    sink.Refuse(lines[at].number, absl::StrCat(tool, " did not run: ", Shown(text)));
    return 1;
  }
  const std::vector<absl::string_view> words = Words(text);
  if (IsRowOfNumbers(words)) {
    size_t end = at + 1;
    while (end < lines.size() && IsRowOfNumbers(Words(lines[end].text))) ++end;
    sink.Refuse(lines[at].number,
                absl::StrCat("numbers on ", end - at, end - at == 1 ? " line" : " lines",
                             " that no heading names"));
    return end - at;
  }
  // Prose may have a percentage; a line made of them wants to be a result.
  const size_t percentages = std::count_if(words.begin(), words.end(), IsPercentage);
  if (percentages > 0 && words.size() <= 4 * percentages) {
    sink.Note(lines[at].number,
              absl::StrCat("percentages without the values they are of: ", Shown(text)));
    return 1;
  }
  return 0;
}

}  // namespace shakedown::importer
