#include "controller/compare/explain.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "controller/compare/footnotes.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_verdicts.h"
#include "controller/compare/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::compare {
namespace {

// Of one message about what there is.
constexpr size_t kMostNamed = 20;

struct Place {
  int load = 0;
  int metric = 0;
};

std::string NameOf(const v1::Report& report, const Place& place) {
  const std::string& name = report.loads(place.load).metrics(place.metric).name();
  return report.loads_size() == 1 ? name : absl::StrCat(place.load + 1, ":", name);
}

std::string Named(const v1::Report& report, const std::vector<Place>& places) {
  std::vector<std::string> names;
  for (const Place& place : places) names.push_back(Ascii(NameOf(report, place)));
  const size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  return absl::StrCat(names.empty() ? "none" : absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

absl::StatusOr<Place> FindPlace(const v1::Report& report, absl::string_view wanted) {
  int load = 0;  // From 1; 0: any.
  const std::vector<absl::string_view> parts = absl::StrSplit(wanted, absl::MaxSplits(':', 1));
  absl::string_view name = wanted;
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &load)) name = parts[1];
  std::vector<Place> all, exact, begins;
  for (int l = 0; l < report.loads_size(); ++l) {
    for (int m = 0; m < report.loads(l).metrics_size(); ++m) {
      all.push_back({l, m});
      if (load != 0 && load != l + 1) continue;
      const std::string& has = report.loads(l).metrics(m).name();
      if (has == name) exact.push_back({l, m});
      if (absl::StartsWith(has, name)) begins.push_back({l, m});
    }
  }
  const std::vector<Place>& found = exact.empty() ? begins : exact;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat("metric ", Quoted(wanted), ": job ", report.job(),
                                            " has ", Named(report, all)));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("metric ", Quoted(wanted), ": want one of ", Named(report, found)));
}

std::string Value(double value, int decimals, const std::string& unit) {
  return absl::StrCat(Number(value, decimals), unit == "1" ? "" : absl::StrCat(" ", Ascii(unit)));
}

std::string DifferenceText(const v1::ReportMetric& metric, double base, double challenger,
                           int decimals) {
  if (metric.scale() != "ratio") return Signed(challenger - base, decimals);
  if (base == 0) return "-";
  return absl::StrFormat("%+.2f%%", 100 * (challenger / base - 1));
}

// What decided, in a sentence.
std::string Because(const v1::ReportComparison& comparison) {
  const std::string& verdict = comparison.verdict();
  if (!comparison.note().empty()) return Ascii(comparison.note());
  if (verdict == "better" || verdict == "worse") {
    return absl::StrCat(
        "the interval leaves out no change, and the estimate is large: the challenger is ",
        verdict);
  }
  if (verdict == "small") return "the interval leaves out no change, but the estimate is not large";
  if (verdict == "same") return "the whole interval lies within what is not large";
  if (verdict == "inconclusive")
    return "the interval holds no change as well as a large one: more blocks are needed";
  if (verdict == "insufficient") return "too few blocks have a value on both sides";
  return "the sides must not be compared";
}

std::string Verdict(const v1::Report& report, const v1::ReportMetric& metric,
                    const v1::ReportComparison& comparison) {
  const int decimals = DecimalsOf(comparison);
  std::string out =
      absl::StrCat("  verdict     ", comparison.verdict(),
                   comparison.mark().empty() ? "" : absl::StrCat(" (", comparison.mark(), ")"),
                   "\n", Wrap("  because     ", Because(comparison)));
  if (comparison.has_base_median()) {
    absl::StrAppend(&out, "  A           ",
                    MedianText(comparison.base_median(), comparison.base_mad(), decimals),
                    " median (MAD) of ", comparison.n(), " boots\n");
    absl::StrAppend(&out, "  ", Left(comparison.letter(), 12),
                    MedianText(comparison.median(), comparison.mad(), decimals), "\n");
  }
  if (comparison.has_estimate()) {
    const std::string estimate = metric.scale() == "ratio"
                                     ? absl::StrFormat("%+.2f%%", 100 * comparison.estimate())
                                     : Signed(comparison.estimate(), decimals + 1);
    absl::StrAppend(&out, "  change      ", estimate, " ", IntervalText(metric, comparison),
                    ", asked for ", absl::StrFormat("%.4g", 100 * comparison.level()),
                    "%, covers at least ", absl::StrFormat("%.4g", 100 * comparison.attained()),
                    "%\n");
  }
  if (comparison.has_p()) {
    absl::StrAppend(&out, absl::StrFormat("  p           %.4g", comparison.p()), ", adjusted ",
                    PText(comparison), " (",
                    metric.role() == "primary"
                        ? absl::StrCat("Holm over ", report.method().primaries())
                        : absl::StrCat("Benjamini-Hochberg over ", report.method().secondaries()),
                    ")\n");
  }
  absl::StrAppend(
      &out,
      Wrap("  estimator   ",
           metric.scale() == "ratio"
               ? "Hodges-Lehmann of log(challenger/A), one a block; interval by signed ranks"
               : "Hodges-Lehmann of challenger - A, one a block; interval by signed ranks"),
      Wrap("  level       ", LevelText(report)),
      Wrap("  large       ",
           absl::StrCat(absl::StrFormat("%.4g", 100 * report.method().delta_rel()),
                        "% of A's median, or ", report.method().delta_abs())));
  return out;
}

