// The words of top's summary and table, in the languages known: English; German and French of
// procps-ng 3.3 and 4. A word that is not here is refused, never taken by its place.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_TOP_WORDS_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_TOP_WORDS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace shakedown::importer {

// "tasks" or "threads" for the label of that line; empty: another.
absl::string_view TopTasks(absl::string_view label);
// "mem." or "swap."; empty: no memory line.
std::string TopMemory(absl::string_view label);
// The name below "top." of a word in a summary line of `prefix` ("cpu.", "mem.", "tasks.", …);
// empty: not known.
std::string TopWord(absl::string_view prefix, absl::string_view word);
// The English name of a column; what is not known stays as it is.
std::string TopColumn(absl::string_view word);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_TOP_WORDS_H_
