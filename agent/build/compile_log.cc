#include "agent/build/compile_log.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMaxLine = 1024;
constexpr size_t kMaxErrors = 20;
constexpr size_t kMaxErrorBytes = 8000;
constexpr size_t kLast = 10;
constexpr int kFollow = 3;

// Kbuild's short commands: two blanks, the tool in capitals, the file.
bool IsObject(absl::string_view line) {
  for (absl::string_view tool : {"  CC ", "  AS ", "  CC [M] ", "  AR ", "  LD "}) {
    if (absl::StartsWith(line, tool)) return true;
  }
  return false;
}

bool IsError(absl::string_view line) {
  for (absl::string_view sign :
       {"error: ", "Error: ", "*** ", "undefined reference", "multiple definition of",
        "No such file or directory", "FAILED at", "can't find file to patch", "malformed patch",
        "cannot find", "internal compiler error", "not found"}) {
    if (absl::StrContains(line, sign)) return true;
  }
  return false;
}

// Kbuild tells at each level of folders that the one below failed.
bool IsEcho(absl::string_view line) {
  return absl::StartsWith(line, "make") && absl::StrContains(line, "*** [");
}

}  // namespace

void CompileLog::Add(absl::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const absl::string_view piece = bytes.substr(0, end);
    if (partial_.size() < kMaxLine) {
      const absl::string_view fits = piece.substr(0, kMaxLine - partial_.size());
      partial_.append(fits.data(), fits.size());
    }
    if (end == absl::string_view::npos) return;
    Line(partial_);
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void CompileLog::Line(absl::string_view line) {
  if (IsObject(line)) ++objects_;
  if (host_fault_.empty()) {
    if (absl::StrContains(line, "No space left on device")) host_fault_ = std::string(line);
    if (absl::StrContains(line, "Killed signal terminated program") ||
        absl::StrContains(line, "fatal error: Killed") ||
        absl::StrContains(line, "virtual memory exhausted")) {
      host_fault_ = std::string(line);
    }
  }
  last_.emplace_back(line);
  if (last_.size() > kLast) last_.erase(last_.begin());
  const bool error = IsError(line) && !(IsEcho(line) && !errors_.empty());
  if (!error && follow_ == 0) return;
  follow_ = error ? kFollow : follow_ - 1;
  if (!error && !absl::StartsWith(line, " ")) {
    follow_ = 0;
    return;
  }
  if (errors_.size() >= kMaxErrors || error_bytes_ + line.size() > kMaxErrorBytes) return;
  errors_.emplace_back(line);
  error_bytes_ += line.size() + 1;
}

std::string CompileLog::FirstErrors() const {
  std::vector<std::string> lines = errors_.empty() ? last_ : errors_;
  if (errors_.empty() && !partial_.empty()) lines.push_back(partial_);
  return absl::StrJoin(lines, "\n");
}

}  // namespace shakedown::agent
