#include "controller/compare/print_control.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_verdicts.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

constexpr size_t kName = 44;
constexpr size_t kChange = 10;
constexpr size_t kInterval = 17;
constexpr size_t kCount = 5;

std::string Row(const v1::ReportControlMetric& result) {
  // The same texts as the tables have.
  v1::ReportMetric metric;
  metric.set_scale(result.scale());
  v1::ReportComparison comparison;
  comparison.set_change_abs(result.estimate());
  if (result.has_ci_lo()) {
    comparison.set_ci_lo(result.ci_lo());
    comparison.set_ci_hi(result.ci_hi());
  }
  std::string change = "-";
  if (result.has_estimate()) {
    change = result.scale() == "ratio" ? Change(100 * result.estimate())
                                       : Signed(result.estimate(), DecimalsOf(comparison));
  }
  const std::string name =
      absl::StrCat("    ", Ascii(NameWithUnit(result.metric(), result.unit())));
  std::string out = name.size() < kName ? Left(name, kName)
                                        : absl::StrCat(Wrap("    ", name), std::string(kName, ' '));
  absl::StrAppend(&out, Right(change, kChange), Right(IntervalText(metric, comparison), kInterval),
                  Right(absl::StrCat(result.n()), kCount));
  if (result.false_alarm()) out += " !";
  return out + "\n";
}

std::string PrintMachine(const v1::ReportControlMachine& machine, const PrintOptions& options) {
  std::string verdict = machine.tests() == 0        ? "too few blocks for a test"
                        : machine.failure().empty() ? "holds"
                                                    : absl::StrCat("FAILED: ", machine.failure());
  if (machine.tests() > 0) {
    absl::StrAppend(&verdict, "; ", machine.false_alarms(), " of ", machine.tests(),
                    " tests gave a false alarm (!), at most 5% are expected");
  }
  std::string out = Wrap(absl::StrCat("  ", Ascii(machine.machine()), "  "), Ascii(verdict));
  size_t quiet = 0;
  for (const v1::ReportControlMetric& metric : machine.metrics()) {
    if (!options.all && metric.role() != "primary" && !metric.false_alarm()) {
      ++quiet;
      continue;
    }
    out += Row(metric);
  }
  if (quiet > 0) {
    out += Wrap("    ", absl::StrCat("not listed: ", quiet, " without one (--all lists them)"));
  }
  return out;
}

}  // namespace

std::string PrintControl(const v1::Report& report, const PrintOptions& options) {
  if (!report.has_control()) return "";
  std::string out = "\nA/A control: A against itself; what that finds is noise\n";
  if (report.control().machines().empty()) out += "  no boot of it was measured\n";
  for (const v1::ReportControlMachine& machine : report.control().machines()) {
    out += PrintMachine(machine, options);
  }
  return out;
}

std::string FalseAlarmsText(const v1::Report& report) {
  std::map<std::string, std::pair<uint32_t, uint32_t>> machines;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      for (const v1::ReportNoise& noise : metric.noise()) {
        machines[noise.machine()].first += noise.false_alarms();
        machines[noise.machine()].second += noise.tests();
      }
    }
  }
  return absl::StrJoin(machines, ", ", [](std::string* out, const auto& machine) {
    absl::StrAppend(out, machine.first, " ", machine.second.first, " of ", machine.second.second);
  });
}

}  // namespace shakedown::compare
