#include "controller/compare/print_notes.h"

#include "absl/strings/str_cat.h"
#include "controller/compare/layout.h"
#include "controller/compare/words.h"

namespace shakedown::compare {

std::string PrintNotes(const v1::Report& report) {
  if (report.notes().empty()) return "";
  std::string out = "\nWhat people saw\n";
  for (const v1::ReportNote& note : report.notes()) {
    absl::StrAppend(&out, Wrap("  ", Ascii(absl::StrCat(note.subject(), " ", note.kind(), " (",
                                                        note.author(), "): ", note.text()))));
  }
  return out;
}

}  // namespace shakedown::compare
