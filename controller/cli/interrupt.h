#ifndef SHAKEDOWN_CONTROLLER_CLI_INTERRUPT_H_
#define SHAKEDOWN_CONTROLLER_CLI_INTERRUPT_H_

#include <atomic>

namespace shakedown::cli {

// Ctrl-C. It ends the program at once, but for commands that listen: they end by themselves, with a
// word about what goes on without them. Lock-free, so that a signal handler may touch it.
struct Interrupt {
  std::atomic<bool> listening{false};
  std::atomic<bool> came{false};
};

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_INTERRUPT_H_
