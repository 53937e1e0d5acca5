#include "agent/runner/setup/command_line.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace shakedown::runner {
namespace {

std::vector<std::string> Words(absl::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (absl::ascii_isspace(c) && !quoted) {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

std::vector<std::string> BootParameters(absl::string_view command_line, absl::string_view key) {
  std::vector<std::string> found;
  for (const std::string& word : Words(command_line)) {
    if (word == "--") break;
    absl::string_view rest = word;
    if (!absl::ConsumePrefix(&rest, key)) continue;
    if (rest.empty()) found.emplace_back();
    if (absl::ConsumePrefix(&rest, "=")) found.emplace_back(rest);
  }
  return found;
}

std::optional<std::string> BootParameter(absl::string_view command_line, absl::string_view key) {
  const std::vector<std::string> found = BootParameters(command_line, key);
  if (found.empty()) return std::nullopt;
  return found.back();
}

}  // namespace shakedown::runner
