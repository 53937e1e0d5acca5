// Files that a person names to a command.
#ifndef SHAKEDOWN_CONTROLLER_CLI_INPUT_FILE_H_
#define SHAKEDOWN_CONTROLLER_CLI_INPUT_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::cli {

// The whole of `file`, at most `limit` bytes of it; "-" is standard input. Errors as ReadFile's,
// marked so that ExitCodeOf() says kNoInput of them: wrong usage and a file that is not there are
// told apart, and each command says the same of it.
absl::StatusOr<std::string> ReadInput(const std::string& file, size_t limit);

// `status`, an error about a file that was named, with that mark.
absl::Status AsNoInput(absl::Status status);

// Whether it has the mark. Annotate() keeps the mark.
bool IsNoInput(const absl::Status& status);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_INPUT_FILE_H_
