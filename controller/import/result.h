// What importers find in a text. Pure values; line numbers count the raw text from 1 (of a wrapped
// row the first of its lines, of JSON the first of the object).
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_RESULT_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_RESULT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::importer {

enum class Direction { kUnknown, kLower, kHigher };
// "lower", "higher", "": which is better.
absl::string_view DirectionWord(Direction direction);

// Where a value comes from: shared by the values of a row or a table.
struct Source {
  std::string tool;     // "interbench".
  std::string form;     // Which of the tool's outputs it was: "0.31", "bash", "17 columns".
  std::string version;  // Only when the text says it.
  // Benchmark, load, kernel, thread, label, …, in the order of the text, as the text writes them.
  std::vector<std::pair<std::string, std::string>> context;
};
using SourcePtr = std::shared_ptr<const Source>;

struct Result {
  SourcePtr source;  // Never null.
  // The name of our own loads' metric where it is the same quantity, else the tool's name and the
  // column's: "interbench.video.burn.latency.max", "vmstat.cs".
  std::string metric;
  double value = 0;       // Finite. In `unit`, as printed: nothing is converted but h:m:s to s.
  std::string unit;       // "1" for counts. Empty: neither the text nor the format says it.
  bool unit_said = true;  // False: the tool's default, which an option not seen could change.
  Direction direction = Direction::kUnknown;
  int line = 0;
  std::vector<std::string> marks;  // Added by hand ("*"), or why to take care ("first row").
};

struct Note {
  int line = 0;
  std::string text;
};

struct Refusal {
  int line = 0;
  std::string reason;
};

struct Parsed {
  std::vector<Result> results;
  std::vector<Note> notes;
  std::vector<Refusal> refused;
};

// Notes and refusals that are kept one by one; of more there is only the count.
inline constexpr size_t kMostRemarks = 1000;
// Results of one text; what comes after them is refused.
inline constexpr size_t kMostResults = 4'000'000;

// Where readers put what they find. One text, one sink; not thread-safe.
class Sink {
 public:
  void Add(Result result);
  void Note(int line, std::string text);
  void Refuse(int line, std::string reason);
  // Sorted by line. The sink is empty afterwards.
  Parsed Take();

 private:
  Parsed parsed_;
  size_t notes_left_out_ = 0;
  size_t refusals_left_out_ = 0;
  int last_line_ = 0;
  bool full_ = false;
};

// Makes a Source; empty context values are left out.
SourcePtr MakeSource(absl::string_view tool, absl::string_view form,
                     std::vector<std::pair<std::string, std::string>> context = {},
                     absl::string_view version = "");

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_RESULT_H_
