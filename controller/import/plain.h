// The farm's own form of other tools' results: a CSV file that people can write and that an export
// gives.
//
//   # shakedown results 1
//   # machine: p4-ht
//   # source: https://example.org/post
//   # measured: 2010-08-08
//   # fact: memory=1 GB
//   kernel,metric,detail,value,unit,direction,run,marks
//   2.6.35-ck1,interbench.video.burn.latency.max,,0.4,ms,lower,1,*
//
// The first line and a heading with kernel, metric and value are wanted, the other columns are
// optional: detail, unit, unit_from (empty or "default"), direction (lower, higher or empty), run,
// iteration (both from 1), warmup (0 or 1), marks (parted by "|"). A kernel's tunables stand behind
// its name. Lines that begin with # are comments but for those above. Quoting as in RFC 4180; a
// field holds no line feed. Nothing that mails do to texts is undone here.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_PLAIN_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_PLAIN_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "controller/import/result.h"
#include "controller/import/rows.h"

namespace shakedown::importer {

inline constexpr absl::string_view kPlainTool = "shakedown";

struct PlainHead {
  std::string machine;  // Each empty when not said.
  std::string source;
  std::string measured;  // "2010-08-08".
  std::map<std::string, std::string> facts;
};

// Nullopt: the text is not of this form.
std::optional<PlainHead> PlainHeadOf(absl::string_view raw);

// The lines that can not be read are in `refused`. Needs PlainHeadOf() to give something.
Parsed ParsePlain(absl::string_view raw);

// Variant, detail, run, iteration and warm-up of a result of ParsePlain.
void FillPlainRow(const Source& source, Row& row);

// `rows` with the kernel of each as its variant. Read again it gives the same rows but for `line`.
std::string PrintPlain(const PlainHead& head, const std::vector<Row>& rows);

// The fields of one line of CSV. Nullopt: a quote that does not close, or something behind one.
std::optional<std::vector<std::string>> CsvFields(absl::string_view line);
// A field, in quotes when it needs them.
std::string CsvField(absl::string_view text);

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_PLAIN_H_
