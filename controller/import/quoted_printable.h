// Quoted-printable (RFC 2045, 6.7), decoded line by line so that line numbers stay.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_QUOTED_PRINTABLE_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_QUOTED_PRINTABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::importer {

struct RawLine {
  int number = 0;
  std::string text;
};

// Without blanks around it and quoting (">") in front of it.
absl::string_view Unquoted(absl::string_view line);

// Whether the line, unquoted, is the mail header Content-Transfer-Encoding with this value.
bool SaysEncoding(absl::string_view line, absl::string_view encoding);

// Whether a header says so; or, without headers, every "=" is followed by two hex digits or ends
// its line, and "=3D" or an encoded no-break space is there. Plain results such as "clients=20" fit
// the encoding, too; these two do not come up in them.
bool IsQuotedPrintable(const std::vector<RawLine>& lines);

// Decodes the parts whose header says so (up to a boundary that a header before has declared),
// whose headers then say 8bit; without headers the whole text. A joined line has the number of its
// first part. What is no valid escape stays as it is.
std::vector<RawLine> DecodeQuotedPrintable(const std::vector<RawLine>& lines);

// Of decoded lines that still look encoded, having been encoded twice: makes what is left
// unreadable (U+FFFD), so that IsQuotedPrintable() no longer holds and no half-decoded number is
// taken.
void SpoilQuotedPrintable(std::vector<RawLine>& lines);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_QUOTED_PRINTABLE_H_
