#include "controller/compare/print_verdicts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/compare/footnotes.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_control.h"
#include "controller/compare/statistics/classic_asterisk.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

// Columns; with a blank and the mark 78.
constexpr size_t kMedian = 16;
constexpr size_t kStars = 3;  // Of these, on the right.
constexpr size_t kPercent = 8;
constexpr size_t kInterval = 16;
constexpr size_t kAbsolute = 8;
constexpr size_t kBlocks = 5;
constexpr size_t kP = 7;

double Printed(double value, int decimals) {
  double printed = value;
  return absl::SimpleAtod(Number(value, decimals), &printed) ? printed : value;
}

statistics::Verdict VerdictOf(const v1::ReportComparison& comparison) {
  using statistics::Verdict;
  for (const Verdict verdict :
       {Verdict::kBetter, Verdict::kWorse, Verdict::kSame, Verdict::kSmall, Verdict::kInconclusive,
        Verdict::kInsufficient, Verdict::kNotComparable}) {
    if (comparison.verdict() ==
        absl::string_view(VerdictName(verdict).data(), VerdictName(verdict).size())) {
      return verdict;
    }
  }
  return Verdict::kInsufficient;
}

std::string Percent(double share) {
  return absl::StrFormat("%+.*f%%", std::fabs(share) < 1 ? 1 : 0, 100 * share);
}

// `text`, or where it has no room the number with one digit.
std::string Short(const std::string& text, double value, size_t width) {
  return text.size() < width ? text : absl::StrFormat("%+.0e", value);
}

std::string Ends(const std::string& lo, const std::string& hi) {
  return absl::StrCat("[", lo, ",", hi, "]");
}

std::string Head(const std::string& letter, const std::string& interval) {
  return absl::StrCat(Right("A (MAD)   ", kMedian),
                      Right(absl::StrCat(letter, " (MAD)   "), kMedian), Right("change", kPercent),
                      Right(interval, kInterval), Right("abs", kAbsolute), Right("n", kBlocks),
                      Right("p adj", kP), "\n");
}

std::string NameLine(const v1::ReportMetric& metric) {
  std::string text = NameWithUnit(metric.name(), metric.unit());
  if (!metric.direction().empty()) absl::StrAppend(&text, ", ", metric.direction(), " is better");
  if (metric.role() != "secondary") absl::StrAppend(&text, ", ", metric.role());
  return Wrap("  ", Ascii(text));
}

std::string PrintRow(const v1::ReportMetric& metric, const v1::ReportComparison& comparison,
                     const PrintOptions& options) {
  const int decimals = DecimalsOf(comparison);
  const bool values = comparison.has_base_median();
  const StarTexts stars = StarsOf(metric, comparison, options);
  std::string row;
  const auto median = [&](double value, double mad, const std::string& star) {
    const std::string text = values ? MedianText(value, mad, decimals) : "-";
    return Right(absl::StrCat(text, Left(star, kStars)), kMedian);
  };
  const double percent = comparison.change_percent();
  const double absolute = comparison.change_abs();
  absl::StrAppend(
      &row, median(comparison.base_median(), comparison.base_mad(), stars.base),
      median(comparison.median(), comparison.mad(), stars.challenger),
      Right(comparison.has_change_percent() ? Short(Change(percent), percent, kPercent) : "-",
            kPercent),
      Right(IntervalText(metric, comparison), kInterval),
      Right(comparison.has_change_abs() ? Short(Signed(absolute, decimals), absolute, kAbsolute)
                                        : "-",
            kAbsolute),
      Right(absl::StrCat(comparison.n()), kBlocks), Right(PText(comparison), kP));
  if (!options.classic_asterisk && !comparison.mark().empty()) {
    absl::StrAppend(&row, " ", Ascii(comparison.mark()));
  }
  return row + "\n";
}

std::string Notes(const v1::ReportLoad& load, const v1::ReportMetric& metric,
                  const v1::ReportComparison& comparison) {
  std::string out;
  for (const std::string& note : FootnotesOf(load, metric, comparison)) {
    out += Wrap("      ", Ascii(note));
  }
  return out;
}

std::string PrintChallenger(const v1::ReportLoad& load, int index, const PrintOptions& options) {
  std::string out;
  size_t same = 0;
  size_t info = 0;
  size_t empty = 0;
  for (const v1::ReportMetric& metric : load.metrics()) {
    if (index >= metric.comparisons_size()) continue;
    const v1::ReportComparison& comparison = metric.comparisons(index);
    if (IsQuiet(metric, comparison) && !options.all) {
      ++(metric.role() == "info" ? info : HasNoValues(comparison) ? empty : same);
      continue;
    }
    absl::StrAppend(&out, NameLine(metric), PrintRow(metric, comparison, options),
                    Notes(load, metric, comparison));
  }
  std::vector<std::string> quiet;
  if (same > 0) quiet.push_back(absl::StrCat(same, " unchanged (=)"));
  if (empty > 0) quiet.push_back(absl::StrCat(empty, " without enough values"));
  if (info > 0) quiet.push_back(absl::StrCat(info, " for information"));
  if (!quiet.empty()) {
    absl::StrAppend(&out, Wrap("  ", absl::StrCat("not listed: ", absl::StrJoin(quiet, ", "),
                                                  " (--all lists them)")));
  }
  return out;
}

