#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// The metrics of an interbench load by pair: "interbench.video.burn.latency.max" is the kind
// "latency.max" of benchmark "video" in the presence of "burn". Names in the order of interbench,
// those it does not know at the end.
class InterbenchGrid {
 public:
  explicit InterbenchGrid(const v1::ReportLoad& load);

  const std::vector<std::string>& benchmarks() const { return benchmarks_; }
  // Of one benchmark: it is never run in the presence of itself.
  const std::vector<std::string>& loads() const { return loads_; }
  // nullptr: not measured.
  const v1::ReportMetric* Find(absl::string_view benchmark, absl::string_view load,
                               absl::string_view kind) const;
  bool empty() const { return benchmarks_.empty(); }
  // Of the latencies of the benchmark: real time's are in "us", all others' in "ms".
  static absl::string_view Unit(absl::string_view benchmark);

 private:
  const v1::ReportLoad& load_;
  std::vector<std::string> benchmarks_;
  std::vector<std::string> loads_;
};

// "video" → "Video", "x" → "X", "rt.video" → "Video RT".
std::string InterbenchName(absl::string_view word);

}  // namespace shakedown::compare
