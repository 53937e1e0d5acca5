// The lines of latt's report, one cell each; side-by-side tables have two of them on a line.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_LATT_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_LATT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "controller/import/result.h"

namespace shakedown::importer {

struct LattCell {
  std::string name;             // "entries", "max", "avg", "stdev", "stdev_mean".
  std::optional<double> value;  // Absent: printed as nan.
  std::string clients;          // Of entries.
};

// "Entries: 3088 (clients=8)", the whole of `text`.
std::optional<LattCell> LattEntries(absl::string_view text);
// "Max  19066 usec", the whole of `text`. Another unit, or none: nullopt.
std::optional<LattCell> LattNumber(absl::string_view text);

// Adds "<prefix><name>"; a note when there is no value.
void AddLattValue(const LattCell& cell, const SourcePtr& source, absl::string_view prefix, int line,
                  Sink& sink);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_LATT_H_
