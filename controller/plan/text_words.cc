#include "controller/plan/text_words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "proto/wire/ids.h"

namespace shakedown::plan {
namespace {

constexpr absl::string_view kBlanks = " \t\r\n";
bool IsBlank(char c) { return kBlanks.find(c) != absl::string_view::npos; }

std::string QuoteWord(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\r\n'\\") == std::string::npos;
  return plain ? word : absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace

absl::StatusOr<Words> SplitWords(absl::string_view text) {
  Words words;
  bool in_word = false, quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quoted && IsBlank(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == '\\' && !quoted) {
      if (++i == text.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat(Quoted(text), ": ends with a backslash, want a character behind it"));
      }
      words.back() += text[i];
    } else {
      words.back() += c;
    }
  }
  if (!quoted) return words;
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(text), ": want a second ' behind the first"));
}

std::string JoinWords(const Words& words) {
  return absl::StrJoin(words, " ",
                       [](std::string* out, const std::string& word) { *out += QuoteWord(word); });
}

}  // namespace shakedown::plan
