// The farms that the command knows by name: ~/.config/shakedown/config.txtpb.
#ifndef SHAKEDOWN_CONTROLLER_CLI_CONTEXTS_H_
#define SHAKEDOWN_CONTROLLER_CLI_CONTEXTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/cli/settings.h"
#include "shakedown/v1/cli_config.pb.h"

namespace shakedown::cli {

// $XDG_CONFIG_HOME/shakedown/config.txtpb, else ~/.config/…; empty when neither variable is set.
std::string ConfigPath(const Environment& environment);

// An absent file, and an empty path, are an empty configuration. InvalidArgument names
// FILE:LINE:COLUMN, or the context that is wrong.
absl::StatusOr<v1::CliConfig> ReadConfig(const std::string& path);
// Checked, then by rename, mode 0600. Comments of a person are lost: the file says so at its head.
absl::Status WriteConfig(const std::string& path, const v1::CliConfig& config);

// The context `name`; with an empty name the current one, else the only one, else an empty one.
// NotFound: no such context, with those that there are.
absl::StatusOr<v1::CliConfig::Context> FindContext(const v1::CliConfig& config,
                                                   absl::string_view name);

// Adds it, or replaces the one of its name; the first one becomes the current one.
void PutContext(const v1::CliConfig::Context& context, v1::CliConfig* config);
// NotFound as above. The current one leaves none current.
absl::Status RemoveContext(absl::string_view name, v1::CliConfig* config);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_CONTEXTS_H_
