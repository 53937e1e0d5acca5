// Where the program writes. Text from the farm, from users and from consoles reaches a terminal
// only through here, without its control characters.
#ifndef SHAKEDOWN_CONTROLLER_CLI_SCREEN_H_
#define SHAKEDOWN_CONTROLLER_CLI_SCREEN_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shakedown::cli {

enum class Tone { kPlain, kGood, kBad, kFarm, kDim, kBold };

struct Span {
  std::string text;
  Tone tone = Tone::kPlain;
};
using Line = std::vector<Span>;

// The line without its tones.
std::string Text(const Line& line);

struct ScreenSize {
  size_t columns = 0;  // 0: no bound, a pipe.
  size_t rows = 0;
};

// One thread.
class Screen {
 public:
  struct Setup {
    bool terminal = false;  // Of `out`.
    bool colour = false;
    bool unicode = false;                                            // Takes more than ASCII.
    std::function<ScreenSize()> size = [] { return ScreenSize{}; };  // Asked again at each drawing.
    absl::TimeZone zone = absl::UTCTimeZone();
    // A line that the person at the terminal types, without its end; nullopt at the end of input.
    // Empty: there is nobody to ask.
    std::function<std::optional<std::string>()> read_line;
  };
  // The streams outlive the screen.
  Screen(std::ostream& out, std::ostream& err, Setup setup)
      : out_(out), err_(err), setup_(std::move(setup)) {}

  bool terminal() const { return setup_.terminal; }
  bool unicode() const { return setup_.unicode; }
  ScreenSize size() const { return setup_.size(); }
  absl::TimeZone zone() const { return setup_.zone; }

  void Print(absl::string_view text);
  void Print(const Line& line);  // And a line feed.
  // JSON of `message`, proto3's mapping, every field present.
  void PrintJson(const google::protobuf::Message& message);
  // The bytes as they are, for --raw and for JSON made by the farm when it does not go to a
  // terminal.
  void PrintRaw(absl::string_view bytes);
  void Flush() { out_.flush(); }
  // False when something could not be written (full disk, closed pipe).
  bool healthy();

  // "shakedown: TEXT" on the error stream; more lines are indented.
  void Complain(absl::string_view text);
  void Complain(const absl::Status& status) { Complain(status.message()); }
  // To people beside the result: the error stream, without a prefix.
  void Note(absl::string_view text);

  bool can_ask() const { return setup_.read_line != nullptr; }
  // The answer to a question, asked on the error stream. Needs can_ask().
  std::optional<std::string> Ask(absl::string_view question);

  // Draws `lines` over those drawn before. Only on a terminal; each is cut to the width.
  void Redraw(const std::vector<Line>& lines);
  // What was drawn stays; the next Redraw() starts below.
  void KeepDrawn() { drawn_ = 0; }
  // Takes away what was drawn.
  void EraseDrawn();

 private:
  std::string Render(const Line& line) const;
  std::ostream& out_;
  std::ostream& err_;
  Setup setup_;
  size_t drawn_ = 0;
};

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_SCREEN_H_
