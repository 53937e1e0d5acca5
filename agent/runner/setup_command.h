// shakedown-runner setup and undo: the machine's state, for people.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_COMMAND_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "proto/wire/clock.h"

namespace shakedown::runner {

// What the commands work with.
struct SetupDesk {
  std::string root;  // Stands before every path; empty outside tests.
  Clock& clock;
  std::function<void(const std::string& text)> print;
  std::function<void(const std::string& error)> complain;
  // Runs a load's command line in a process of its own and gives its exit code.
  std::function<int(const std::vector<std::string>& words)> run_load;
};

// `words`: what stands behind "setup": steps, and behind "--" a load's command line. With a load:
// applies, settles, runs it and takes everything back. Without: applies and leaves it, until
// "undo". Exit code: the load's; 1 a step can not be done or undone, 64 usage.
int SetupCommand(const std::vector<std::string>& words, const SetupDesk& desk);

// Takes back what "setup" left or a crash did. Exit code: 0 done or nothing to do, 1 something
// failed.
int UndoCommand(const SetupDesk& desk);

// Runs `work` in a child that ends with us and has INT, TERM and HUP passed on.
int RunInChild(const std::function<int()>& work);

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_COMMAND_H_
