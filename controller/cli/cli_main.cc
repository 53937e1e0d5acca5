// shakedown: the command people use.
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "controller/cli/run.h"

namespace {

shakedown::cli::Interrupt interrupt;

// The second Ctrl-C ends the process even if it listens to the first.
void OnInterrupt(int signal_number) {
  signal(signal_number, SIG_DFL);
  interrupt.came = true;
  if (!interrupt.listening) raise(signal_number);
}

std::optional<std::string> Variable(const std::string& name) {
  const char* value = getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

shakedown::cli::ScreenSize TerminalSize() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {80, 24};
  return {size.ws_col, size.ws_row};
}

std::optional<std::string> ReadLine() {
  std::string line;
  return std::getline(std::cin, line) ? std::optional<std::string>(line) : std::nullopt;
}

// As setlocale() chooses: the first of the three that is set and not empty.
bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = Variable(name).value_or("");
    if (value.empty()) continue;
    return absl::EndsWithIgnoreCase(value, "UTF-8") || absl::EndsWithIgnoreCase(value, "UTF8");
  }
  return false;
}

shakedown::cli::Screen::Setup StandardOutput() {
  shakedown::cli::Screen::Setup setup;
  // A dumb terminal can not be drawn over: it is written to as a pipe is.
  setup.terminal = isatty(STDOUT_FILENO) == 1 && Variable("TERM").value_or("dumb") != "dumb";
  // https://no-color.org: set and not empty.
  setup.colour = setup.terminal && Variable("NO_COLOR").value_or("").empty();
  setup.unicode = LocaleIsUtf8();
  if (setup.terminal) setup.size = TerminalSize;
  setup.zone = absl::LocalTimeZone();
  if (isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1) setup.read_line = ReadLine;
  return setup;
}

}  // namespace

int main(int argc, char** argv) {
  // gRPC's own lines on the error stream would stand beside our one.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  std::ios::sync_with_stdio(false);
  shakedown::cli::Screen screen(std::cout, std::cerr, StandardOutput());
  return shakedown::cli::Run({argv + 1, argv + argc}, screen, Variable, shakedown::SystemClock(),
                             interrupt);
}
