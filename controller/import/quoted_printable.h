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

// Whether the line is the mail header Content-Transfer-Encoding with this value.
bool SaysEncoding(absl::string_view line, absl::string_view encoding);

// Whether a header says so; or, without headers, every "=" is followed by two hex digits or ends
// its line, and "=3D" or an encoded no-break space is there. Plain results such as "clients=20" fit
// the encoding, too; these two do not come up in them.
bool IsQuotedPrintable(const std::vector<RawLine>& lines);

// Decodes the parts whose header says so (up to the next line that begins with "--" and has no
// blank), whose headers then say 8bit; without headers the whole text. A joined line has the number
// of its first part. What is no valid escape stays as it is.
std::vector<RawLine> DecodeQuotedPrintable(const std::vector<RawLine>& lines);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_QUOTED_PRINTABLE_H_
