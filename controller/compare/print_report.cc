#include "controller/compare/print_report.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_layouts.h"
#include "controller/compare/print_metrics.h"
#include "controller/compare/print_verdicts.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

constexpr size_t kLabel = 11;  // Column of what follows a label in the header.

std::string Labelled(absl::string_view label, absl::string_view text) {
  return Wrap(Left(label, kLabel), Ascii(text));
}

std::string ShortKey(absl::string_view key) { return std::string(key.substr(0, 12)); }

std::string PrintVariantHead(const v1::ReportVariant& variant) {
  std::string out = Wrap(absl::StrCat("  ", Ascii(variant.letter()), "  "), Ascii(variant.text()));
  const std::string identity = variant.release().empty()
                                   ? "not built"
                                   : absl::StrCat("release ", variant.release(),
                                                  variant.build_key().empty() ? "" : ", build ",
                                                  ShortKey(variant.build_key()));
  absl::StrAppend(&out, Wrap("     ", Ascii(identity)));
  return out;
}

// "ABBA BAAB" for two variants, blocks parted by blanks for more. A repetition stands by itself in
// brackets: "ABBA BAAB (BA) BAAB".
std::string OrderText(const v1::Report& report) {
  std::string text;
  bool half = false;  // The pair is not whole yet.
  for (int i = 0; i < report.order_size(); ++i) {
    const bool repeats = std::any_of(report.repeats().begin(), report.repeats().end(),
                                     [&](const v1::ReportRepeat& repeat) {
                                       return static_cast<int>(repeat.repeated_as()) == i + 1;
                                     });
    absl::StrAppend(&text, i == 0 || (half && !repeats) ? "" : " ", repeats ? "(" : "",
                    report.order(i), repeats ? ")" : "");
    half = report.variants_size() == 2 && !repeats && !half;
  }
  return text;
}

// What a reader wants to know of a machine first; the other facts stand at the end.
bool IsHeadFact(absl::string_view name) {
  constexpr absl::string_view kHead[] = {"clocksource", "cpu.model",  "cpu.online",
                                         "hypervisor",  "memory_kib", "vm.accelerator"};
  return std::find(std::begin(kHead), std::end(kHead), name) != std::end(kHead);
}

std::string PrintMachines(const v1::Report& report) {
  std::vector<std::string> facts;
  for (const v1::ReportFact& fact : report.facts()) {
    if (IsHeadFact(fact.name())) facts.push_back(absl::StrCat(fact.name(), " ", fact.value()));
  }
  std::string text = report.machines_size() == 0 ? "none has given a result yet"
                                                 : absl::StrJoin(report.machines(), ", ");
  if (!facts.empty()) absl::StrAppend(&text, ": ", absl::StrJoin(facts, "; "));
  return Labelled("Machine", text);
}

std::string PrintOtherFacts(const v1::Report& report) {
  std::string out;
  for (const v1::ReportFact& fact : report.facts()) {
    if (IsHeadFact(fact.name())) continue;
    absl::StrAppend(&out,
                    Wrap(Left(absl::StrCat("  ", Ascii(fact.name()).substr(0, 30)), 20) + "  ",
                         Ascii(fact.value())));
  }
  return out.empty() ? "" : absl::StrCat("\nThe same in every measured boot\n", out);
}

