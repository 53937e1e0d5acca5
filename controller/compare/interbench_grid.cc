#include "controller/compare/interbench_grid.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace shakedown::compare {
namespace {

constexpr absl::string_view kBenchmarks[] = {"audio",  "video",    "x",        "gaming",
                                             "custom", "rt.audio", "rt.video", "rt.custom"};
constexpr absl::string_view kLoads[] = {"none", "video", "x",       "burn",    "write",
                                        "read", "ring",  "compile", "memload", "custom"};

template <size_t n>
void Sort(const absl::string_view (&order)[n], std::vector<std::string>& names) {
  const auto rank = [&](const std::string& name) {
    return std::find(std::begin(order), std::end(order), name) - std::begin(order);
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
}

void AddOnce(absl::string_view name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

}  // namespace

InterbenchGrid::InterbenchGrid(const v1::ReportLoad& load) : load_(load) {
  for (const v1::ReportMetric& metric : load.metrics()) {
    const std::vector<absl::string_view> parts = absl::StrSplit(metric.name(), '.');
    if (parts.size() < 4 || parts[0] != "interbench") continue;
    // "interbench.rt.video.burn.…" is real time: a benchmark of its own, in another unit.
    const bool realtime = parts[1] == "rt";
    if (realtime && parts.size() < 5) continue;
    AddOnce(realtime ? absl::StrCat("rt.", parts[2]) : std::string(parts[1]), benchmarks_);
    AddOnce(parts[realtime ? 3 : 2], loads_);
  }
  Sort(kBenchmarks, benchmarks_);
  Sort(kLoads, loads_);
}

const v1::ReportMetric* InterbenchGrid::Find(absl::string_view benchmark, absl::string_view load,
                                             absl::string_view kind) const {
  const std::string name = absl::StrCat("interbench.", benchmark, ".", load, ".", kind);
  for (const v1::ReportMetric& metric : load_.metrics()) {
    if (metric.name() == name) return &metric;
  }
  return nullptr;
}

absl::string_view InterbenchGrid::Unit(absl::string_view benchmark) {
  return absl::StartsWith(benchmark, "rt.") ? "us" : "ms";
}

std::string InterbenchName(absl::string_view word) {
  if (absl::ConsumePrefix(&word, "rt.")) return absl::StrCat(InterbenchName(word), " RT");
  std::string name(word);
  if (!name.empty()) name[0] = absl::ascii_toupper(static_cast<unsigned char>(name[0]));
  return name;
}

}  // namespace shakedown::compare
