// A job as a file: text proto of JobSpec, `#` comments allowed.
#ifndef SHAKEDOWN_CONTROLLER_CLI_JOB_FILE_H_
#define SHAKEDOWN_CONTROLLER_CLI_JOB_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::cli {

// Largest job file, in bytes: 26 variants with long tunables are far below.
inline constexpr size_t kMaxJobFile = 1 << 20;

// InvalidArgument: every error, one a line, as "FILE:LINE:COLUMN: what"; an unknown field is one
// (the column is that behind its name). `file` is only shown. Syntax only: the farm checks what the
// words mean.
absl::StatusOr<v1::JobSpec> ParseJobFile(absl::string_view text, absl::string_view file);

// Reads and parses; "-" is standard input. NotFound, PermissionDenied, … of the file name it.
absl::StatusOr<v1::JobSpec> ReadJobFile(const std::string& path);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_JOB_FILE_H_
