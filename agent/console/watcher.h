// A kernel's console as it comes → what became of the kernel. Pure: bytes in, verdict out.
#ifndef SHAKEDOWN_AGENT_CONSOLE_WATCHER_H_
#define SHAKEDOWN_AGENT_CONSOLE_WATCHER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/console/alarm.h"
#include "proto/wire/sanitise.h"

namespace shakedown::console {

struct Verdict {
  Finding finding = Finding::kNone;
  std::string title;  // One printable line; empty for kNone.
};

// Any bytes in pieces of any cut: carriage returns, escape sequences, foreign bytes, lines without
// an end (a line counts up to 4 KiB). The first alarm is the verdict: what follows is its
// consequence. Once lines have carried the kernel's time stamps, a line without one is a program's
// and no alarm. One stream, one owner, not thread-safe.
class Watcher {
 public:
  void Add(absl::string_view bytes);
  // The stream's end: a last line without a line feed counts.
  void Finish();

  const Verdict& verdict() const { return verdict_; }
  bool kernel_spoke() const { return kernel_spoke_; }  // "Linux version …" or any stamp.
  bool reached_user_space() const { return reached_user_space_; }  // init was started.
  const std::string& last_line() const { return last_line_; }      // The last that is not blank.

 private:
  void TakeText(absl::string_view text);
  void EndLine();
  void Judge(absl::string_view message, bool stamped);

  TerminalFilter filter_;
  std::string line_;
  std::string last_line_;
  Verdict verdict_;
  int lines_for_function_ = 0;  // In how many more lines a "RIP:" may complete the title.
  bool saw_stamps_ = false;
  bool kernel_spoke_ = false;
  bool reached_user_space_ = false;
};

Verdict Classify(absl::string_view log);

}  // namespace shakedown::console

#endif  // SHAKEDOWN_AGENT_CONSOLE_WATCHER_H_
