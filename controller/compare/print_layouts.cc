#include "controller/compare/print_layouts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/interbench_grid.h"
#include "controller/compare/layout.h"
#include "controller/compare/statistics/classic_asterisk.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

using Printer = std::function<std::string(double)>;

const v1::ReportMetric* Find(const v1::ReportLoad& load, absl::string_view name) {
  for (const v1::ReportMetric& metric : load.metrics()) {
    if (metric.name() == name) return &metric;
  }
  return nullptr;
}

double Reread(const std::string& text) {
  double value = std::nan("");
  return absl::SimpleAtod(text, &value) ? value : std::nan("");
}

std::string MarkOf(const v1::ReportMetric& metric, int challenger) {
  if (challenger > metric.comparisons_size()) return "";
  return Ascii(metric.comparisons(challenger - 1).mark());
}

statistics::Verdict VerdictOf(const std::string& mark) {
  if (mark == "*") return statistics::Verdict::kBetter;
  if (mark == "!") return statistics::Verdict::kWorse;
  if (mark == "x") return statistics::Verdict::kNotComparable;
  return statistics::Verdict::kInconclusive;
}

// The star beside the value of `variant`, when it is printed against `challenger`.
std::string StarOf(const v1::ReportMetric& metric, int variant, int challenger,
                   const Printer& print, const PrintOptions& options) {
  const auto known = statistics::FindMetric(metric.name());
  if (!known || challenger >= metric.rows_size() || !metric.rows(0).has_median() ||
      !metric.rows(challenger).has_median()) {
    return "";
  }
  const double base = Reread(print(metric.rows(0).median()));
  const double other = Reread(print(metric.rows(challenger).median()));
  if (options.classic_asterisk) {
    const statistics::Side side = statistics::ClassicStar(*known, base, other);
    const auto mine = variant == 0 ? statistics::Side::kBase : statistics::Side::kChallenger;
    return side == mine ? "*" : "";
  }
  const std::string mark = MarkOf(metric, challenger);
  if (variant != 0 && mark == "!") return "!";
  const statistics::Stars stars = statistics::DefaultStars(*known, base, other, VerdictOf(mark));
  return std::string(variant == 0 ? stars.base : stars.challenger);
}

// As interbench prints them.
std::string Milliseconds(double value) { return absl::StrFormat("%.1f", value); }
std::string Share(double value) { return absl::StrFormat("%.3g", value); }

struct Grid2010 {
  const InterbenchGrid& grid;
  const PrintOptions& options;
  int variants;

  // A value with room for its star behind it.
  std::string Value(const v1::ReportMetric* metric, int variant, const Printer& print,
                    size_t width) const {
    if (metric == nullptr || variant >= metric->rows_size() ||
        !metric->rows(variant).has_median()) {
      return absl::StrCat(Right("-", width), std::string(4, ' '));
    }
    // A's value is starred against the only challenger; with several there is no one star.
    const int challenger = variant > 0 ? variant : (variants == 2 ? 1 : variants);
    const std::string star = StarOf(*metric, variant, challenger, print, options);
    return absl::StrCat(Right(print(metric->rows(variant).median()), width), " ", Left(star, 3));
  }

  std::string Row(const std::string& benchmark, const std::string& load, int variant) const {
    const auto find = [&](absl::string_view kind) { return grid.Find(benchmark, load, kind); };
    const v1::ReportMetric* spread = find("latency.sd");
    const bool has_spread =
        spread != nullptr && variant < spread->rows_size() && spread->rows(variant).has_median();
    const std::string latency = Value(find("latency.avg"), variant, Milliseconds, 7);
    std::string row = absl::StrCat(
        Left(Ascii(InterbenchName(load)).substr(0, 8), 8), latency.substr(0, 7), " +/- ",
        Left(has_spread ? Milliseconds(spread->rows(variant).median()) : "-", 7), latency.substr(7),
        Value(find("latency.max"), variant, Milliseconds, 8),
        Value(find("desired_cpu"), variant, Share, 9),
        Value(find("deadlines_met"), variant, Share, 10));
    row.erase(row.find_last_not_of(' ') + 1);
    return row + "\n";
  }

  bool Has(const std::string& benchmark, const std::string& load) const {
    return grid.Find(benchmark, load, "latency.avg") != nullptr;
  }
};

