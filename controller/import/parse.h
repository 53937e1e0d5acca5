// A whole text, read by every format that knows a part of it.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_PARSE_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_PARSE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "controller/import/result.h"

namespace shakedown::importer {

// The largest file that is read.
inline constexpr size_t kMostBytes = 64 << 20;

// Never fails: what it can not read is in `refused`. A text with no result and no refusal is
// refused as a whole, on line 1. When the text ends without a line feed or a closing parenthesis,
// the values of its last line are marked: it may be cut off. Linear in the size; any bytes.
Parsed ParseText(absl::string_view raw);

struct ParsedFile {
  std::string file;  // As the user named it.
  Parsed parsed;
};

// One JSON object:
//   {"files":[{"file","results":[…],"notes":[{"line","text"}],"refused":[{"line","reason"}]}]}
// A result is {"tool","form","version"?,"metric","value","unit","unit_from"?,"direction"?,"line",
// "context"?{…},"marks"?[…]}; members with ? are there only when there is something to say. "unit"
// is null when nothing says it; "unit_from" is "default" when the unit is the tool's default and
// the options are not known. "direction" is "lower" or "higher": which is better.
std::string PrintJson(const std::vector<ParsedFile>& files);

// The same for people: one line a value.
std::string PrintText(const std::vector<ParsedFile>& files);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_PARSE_H_
