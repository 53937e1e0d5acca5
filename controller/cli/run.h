// The whole program but for the process around it, so that tests can run it.
#ifndef SHAKEDOWN_CONTROLLER_CLI_RUN_H_
#define SHAKEDOWN_CONTROLLER_CLI_RUN_H_

#include <string>
#include <vector>

#include "controller/cli/interrupt.h"
#include "controller/cli/screen.h"
#include "controller/cli/settings.h"
#include "proto/wire/clock.h"

namespace shakedown::cli {

// Runs `arguments` (without the program's name) and returns the exit code.
int Run(const std::vector<std::string>& arguments, Screen& screen, const Environment& environment,
        Clock& clock, Interrupt& interrupt);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_RUN_H_
