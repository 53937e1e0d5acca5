// A job's results for other programs. Pure: the same data give the same bytes, in plan order.
#ifndef SHAKEDOWN_CONTROLLER_EXPORT_EXPORT_H_
#define SHAKEDOWN_CONTROLLER_EXPORT_EXPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/import.pb.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::exporting {

enum class Format { kJson, kCsv, kKcidb };
// "json", "csv", "kcidb".  InvalidArgument.
absl::StatusOr<Format> ParseFormat(absl::string_view text);

// JSON, one object a line, each with "type":
//   job: job, title, submitter, state, submitted, ended, end_reason, order_seed, loads (texts),
//     variants [{letter, kernel, text, build_key, release}];
//   boot: boot, job, block, variant, attempt, kernel, machine, outcome, reason, started, ended,
//   boot_ms,
//     release, build_id, facts {…};
//   measurement: boot, load, metric, iteration, warmup, value, unit.
// A job comes before its boots, each of these before its measurements. Times are UTC, RFC 3339;
// what is not known is absent.
std::string JsonLines(const v1::ReportData& data);

// RFC 4180 with line feeds: one row a measurement, and one without metric, value and unit for every
// boot that has none.
std::string CsvHeader();
std::string CsvRows(const v1::ReportData& data);

// What was imported: an object {"type": "import", import, file, sha256, format, machine, source,
// submitter, added, measured, raw (the text itself, in base64: imported again it gives the same
// rows)}, then one for each value, {"type": "imported_value", import, metric, kernel, variant,
// detail, run, line, value, unit}.
std::string ImportJsonLines(const v1::GetImportResponse& import);
// In the columns of CsvHeader(): job and what is of a boot alone stay empty, boot is "import N",
// load the detail, iteration the run.
std::string ImportCsvRows(const v1::GetImportResponse& import);

// One object of KCIDB's schema, version 4.1, in one line: a checkout for each kernel's source, a
// build for each build, a test for each boot (path "boot") and each load run ("make", "latt", …). A
// kernel that panics, hangs or does not boot is a FAIL, a load run that was measured DONE (it
// passes no judgement), one that failed a FAIL, one that was disturbed an ERROR; what the farm lost
// or a person cancelled is a MISS. Numbers are in the tests' misc.
std::string KcidbObject(const v1::ReportData& data);

}  // namespace shakedown::exporting

#endif  // SHAKEDOWN_CONTROLLER_EXPORT_EXPORT_H_