std::string Variant2010(const Grid2010& grid, int variant) {
  std::string out;
  for (const std::string& benchmark : grid.grid.benchmarks()) {
    absl::StrAppend(&out, "\n--- Benchmarking simulated cpu of ",
                    Ascii(InterbenchName(benchmark)).substr(0, 12),
                    " in the presence of simulated ---\n", "Load       Latency +/- SD (",
                    InterbenchGrid::Unit(benchmark),
                    ")     Max Latency  % Desired CPU  "
                    "% Deadlines Met\n");
    for (const std::string& load : grid.grid.loads()) {
      if (grid.Has(benchmark, load)) out += grid.Row(benchmark, load, variant);
    }
  }
  return out;
}

// "2m40.232s", as bash's time has it.
std::string Clock(double seconds) {
  const double minutes = std::floor(seconds / 60);
  return absl::StrFormat("%.0fm%.3fs", minutes, seconds - 60 * minutes);
}
std::string Whole(double value) { return absl::StrFormat("%.0f", value); }
std::string Plain(double value) { return absl::StrFormat("%.3f", value); }

struct Field2009 {
  absl::string_view metric;
  absl::string_view label;
  absl::string_view unit;  // Printed behind.
  Printer shown;
  Printer compared;
};

std::vector<Field2009> Fields2009() {
  return {{"make.real", "real", "", Clock, Plain},
          {"make.user", "user", "", Clock, Plain},
          {"make.sys", "sys", "", Clock, Plain},
          {"latt.entries", "Entries:", "", Whole, Whole},
          {"latt.wakeup.max", "Max", " usec", Whole, Whole},
          {"latt.wakeup.avg", "Avg", " usec", Whole, Whole},
          {"latt.wakeup.stdev", "Stdev", " usec", Whole, Whole}};
}

constexpr size_t kFirst2009 = 10;
constexpr size_t kSide2009 = 32;

std::string Side(const v1::ReportMetric& metric, const Field2009& field, int variant,
                 int challenger, const PrintOptions& options) {
  const v1::ReportRow& row = metric.rows(variant);
  const std::string value =
      row.has_median() ? absl::StrCat(field.shown(row.median()), field.unit) : "-";
  const std::string star = StarOf(metric, variant, challenger, field.compared, options);
  return Left(absl::StrCat(Left(field.label, 9), Right(value, 15), " ", star), kSide2009);
}

}  // namespace

std::string PrintInterbench2010(const v1::ReportLoad& load, const PrintOptions& options) {
  const InterbenchGrid grid(load);
  if (grid.empty()) return "";
  const int variants = load.metrics(0).rows_size();
  const Grid2010 layout{grid, options, variants};
  std::string out = Wrap("", Ascii(load.text()));
  for (int i = 0; i < variants; ++i) {
    const int variant = options.baseline_first ? i : (i + 1) % variants;
    absl::StrAppend(&out, "\nBenchmarking kernel ", Ascii(load.metrics(0).rows(variant).letter()),
                    "\n", Variant2010(layout, variant));
  }
  return out;
}

std::string PrintSideBySide2009(const v1::Report& report, const v1::ReportLoad& load,
                                const PrintOptions& options) {
  std::string out;
  for (int c = 1; c < report.variants_size(); ++c) {
    std::string rows;
    const int left = options.baseline_first ? 0 : c;
    const int right = options.baseline_first ? c : 0;
    for (const Field2009& field : Fields2009()) {
      const v1::ReportMetric* metric = Find(load, field.metric);
      if (metric == nullptr || c >= metric->rows_size()) continue;
      const std::string head = absl::StartsWith(field.metric, "make.") ? "  time" : "  latt";
      std::string row = absl::StrCat(Left(head, kFirst2009), Side(*metric, field, left, c, options),
                                     Side(*metric, field, right, c, options));
      row.erase(row.find_last_not_of(' ') + 1);
      absl::StrAppend(&rows, row, "\n");
    }
    if (rows.empty()) return "";
    const auto letter = [&](int v) {
      return absl::StrCat("  ", Ascii(report.variants(v).letter()));
    };
    const std::string bar(kSide2009 - 4, '=');
    absl::StrAppend(&out, std::string(kFirst2009, ' '), Left(letter(left), kSide2009),
                    letter(right), "\n", std::string(kFirst2009, ' '), Left(bar, kSide2009), bar,
                    "\n", rows);
  }
  return out.empty() ? "" : absl::StrCat(Wrap("", Ascii(load.text())), out);
}

}  // namespace shakedown::compare