// A block a line: both values, and the difference that the estimate is made of.
std::string Pairs(const v1::Report& report, const v1::ReportMetric& metric,
                  const v1::ReportRow& base, const v1::ReportRow& challenger, int decimals) {
  std::string out = absl::StrCat(Left("  block order  machine", 26), Left("A", 22),
                                 Left(challenger.letter(), 22), "difference\n");
  const int blocks = std::min(base.boots_size(), challenger.boots_size());
  for (int b = 0; b < blocks; ++b) {
    const auto cell = [&](const v1::ReportCell& boot) {
      return Left(
          absl::StrCat(Left(boot.boot().empty() ? "-" : boot.boot(), 9),
                       boot.has_value() ? Value(boot.value(), decimals, metric.unit()) : "-"),
          22);
    };
    const bool both = base.boots(b).has_value() && challenger.boots(b).has_value();
    absl::StrAppend(
        &out, "  ", Left(absl::StrCat(b + 1), 6),
        Left(b < report.order_size() ? report.order(b) : "", 7),
        Left(b < report.block_machines_size() ? Ascii(report.block_machines(b)) : "", 11),
        cell(base.boots(b)), cell(challenger.boots(b)),
        both ? DifferenceText(metric, base.boots(b).value(), challenger.boots(b).value(), decimals)
             : "left out",
        "\n");
  }
  return out;
}

// Every iteration of every boot that has some, also of those that are in no summary.
std::string RawValues(const v1::ReportData& data, int load, const v1::ReportMetric& metric,
                      int decimals) {
  std::string out;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    std::vector<std::string> values;
    for (const v1::LoadRun& run : boot.result().load_runs()) {
      if (static_cast<int>(run.load()) != load) continue;
      for (const v1::Measurement& m : run.measurements()) {
        if (m.metric() != metric.name()) continue;
        values.push_back(m.warmup() ? absl::StrCat("(", Number(m.value(), decimals), " warm-up)")
                                    : Number(m.value(), decimals));
      }
    }
    if (values.empty()) continue;
    const v1::Outcome outcome = boot.view().outcome();
    absl::StrAppend(&out, Wrap(absl::StrCat("  ", Left(boot.view().name(), 10)),
                               absl::StrCat(absl::StrJoin(values, " "),
                                            outcome == v1::OUTCOME_MEASURED
                                                ? ""
                                                : absl::StrCat("  not used: ", Word(outcome)))));
  }
  return out.empty() ? "  none\n" : out;
}

std::string LeftOut(const v1::Report& report) {
  std::string out;
  for (const v1::ReportExcluded& block : report.excluded()) {
    absl::StrAppend(&out,
                    Wrap(absl::StrCat("  block ", block.block(), ": "), Ascii(block.reason())));
  }
  for (const v1::ReportRepeat& repeat : report.repeats()) {
    absl::StrAppend(&out, Wrap(absl::StrCat("  block ", repeat.block(), ", repeated as ",
                                            repeat.repeated_as(), ": "),
                               Ascii(repeat.reason())));
  }
  return out;
}

std::string Chain(const v1::ReportData& data, const v1::Report& report, const Place& place,
                  const v1::ReportComparison& comparison) {
  const v1::ReportLoad& load = report.loads(place.load);
  const v1::ReportMetric& metric = load.metrics(place.metric);
  std::string out =
      absl::StrCat(Wrap("", absl::StrCat(Ascii(metric.name()), ", ", comparison.letter(),
                                         " against A, job ", report.job())),
                   Wrap("  load        ", Ascii(load.text())), Verdict(report, metric, comparison));
  for (const std::string& note : FootnotesOf(load, metric, comparison))
    absl::StrAppend(&out, Wrap("  note        ", Ascii(note)));
  const auto row = [&](const std::string& letter) {
    return std::find_if(metric.rows().begin(), metric.rows().end(),
                        [&](const v1::ReportRow& r) { return r.letter() == letter; });
  };
  const auto base = row("A");
  const auto challenger = row(comparison.letter());
  const int decimals = DecimalsOf(comparison);
  if (base != metric.rows().end() && challenger != metric.rows().end()) {
    absl::StrAppend(&out, "\nBlocks: the median of a boot's iterations is its one value.\n",
                    Pairs(report, metric, *base, *challenger, decimals));
  }
  const std::string left_out = LeftOut(report);
  if (!left_out.empty()) absl::StrAppend(&out, "\nLeft out\n", left_out);
  absl::StrAppend(&out, "\nRaw values, ", metric.unit().empty() ? "no unit" : Ascii(metric.unit()),
                  "\n", RawValues(data, place.load, metric, decimals));
  return out;
}

}  // namespace

absl::StatusOr<std::string> Explain(const v1::ReportData& data, const v1::Report& report,
                                    absl::string_view metric, absl::string_view letter) {
  ASSIGN_OR_RETURN(const Place place, FindPlace(report, metric));
  const v1::ReportMetric& found = report.loads(place.load).metrics(place.metric);
  std::vector<std::string> letters, texts;
  for (const v1::ReportComparison& comparison : found.comparisons()) {
    letters.push_back(comparison.letter());
    if (letter.empty() || letter == comparison.letter())
      texts.push_back(Chain(data, report, place, comparison));
  }
  if (!texts.empty()) return absl::StrJoin(texts, "\n");
  if (letters.empty()) {
    return absl::StrCat(
        Ascii(found.name()), ", job ", report.job(), "\n",
        Wrap("  no verdict  ",
             report.no_verdict().empty() ? "there is no challenger" : Ascii(report.no_verdict())),
        "\nRaw values, ", found.unit().empty() ? "no unit" : Ascii(found.unit()), "\n",
        RawValues(data, place.load, found, 4));
  }
  return absl::NotFoundError(absl::StrCat("variant ", Quoted(letter), ": want a challenger of job ",
                                          report.job(), ": ", absl::StrJoin(letters, ", ")));
}

}  // namespace shakedown::compare
