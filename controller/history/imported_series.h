// Results that other tools made elsewhere as series over kernels: series of their own, never among
// the farm's. Their kernels were not run in turns and mostly once each, so nothing is looked for in
// them: no changes, no suspicions, no ratio to a reference.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_IMPORTED_SERIES_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_IMPORTED_SERIES_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace shakedown::history {

// One run of one text.
struct ImportedNumber {
  int64_t import = 0;
  std::string machine;
  std::string kernel;     // "2.6.35-ck1",
  std::string tunables;   // "rr_interval=6"; empty: none.
  std::string detail;     // What else must be the same in a series: "make -j4 (1); clients 8".
  std::string unit;       // So must this: ms and us are never in one series.
  std::string direction;  // "lower", "higher", "" as the text knows it.
  double value = 0;
  bool starred = false;
};

struct ImportedPoint {
  std::string kernel;   // With its tunables, which make it a kernel of its own.
  std::string name;     // Without.
  std::string version;  // Its order key.
  double median = 0;
  double mad = 0;
  uint32_t runs = 0;
  bool starred = false;
  std::set<int64_t> imports;
};
struct ImportedSeries {
  std::string machine, detail, unit;
  std::string direction;  // Empty: no text says it, or they contradict each other.
  std::vector<ImportedPoint> points;
};

struct ImportedOptions {
  std::string since, until;           // As KernelFilter takes them;
  std::vector<std::string> patterns;  // a kernel fits with its tunables or without.
};

// `numbers`: of one metric, in any order. By machine, detail and unit; points by version, then by
// name and tunables. Series without a point that is asked for are left out.
std::vector<ImportedSeries> BuildImportedSeries(const std::vector<ImportedNumber>& numbers,
                                                const ImportedOptions& options);

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_IMPORTED_SERIES_H_
