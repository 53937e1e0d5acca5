// Options of a command line: glued or apart, "-c8", "-c 8", "--seconds=8".
#ifndef SHAKEDOWN_AGENT_RUNNER_CLI_OPTIONS_H_
#define SHAKEDOWN_AGENT_RUNNER_CLI_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/runner/cli.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {

// Takes an option's value; flags get "".
using Setter = std::function<absl::Status(absl::string_view value)>;
struct Option {
  bool takes_value;
  Setter set;
};
using Options = std::map<std::string, Option>;

// `set` takes a uint32_t.
template <typename Set>
Option NumberOption(std::string name, Set set) {
  return {true, [name, set](absl::string_view value) -> absl::Status {
            uint64_t number = 0;
            if (!absl::SimpleAtoi(value, &number) || number > 0xffffffffu) {
              return absl::InvalidArgumentError(
                  absl::StrCat("option ", name, ": ", Quoted(value), ", want a whole number"));
            }
            set(static_cast<uint32_t>(number));
            return absl::OkStatus();
          }};
}

// Of a number whose 0 would stand for the default.
template <typename Set>
Option AtLeastOne(std::string name, Set set) {
  const Option number = NumberOption(name, set);
  return {
      true, [name, number](absl::string_view value) -> absl::Status {
        RETURN_IF_ERROR(number.set(value));
        uint32_t found = 0;
        if (absl::SimpleAtoi(value, &found) && found > 0) return absl::OkStatus();
        return absl::InvalidArgumentError(absl::StrCat("option ", name, ": 0, want at least 1"));
      }};
}

template <typename Set>
Option TextOption(Set set) {
  return {true, [set](absl::string_view value) {
            set(std::string(value));
            return absl::OkStatus();
          }};
}

template <typename Set>
Option Flag(Set set) {
  return {false, [set](absl::string_view) {
            set();
            return absl::OkStatus();
          }};
}

// --json, --iterations, --warmups, --limit.
Options CommonOptions(LoadCommandLine& line);

// Takes options up to the first word that is none, or to "--"; `words[0]` is the load's name. The
// words behind belong to the load. InvalidArgument names the option.
absl::StatusOr<std::vector<std::string>> TakeOptions(const std::vector<std::string>& words,
                                                     const Options& options);

// The loads whose options are those of a program people know.
absl::StatusOr<LoadCommandLine> ParseLattCommandLine(const std::vector<std::string>& words);
absl::StatusOr<LoadCommandLine> ParseInterbenchCommandLine(const std::vector<std::string>& words);
// make's own options, then targets.
absl::StatusOr<LoadCommandLine> ParseMakeCommandLine(const std::vector<std::string>& words);
// launch, frames, command, tool: the common options, then the words of controller/plan/text.h.
absl::StatusOr<LoadCommandLine> ParseTextCommandLine(const std::vector<std::string>& words);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_CLI_OPTIONS_H_
