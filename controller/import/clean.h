// From what mailers and terminals made of a text to plain lines, whose numbers are those of the raw
// text. The only place that knows of quoting, quoted-printable, CR/LF, escape sequences and odd
// blanks.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_CLEAN_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_CLEAN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::importer {

inline constexpr size_t kLongestLine = 64 << 10;
inline constexpr size_t kMostLines = 4'000'000;

struct Line {
  int number = 0;  // In the raw text, from 1; of the first part where a mailer broke the line.
  absl::string_view text;
};

struct CleanText {
  // Owns the lines' text. Not copied with them.
  std::string buffer;
  std::vector<Line> lines;
  std::vector<int> too_long;  // Numbers of lines of more than kLongestLine bytes, left out.
  bool too_many = false;      // More than kMostLines lines: the rest was left out.
  bool base64 = false;        // A part is base64: it was not decoded.

  CleanText() = default;
  CleanText(const CleanText&) = delete;
  CleanText& operator=(const CleanText&) = delete;
  CleanText(CleanText&&) = delete;
};

// Fills `clean` (which must be new). Linear in the size of `raw`. In this order:
//  * terminal escape sequences vanish; a carriage return before a line feed vanishes, one alone
//    begins a new line of the same number (what it overwrote stays to be seen);
//  * a NUL, another control character, or a byte that is not UTF-8 becomes U+FFFD, so that the two
//    sides of it never join into one number; no-break and other wide blanks become a space;
//  * quoted-printable is decoded, in the parts whose header says so, or everywhere when every "="
//    of the text fits the encoding and "=3D" or a no-break space proves it;
//  * "> " quoting and blanks at the start and blanks at the end of a line vanish. Tabs within stay.
// Cleaning the lines of `clean` again gives the same lines.
void Clean(absl::string_view raw, CleanText& clean);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_CLEAN_H_
