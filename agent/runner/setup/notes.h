// ELF notes as /sys/kernel/notes gives them. The kernel under test wrote them: any byte may come.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_NOTES_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_NOTES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::runner {

// The GNU build id (note "GNU", type 3) as lower-case hex. NotFound: sound notes without one.
// InvalidArgument: a note that reaches past the end, or a build id that is not 4 to 64 bytes long.
absl::StatusOr<std::string> GnuBuildId(absl::string_view notes);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_NOTES_H_