std::string ExcludedText(const v1::Report& report) {
  std::vector<std::string> texts;
  std::map<uint32_t, std::string> blocks;
  for (const v1::ReportExcluded& excluded : report.excluded()) {
    std::string& text = blocks[excluded.block()];
    absl::StrAppend(&text, text.empty() ? "" : ", ", excluded.reason());
  }
  for (const auto& [block, text] : blocks) {
    texts.push_back(absl::StrCat("block ", block, " (", text, ")"));
  }
  return texts.empty() ? "none" : absl::StrJoin(texts, ", ");
}

}  // namespace

std::string MedianText(double median, double mad, int decimals) {
  const std::string number = Number(median, decimals);
  const std::string text = absl::StrCat(number, " (", Number(mad, decimals), ")");
  return text.size() + kStars < kMedian ? text : number;
}

std::string Signed(double value, int decimals) {
  const std::string text = Number(value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos) return "0";
  return value > 0 ? absl::StrCat("+", text) : text;
}

std::string IntervalText(const v1::ReportMetric& metric, const v1::ReportComparison& comparison) {
  if (!comparison.has_ci_lo()) return "-";
  const double lo = comparison.ci_lo();
  const double hi = comparison.ci_hi();
  const bool ratio = metric.scale() == "ratio";
  const int decimals = DecimalsOf(comparison);
  std::string text =
      ratio ? Ends(Percent(lo), Percent(hi)) : Ends(Signed(lo, decimals), Signed(hi, decimals));
  if (text.size() < kInterval) return text;
  const double scale = ratio ? 100 : 1;
  return Ends(absl::StrFormat("%+.0e", lo * scale), absl::StrFormat("%+.0e", hi * scale));
}

std::string PText(const v1::ReportComparison& comparison) {
  if (!comparison.has_p_adjusted()) return "-";
  if (comparison.p_adjusted() < 0.0001) return "<.0001";
  return absl::StrFormat("%.4f", comparison.p_adjusted());
}

bool HasNoValues(const v1::ReportComparison& comparison) {
  return comparison.verdict() == "insufficient" && comparison.n() == 0;
}

bool IsQuiet(const v1::ReportMetric& metric, const v1::ReportComparison& comparison) {
  return (comparison.mark() == "=" && metric.role() != "primary") || metric.role() == "info" ||
         HasNoValues(comparison);
}

int DecimalsOf(const v1::ReportComparison& comparison) {
  return DecimalsFor({comparison.base_median(), comparison.median(), comparison.base_mad(),
                      comparison.mad(), comparison.change_abs()});
}

StarTexts StarsOf(const v1::ReportMetric& metric, const v1::ReportComparison& comparison,
                  const PrintOptions& options) {
  const auto known = statistics::FindMetric(metric.name());
  if (!known || !comparison.has_base_median()) return {};
  const int decimals = DecimalsOf(comparison);
  const double base = Printed(comparison.base_median(), decimals);
  const double challenger = Printed(comparison.median(), decimals);
  if (options.classic_asterisk) {
    const statistics::Side side = statistics::ClassicStar(*known, base, challenger);
    return {side == statistics::Side::kBase ? "*" : "",
            side == statistics::Side::kChallenger ? "*" : ""};
  }
  if (known->role == statistics::Role::kInfo) return {};
  const statistics::Stars stars =
      statistics::DefaultStars(*known, base, challenger, VerdictOf(comparison));
  // A verdict has its own column: beside the values stand only the stars that it refuses.
  const auto refused = [](std::string_view star) {
    return star == "(*)" ? std::string(star) : std::string();
  };
  return {refused(stars.base), refused(stars.challenger)};
}

std::string PrintLegend(const PrintOptions& options) {
  if (options.classic_asterisk) {
    return Wrap("", absl::StrCat("* ", statistics::kClassicNotice, ": a gain of >= 5 % or 5 ms"));
  }
  return "* better ! worse + - small = same ? open . too few x not comparable\n";
}

