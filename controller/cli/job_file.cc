#include "controller/cli/job_file.h"

#include "absl/strings/str_cat.h"
#include "controller/cli/input_file.h"
#include "proto/wire/status.h"
#include "proto/wire/text_proto.h"

namespace shakedown::cli {
namespace {

// More errors than this help nobody: a file that is something else altogether.
constexpr size_t kMaxErrors = 10;

}  // namespace

absl::StatusOr<v1::JobSpec> ParseJobFile(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxJobFile) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", text.size(), " bytes, want a job file of at most ", kMaxJobFile));
  }
  v1::JobSpec spec;
  RETURN_IF_ERROR(ParseTextProto(text, file, &spec, kMaxErrors));
  return spec;
}

absl::StatusOr<v1::JobSpec> ReadJobFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadInput(path, kMaxJobFile);
  if (!text.ok()) return Annotate(text.status(), "job file");
  return ParseJobFile(*text, path == "-" ? "standard input" : path);
}

}  // namespace shakedown::cli
