#include "controller/cli/input_file.h"

#include "absl/strings/cord.h"
#include "proto/wire/files.h"

namespace shakedown::cli {
namespace {

constexpr char kMark[] = "shakedown/no-input";

}  // namespace

absl::StatusOr<std::string> ReadInput(const std::string& file, size_t limit) {
  absl::StatusOr<std::string> text = ReadFile(file == "-" ? "/dev/stdin" : file, limit);
  if (text.ok()) return text;
  return AsNoInput(text.status());
}

absl::Status AsNoInput(absl::Status status) {
  status.SetPayload(kMark, absl::Cord());
  return status;
}

bool IsNoInput(const absl::Status& status) { return status.GetPayload(kMark).has_value(); }

}  // namespace shakedown::cli
