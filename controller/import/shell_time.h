// One line of what shells print of `time`.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_SHELL_TIME_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_SHELL_TIME_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "controller/import/result.h"

namespace shakedown::importer {

struct TimeCell {
  std::string name;  // "real", "user", "sys".
  double seconds = 0;
};

// "real 2m40.232s", also with blanks after the m as BusyBox has it; the whole of `text`.
std::optional<TimeCell> ShellTimeCell(absl::string_view text);

void AddTime(absl::string_view name, double seconds, const SourcePtr& source, int line, Sink& sink);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_SHELL_TIME_H_