// "2 measured, 1 panicked, 1 farm_failed (says nothing of the kernel)".
std::string OutcomesText(const v1::ReportVariant& variant) {
  std::vector<std::string> parts;
  for (const v1::ReportCount& count : variant.outcomes()) {
    const bool ours = count.outcome() == "farm_failed" || count.outcome() == "disturbed";
    parts.push_back(absl::StrCat(count.count(), " ", count.outcome(),
                                 ours ? " (says nothing of the kernel)" : ""));
  }
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

std::string PrintOutcomes(const v1::Report& report) {
  std::string out = "\nBoots\n";
  for (const v1::ReportVariant& variant : report.variants()) {
    const std::string survival = SurvivalText(variant);
    absl::StrAppend(
        &out,
        Wrap(absl::StrCat("  ", Ascii(variant.letter()), "  "),
             Ascii(absl::StrCat(OutcomesText(variant), survival.empty() ? "" : "; ", survival))));
  }
  return out;
}

// Lines of a program's output behind a bar, long ones going on in the next line.
std::string PrintQuoted(const google::protobuf::RepeatedPtrField<std::string>& lines) {
  constexpr absl::string_view kBar = "    | ";
  std::string out;
  for (const std::string& line : lines) {
    const std::string text = Ascii(line);
    for (size_t start = 0; start < text.size(); start += kTableWidth - kBar.size()) {
      std::string piece = text.substr(start, kTableWidth - kBar.size());
      absl::StripTrailingAsciiWhitespace(&piece);
      absl::StrAppend(&out, piece.empty() ? "    |" : kBar, piece, "\n");
    }
  }
  return out;
}

std::string PrintBuildFailures(const v1::Report& report) {
  if (report.build_failures().empty()) return "";
  std::string out = "\nBuilds without a kernel\n";
  for (const v1::ReportBuildFailure& failure : report.build_failures()) {
    absl::StrAppend(&out, Wrap("  ", Ascii(absl::StrCat(failure.kernel(), ": ", failure.status()))),
                    PrintQuoted(failure.error()));
  }
  return out;
}

// Boots with the same outcome and reason and without a console stand together.
std::string PrintFailures(const v1::Report& report) {
  if (report.failures().empty()) return "";
  std::string out = "\nBoots without numbers\n";
  std::vector<std::pair<std::string, std::string>> quiet;  // What happened, to whom.
  for (const v1::ReportFailure& failure : report.failures()) {
    const std::string reason = failure.reason().empty() ? "" : absl::StrCat(": ", failure.reason());
    const std::string what = Ascii(absl::StrCat(failure.outcome(), reason));
    if (!failure.console_tail().empty()) {
      absl::StrAppend(&out, Wrap(absl::StrCat("  ", Ascii(failure.boot()), "  "), what),
                      PrintQuoted(failure.console_tail()));
      continue;
    }
    auto known = std::find_if(quiet.begin(), quiet.end(),
                              [&](const auto& entry) { return entry.first == what; });
    if (known == quiet.end()) known = quiet.insert(quiet.end(), {what, ""});
    absl::StrAppend(&known->second, known->second.empty() ? "" : ", ", Ascii(failure.boot()));
  }
  for (const auto& [what, boots] : quiet) {
    absl::StrAppend(&out, Wrap("  ", boots), Wrap("    ", what));
  }
  return out;
}

std::string PrintDifferences(const v1::Report& report) {
  std::string out = "\nDifferences between the variants\n";
  if (report.differences().empty()) out += "  none: the same kernel, run the same way\n";
  for (const v1::ReportDifference& difference : report.differences()) {
    absl::StrAppend(&out, Wrap("  ", Ascii(difference.name())));
    for (int i = 0; i < difference.values_size() && i < report.variants_size(); ++i) {
      const std::string value = Ascii(difference.values(i));
      absl::StrAppend(&out, Wrap(absl::StrCat("    ", Ascii(report.variants(i).letter()), "  "),
                                 value.empty() ? "-" : value));
    }
  }
  return out;
}

// The command over several lines: broken between flags, and before a value that would not fit
// otherwise.
std::string PrintRepeat(const v1::Report& report) {
  std::string out = "\nTo repeat\n ";
  size_t column = 1;
  const auto add = [&](absl::string_view text, size_t indent) {
    if (column > 1 && column + 3 + text.size() > kTableWidth) {
      absl::StrAppend(&out, " \\\n", std::string(indent - 1, ' '));
      column = indent - 1;
    }
    absl::StrAppend(&out, " ", text);
    column += 1 + text.size();
  };
  for (const std::string& argument : report.repeat_command()) {
    const std::string piece = Ascii(argument);
    const size_t blank = piece.find(' ');
    if (piece.size() + 6 <= kTableWidth || blank == std::string::npos) {
      add(piece, 4);
    } else {
      add(piece.substr(0, blank), 4);
      add(piece.substr(blank + 1), 6);
    }
  }
  out += '\n';
  return out;
}

// In the layout that is asked for; as a table where that has no place for the load.
std::string PrintLoad(const v1::Report& report, const v1::ReportLoad& load,
                      const PrintOptions& options) {
  std::string out;
  if (options.layout == PrintOptions::Layout::k2009) {
    out = PrintSideBySide2009(report, load, options);
  } else if (options.layout == PrintOptions::Layout::k2010) {
    out = PrintInterbench2010(load, options);
  }
  if (!out.empty()) return out;
  return report.no_verdict().empty() ? PrintComparisons(load, options) : PrintMetrics(load);
}

// Values as they are.
std::string PrintValues(const v1::Report& report, const PrintOptions& options) {
  std::string out;
  if (options.layout != PrintOptions::Layout::kTable) {
    absl::StrAppend(&out, "\n", PrintLegend(options));
  }
  for (const v1::ReportLoad& load : report.loads()) {
    absl::StrAppend(&out, "\n", PrintLoad(report, load, options));
  }
  absl::StrAppend(&out, "\n",
                  Wrap("",
                       "median: of the boots' values; a boot's value is the median of its "
                       "measured iterations. change: of the median against A. n: boots."),
                  Wrap("", Ascii(report.no_verdict())));
  return out;
}

// Judged.
std::string PrintVerdicts(const v1::Report& report, const PrintOptions& options) {
  std::string out = absl::StrCat("\n", PrintLegend(options));
  for (const v1::ReportLoad& load : report.loads()) {
    absl::StrAppend(&out, "\n", PrintLoad(report, load, options));
  }
  absl::StrAppend(&out, "\n", PrintMethod(report));
  return out;
}

}  // namespace

