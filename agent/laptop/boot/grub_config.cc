#include "agent/laptop/boot/grub_config.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace shakedown::laptop {
namespace {

constexpr absl::string_view kBegin = "# >>> shakedown: one boot, removed when it is over";
constexpr absl::string_view kEnd = "# <<< shakedown\n";
constexpr absl::string_view kHadNextEntry = "; next_entry was there";
constexpr absl::string_view kHadFile = "; this file was there";
// Our section begins on a line of its own also when the text before it has no line feed at its end.
constexpr absl::string_view kHadNoLineFeed = "; without a last line feed";

// The commands of a script, one a line, blanks folded. `if …; then` stays one line.
std::vector<std::string> Lines(absl::string_view script) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(script, '\n')) {
    std::string text(line);
    absl::RemoveExtraAsciiWhitespace(&text);
    if (!text.empty() && text.front() != '#') lines.push_back(std::move(text));
  }
  return lines;
}

using Line = std::vector<std::string>::const_iterator;

template <typename Test>
Line FindLine(Line from, Line end, Test test) {
  return std::find_if(from, end, test);
}

bool TakesNextEntry(const std::string& line) {
  return line == "set default=\"${next_entry}\"" || line == "set default=${next_entry}";
}

bool Clears(const std::string& line) {
  return line == "set next_entry=" || line == "set next_entry=\"\"" || line == "unset next_entry";
}

bool Saves(const std::string& line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  return words.front() == "save_env" &&
         std::find(words.begin() + 1, words.end(), "next_entry") != words.end();
}

bool Loads(const std::string& line) {
  return line == "load_env" || absl::StartsWith(line, "load_env ");
}

bool EndsBranch(const std::string& line) {
  return line == "fi" || line == "else" || absl::StartsWith(line, "elif ") ||
         absl::StartsWith(line, "menuentry ");
}

bool SourcesCustom(const std::string& line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  return words.size() == 2 && (words[0] == "source" || words[0] == ".") &&
         absl::EndsWith(words[1], "/custom.cfg");
}

std::string Quote(absl::string_view word) { return absl::StrCat("'", word, "'"); }

}  // namespace

std::string WhatGrubConfigLacks(absl::string_view grub_cfg) {
  const std::vector<std::string> lines = Lines(grub_cfg);
  const Line end = lines.end();
  const Line loads = FindLine(lines.begin(), end, Loads);
  if (loads == end) return "it does not load grubenv (no load_env)";
  const Line takes = FindLine(loads, end, TakesNextEntry);
  if (takes == end) return "it does not take next_entry for the default";
  const Line branch_end = FindLine(takes, end, EndsBranch);
  const Line clears = FindLine(takes, branch_end, Clears);
  if (clears == branch_end) return "it does not clear next_entry before the boot";
  if (FindLine(clears, branch_end, Saves) == branch_end) {
    return "it does not save next_entry once it is cleared (no save_env)";
  }
  if (FindLine(lines.begin(), end, SourcesCustom) == end) {
    return "it does not source custom.cfg (no /etc/grub.d/41_custom)";
  }
  return "";
}

std::string AddSection(absl::string_view custom_cfg, const GrubEntry& entry) {
  const bool cut = !custom_cfg.empty() && custom_cfg.back() != '\n';
  std::string text =
      absl::StrCat(custom_cfg, cut ? "\n" : "", kBegin, entry.had_next_entry ? kHadNextEntry : "",
                   entry.had_file ? kHadFile : "", cut ? kHadNoLineFeed : "", "\n");
  absl::StrAppend(&text, "menuentry 'Shakedown test kernel (one boot)' --id ", entry.id, " {\n");
  absl::StrAppend(&text, "  search --no-floppy --set=root --file ", entry.image, "\n");
  absl::StrAppend(&text, "  linux ", entry.image);
  for (absl::string_view word : absl::StrSplit(entry.command_line, ' ', absl::SkipEmpty())) {
    absl::StrAppend(&text, " ", Quote(word));
  }
  absl::StrAppend(&text, "\n");
  if (!entry.initramfs.empty()) absl::StrAppend(&text, "  initrd ", entry.initramfs, "\n");
  absl::StrAppend(&text, "}\n", kEnd);
  return text;
}

absl::StatusOr<std::optional<Section>> FindSection(absl::string_view custom_cfg) {
  const size_t begin = custom_cfg.find(kBegin);
  if (begin == absl::string_view::npos) return std::nullopt;
  const size_t end = custom_cfg.find(kEnd, begin);
  if (end == absl::string_view::npos) {
    return absl::DataLossError(absl::StrCat("the section that begins with \"", kBegin,
                                            "\" has no end \"# <<< shakedown\": remove it"));
  }
  if (custom_cfg.find(kBegin, begin + 1) != absl::string_view::npos) {
    return absl::DataLossError(
        absl::StrCat("two sections that begin with \"", kBegin, "\": remove them"));
  }
  const absl::string_view mark = custom_cfg.substr(begin, custom_cfg.find('\n', begin) - begin);
  absl::string_view before = custom_cfg.substr(0, begin);
  if (absl::StrContains(mark, kHadNoLineFeed) && !before.empty()) before.remove_suffix(1);
  return Section{.without = absl::StrCat(before, custom_cfg.substr(end + kEnd.size())),
                 .had_next_entry = absl::StrContains(mark, kHadNextEntry),
                 .had_file = absl::StrContains(mark, kHadFile)};
}

}  // namespace shakedown::laptop
