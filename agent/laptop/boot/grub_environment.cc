#include "agent/laptop/boot/grub_environment.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace shakedown::laptop {
namespace {

constexpr absl::string_view kSignature = "# GRUB Environment Block\n";

// The end of the variable that begins at `start`, its line feed included; npos: it has none. A
// backslash hides the byte after it (escaped line feeds are part of a value).
size_t EndOfVariable(absl::string_view text, size_t start) {
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '\n') {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

struct Place {
  size_t start = absl::string_view::npos;
  size_t end = 0;
};

Place Find(absl::string_view lines, absl::string_view name) {
  for (size_t start = 0; start < lines.size();) {
    const size_t end = EndOfVariable(lines, start);
    if (absl::StartsWith(lines.substr(start), absl::StrCat(name, "="))) return {start, end};
    start = end;
  }
  return {};
}

}  // namespace

absl::StatusOr<GrubEnvironment> GrubEnvironment::Parse(absl::string_view block) {
  if (block.size() != kGrubEnvironmentSize) {
    return absl::DataLossError(absl::StrCat(block.size(), " bytes, want ", kGrubEnvironmentSize,
                                            " (grub-editenv create)"));
  }
  if (!absl::StartsWith(block, kSignature)) {
    return absl::DataLossError(
        "no \"# GRUB Environment Block\" at its start (grub-editenv create)");
  }
  absl::string_view lines = block.substr(kSignature.size());
  lines = lines.substr(0, lines.find_last_not_of('#') + 1);
  for (size_t at = 0; at < lines.size();) {
    const size_t end = EndOfVariable(lines, at);
    const absl::string_view line = lines.substr(at, end - at);
    const size_t equals = line.find('=');
    const bool variable = equals != 0 && equals != absl::string_view::npos;
    if (end == absl::string_view::npos || (line.front() != '#' && !variable)) {
      return absl::DataLossError(absl::StrCat(
          "byte ", kSignature.size() + at, ": no variable (grub-editenv create makes a new one)"));
    }
    at = end;
  }
  GrubEnvironment environment;
  environment.lines_ = std::string(lines);
  return environment;
}

std::optional<std::string> GrubEnvironment::Get(absl::string_view name) const {
  const Place place = Find(lines_, name);
  if (place.start == absl::string_view::npos) return std::nullopt;
  const size_t value = place.start + name.size() + 1;
  return lines_.substr(value, place.end - 1 - value);
}

absl::Status GrubEnvironment::Set(absl::string_view name, absl::string_view value) {
  std::string lines = lines_;
  const Place place = Find(lines, name);
  const std::string line = absl::StrCat(name, "=", value, "\n");
  if (place.start == absl::string_view::npos) {
    lines += line;
  } else {
    lines.replace(place.start, place.end - place.start, line);
  }
  if (kSignature.size() + lines.size() > kGrubEnvironmentSize) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no room for ", name, " in the ", kGrubEnvironmentSize, " bytes"));
  }
  lines_ = std::move(lines);
  return absl::OkStatus();
}

void GrubEnvironment::Erase(absl::string_view name) {
  const Place place = Find(lines_, name);
  if (place.start != absl::string_view::npos) lines_.erase(place.start, place.end - place.start);
}

std::string GrubEnvironment::Block() const {
  std::string block = absl::StrCat(kSignature, lines_);
  block.resize(kGrubEnvironmentSize, '#');
  return block;
}

}  // namespace shakedown::laptop