std::string PrintHead(const v1::Report& report) {
  std::string out = Wrap(absl::StrCat("Shakedown job ", report.job(), ": "), Ascii(report.title()));
  if (report.emulated()) {
    absl::StrAppend(&out, Wrap("",
                               "EMULATED: these kernels ran on a CPU that software imitates (TCG). "
                               "The numbers say nothing about real hardware."));
  }
  out += PrintWarnings(report);
  out += '\n';
  for (const v1::ReportVariant& variant : report.variants()) out += PrintVariantHead(variant);
  out += '\n';
  out += PrintMachines(report);
  absl::StrAppend(
      &out, Labelled("Blocks", absl::StrCat(report.blocks(), ", each boots every variant once")),
      PrintLooks(report));
  absl::StrAppend(&out, Labelled("Order", absl::StrCat(OrderText(report), " (seed ",
                                                       report.order_seed(), ")")));
  absl::StrAppend(
      &out, Labelled("State", absl::StrCat(report.state(), report.end_reason().empty() ? "" : ": ",
                                           report.end_reason())));
  return out;
}

std::string PrintTail(const v1::Report& report) {
  return absl::StrCat(PrintOutcomes(report), PrintFailures(report), PrintBuildFailures(report),
                      PrintDifferences(report), PrintOtherFacts(report), PrintRepeat(report));
}

std::string PrintReport(const v1::Report& report, const PrintOptions& options) {
  std::string out = PrintHead(report);
  out +=
      report.no_verdict().empty() ? PrintVerdicts(report, options) : PrintValues(report, options);
  out += PrintTail(report);
  return out;
}

std::string ReportJson(const v1::Report& report) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  // Fails for Any messages alone, and a Report has none.
  (void)google::protobuf::util::MessageToJsonString(report, &json, options);
  return json;
}

}  // namespace shakedown::compare
