// The interface of a format, and the one list of them.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_FORMAT_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_FORMAT_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "controller/import/clean.h"
#include "controller/import/result.h"

namespace shakedown::importer {

using Lines = std::vector<Line>;

// Text of the line at `at`; empty past the end.
inline absl::string_view TextAt(const Lines& lines, size_t at) {
  return at < lines.size() ? lines[at].text : absl::string_view();
}

// Reads the block that starts at lines[at], puts what it finds into `sink` and returns how many
// lines it took. 0: no block of this format starts here, and the sink was left alone; this is
// decided from a handful of lines, so that a whole text is read in linear time. What belongs to the
// block and can not be read is refused with its line.
using ReadBlock = size_t (*)(const Lines& lines, size_t at, Sink& sink);

struct Format {
  absl::string_view name;
  ReadBlock read;
};

// In the order in which they are asked: a side-by-side table before what its cells look like.
absl::Span<const Format> Formats();

size_t ReadSideBySide(const Lines& lines, size_t at, Sink& sink);
size_t ReadInterbench(const Lines& lines, size_t at, Sink& sink);
size_t ReadLatt(const Lines& lines, size_t at, Sink& sink);
size_t ReadShellTime(const Lines& lines, size_t at, Sink& sink);
size_t ReadGnuTime(const Lines& lines, size_t at, Sink& sink);
size_t ReadKernbench(const Lines& lines, size_t at, Sink& sink);
size_t ReadVmstat(const Lines& lines, size_t at, Sink& sink);
size_t ReadTop(const Lines& lines, size_t at, Sink& sink);
size_t ReadHackbench(const Lines& lines, size_t at, Sink& sink);
size_t ReadSchbench(const Lines& lines, size_t at, Sink& sink);
size_t ReadCyclictest(const Lines& lines, size_t at, Sink& sink);
size_t ReadHistogram(const Lines& lines, size_t at, Sink& sink);
size_t ReadJson(const Lines& lines, size_t at, Sink& sink);
size_t ReadPerfStat(const Lines& lines, size_t at, Sink& sink);
size_t ReadPerfStatCsv(const Lines& lines, size_t at, Sink& sink);
size_t ReadPerfBench(const Lines& lines, size_t at, Sink& sink);
size_t ReadPhoronix(const Lines& lines, size_t at, Sink& sink);
size_t ReadMmtests(const Lines& lines, size_t at, Sink& sink);
// Last: what only looks like results.
size_t ReadLookalike(const Lines& lines, size_t at, Sink& sink);

// The command line of `tool` on one of the three lines before `at` that are not blank: what stands
// behind a prompt, or the line itself when it begins with the tool's name. Empty: not known.
absl::string_view CommandBefore(const Lines& lines, size_t at, absl::string_view tool);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_FORMAT_H_