std::string PrintComparisons(const v1::ReportLoad& load, const PrintOptions& options) {
  std::string out = Wrap("", Ascii(load.text()));
  int challengers = 0;
  for (const v1::ReportMetric& metric : load.metrics()) {
    challengers = std::max(challengers, metric.comparisons_size());
  }
  if (challengers == 0) out += "  no boot has given numbers\n";
  for (int i = 0; i < challengers; ++i) {
    absl::StrAppend(&out, Head(Ascii(load.metrics(0).comparisons(i).letter()), IntervalHead(load)),
                    PrintChallenger(load, i, options));
  }
  for (const std::string& warning : load.warnings()) {
    absl::StrAppend(&out, Wrap("  note: ", Ascii(warning)));
  }
  return out;
}

std::string MachinesText(const v1::ReportComparison& comparison) {
  if (comparison.machines().empty()) return "";
  int holds = 0;
  std::vector<std::string> each;
  for (const v1::ReportMachineVerdict& machine : comparison.machines()) {
    holds += machine.verdict() == comparison.verdict() ? 1 : 0;
    const std::string word = machine.mark().empty() ? machine.verdict() : machine.mark();
    each.push_back(absl::StrCat(machine.machine(), ": ", word, " (n ", machine.n(), ")"));
  }
  return absl::StrCat("holds on ", holds, " of ", comparison.machines_size(), " machines; ",
                      absl::StrJoin(each, ", "));
}

std::string PrintMethod(const v1::Report& report) {
  const v1::ReportMethod& method = report.method();
  std::string text = absl::StrFormat(
      "A boot's value is the median of its measured iterations; MAD is the spread of the boots. "
      "change: Hodges-Lehmann of the changes block by block, against A, with the exact signed-rank "
      "interval in %% or in the unit; n: blocks with both values. %s. p adj: signed rank (Pratt), "
      "Holm over %d primary, Benjamini-Hochberg (q %g) over %d secondary tests. Large is a change "
      "of %g%%, or of %s. (*): the rule of 2010 alone would star it.",
      LevelText(report), method.primaries(), method.false_discovery_rate(), method.secondaries(),
      100 * method.delta_rel(), method.delta_abs());
  if (report.warmup_values() > 0) {
    absl::StrAppend(&text, " ", report.warmup_values(), " warm-up values are in no median.");
  }
  if (report.machines_size() > 1) {
    absl::StrAppend(&text, " Blocks of ", report.machines_size(),
                    " machines together, each by itself below its row; a block is of one.");
  }
  std::string out = absl::StrCat("How this was judged\n", Wrap("  ", Ascii(text)));
  if (!report.excluded().empty()) {
    out += Wrap("  ", Ascii(absl::StrCat("Left out: ", ExcludedText(report), ".")));
  }
  if (const std::string alarms = FalseAlarmsText(report); !alarms.empty()) {
    out += Wrap("  ", Ascii(absl::StrCat("False alarms of A/A controls: ", alarms, " tests.")));
  }
  return out;
}

std::string PrintWarnings(const v1::Report& report) {
  std::string out;
  for (const v1::ReportControlMachine& machine : report.control().machines()) {
    if (machine.failure().empty()) continue;
    absl::StrAppend(
        &out, Wrap("WITHHELD: ",
                   Ascii(absl::StrCat("the A/A control failed on ", machine.machine(), ": ",
                                      machine.failure(),
                                      ". There A differs from itself, so what it says of other "
                                      "kernels is no verdict."))));
  }
  for (const v1::ReportConfounding& confounded : report.confounded()) {
    absl::StrAppend(&out,
                    Wrap("CONFOUNDED: ",
                         Ascii(absl::StrCat("A and ", confounded.letter(), " differ in ",
                                            absl::StrJoin(confounded.names(), " and in "),
                                            confounded.names_size() > 1
                                                ? ": nobody can tell which of them made a change."
                                                : ", which no variant declares."))));
  }
  if (report.confounded_size() > 0) {
    absl::StrAppend(&out, Wrap("            ",
                               "(A variant declares its kernel, its boot parameters and its "
                               "tunables; a kernel may differ in one thing.)"));
  }
  for (const v1::ReportHardDifference& hard : report.hard_differences()) {
    absl::StrAppend(
        &out, Wrap("NOT COMPARABLE: ",
                   Ascii(absl::StrCat(hard.name(), " differs: A ", hard.base(), ", ", hard.letter(),
                                      " ", hard.challenger(), " (block ", hard.block(), ")"))));
  }
  return out;
}

std::string SurvivalText(const v1::ReportVariant& variant) {
  if (variant.survival_boots() == 0) return "";
  return absl::StrFormat("failed %d of %d, %.0f%% [%.0f%%,%.0f%%]", variant.failures(),
                         variant.survival_boots(),
                         100.0 * variant.failures() / variant.survival_boots(),
                         100 * variant.failure_lo(), 100 * variant.failure_hi());
}

}  // namespace shakedown::compare
