// The manual page, from the same declarations as --help.
#ifndef SHAKEDOWN_CONTROLLER_CLI_MAN_PAGE_H_
#define SHAKEDOWN_CONTROLLER_CLI_MAN_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace CLI {
class App;
}

namespace shakedown::cli {

// shakedown(1) in the man macros of roff: every command with its options and notes.
std::string ManPage(const CLI::App& app, absl::string_view version);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_MAN_PAGE_H_
