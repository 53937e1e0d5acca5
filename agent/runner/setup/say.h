// One line on the console (standard error), for what happens when no farm is listening.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_SAY_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_SAY_H_

#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace shakedown::runner {

// "shakedown-runner: …\n" in one write, so that kernel messages do not fall in between.
inline void Say(absl::string_view text) {
  const std::string line = absl::StrCat("shakedown-runner: ", text, "\n");
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_SAY_H_
