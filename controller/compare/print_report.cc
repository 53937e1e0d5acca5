#include "controller/compare/print_report.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/job_looks.h"
#include "controller/compare/layout.h"
#include "controller/compare/print_control.h"
#include "controller/compare/print_differences.h"
#include "controller/compare/print_layouts.h"
#include "controller/compare/print_metrics.h"
#include "controller/compare/print_notes.h"
#include "controller/compare/print_verdicts.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

std::string ShortKey(absl::string_view key) { return std::string(key.substr(0, 12)); }

std::string PrintVariantHead(const v1::ReportVariant& variant) {
  const std::string identity = variant.release().empty()
                                   ? "not built"
                                   : absl::StrCat("release ", variant.release(),
                                                  variant.build_key().empty() ? "" : ", build ",
                                                  ShortKey(variant.build_key()));
  const std::string head = absl::StrCat("  ", Ascii(variant.letter()), "  ");
  const std::string line = absl::StrCat(head, Ascii(variant.text()), " (", Ascii(identity), ")");
  if (line.size() <= kProseWidth) return line + "\n";
  return absl::StrCat(Wrap(head, Ascii(variant.text())), Wrap("     ", Ascii(identity)));
}

// "ABBA BAAB" for two variants, blocks parted by blanks for more. A repetition stands by itself in
// brackets: "ABBA BAAB (BA) BAAB".
std::string OrderText(const v1::Report& report) {
  std::string text;
  bool half = false;  // The pair is not whole yet.
  for (int i = 0; i < report.order_size(); ++i) {
    constexpr int kMost = 48;
    if (i == kMost) {
      absl::StrAppend(&text, " and so on");
      break;
    }
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

std::string PrintOtherFacts(const v1::Report& report, const PrintOptions& options) {
  std::string out;
  int count = 0;
  for (const v1::ReportFact& fact : report.facts()) {
    if (IsHeadFact(fact.name())) continue;
    ++count;
    absl::StrAppend(&out,
                    Wrap(Left(absl::StrCat("  ", Ascii(fact.name()).substr(0, 30)), 20) + "  ",
                         Ascii(fact.value())));
  }
  if (count == 0) return "";
  if (options.all) return absl::StrCat("\nThe same in every measured boot\n", out);
  return Wrap("  ", absl::StrCat("The same in every measured boot: ", count, " more ",
                                 count == 1 ? "fact" : "facts", " (--all lists them)."));
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

// Lines of a program's output behind a bar, long ones going on in the next line; at most `most`,
// about the one with `key` in it.
std::string PrintQuoted(const google::protobuf::RepeatedPtrField<std::string>& quoted,
                        absl::string_view key = "",
                        size_t most = std::numeric_limits<size_t>::max()) {
  constexpr absl::string_view kBar = "    | ";
  const std::vector<std::string> lines(quoted.begin(), quoted.end());
  std::string out;
  for (size_t i = ShownFrom(lines, key, most); i < lines.size() && most > 0; ++i, --most) {
    const std::string text = Ascii(lines[i]);
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

// Boots with the same outcome and reason stand together when they have no console, or when a few
// with one are shown already.
std::string PrintFailures(const v1::Report& report, const PrintOptions& options) {
  constexpr int kMostConsoles = 3;
  constexpr size_t kMostLines = 6;
  int consoles = 0;
  if (report.failures().empty()) return "";
  std::string out = "\nBoots without numbers\n";
  std::vector<std::pair<std::string, std::string>> quiet;  // What happened, to whom.
  for (const v1::ReportFailure& failure : report.failures()) {
    const std::string reason = failure.reason().empty() ? "" : absl::StrCat(": ", failure.reason());
    const std::string what = Ascii(absl::StrCat(failure.outcome(), reason));
    if (!failure.console_tail().empty() && (options.all || consoles++ < kMostConsoles)) {
      absl::StrAppend(&out, Wrap(absl::StrCat("  ", Ascii(failure.boot()), "  "), what),
                      options.all
                          ? PrintQuoted(failure.console_tail())
                          : PrintQuoted(failure.console_tail(), failure.reason(), kMostLines));
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

// "B: make.real inconclusive; 19 others: 7 worse, 12 same".
std::string ResultOf(const v1::Report& report, int challenger) {
  std::vector<std::string> primaries;
  std::map<std::string, int> others;
  int count = 0;
  for (const v1::ReportLoad& load : report.loads()) {
    for (const v1::ReportMetric& metric : load.metrics()) {
      if (challenger >= metric.comparisons_size() || metric.role() == "info") continue;
      const std::string& verdict = metric.comparisons(challenger).verdict();
      if (metric.role() == "primary") {
        primaries.push_back(absl::StrCat(metric.name(), " ", verdict));
      } else {
        ++others[verdict];
        ++count;
      }
    }
  }
  std::string text = primaries.empty() ? "no primary metric" : absl::StrJoin(primaries, ", ");
  if (count == 0) return text;
  std::vector<std::string> counts;
  for (const char* word :
       {"better", "worse", "small", "inconclusive", "insufficient", "not_comparable", "same"}) {
    if (others[word] > 0) counts.push_back(absl::StrCat(others[word], " ", word));
  }
  return absl::StrCat(text, "; ", count,
                      count == 1 ? " other: " : " others: ", absl::StrJoin(counts, ", "));
}

std::string ResultText(const v1::Report& report) {
  if (!report.no_verdict().empty()) return report.no_verdict();
  std::vector<std::string> texts;
  for (int v = 1; v < report.variants_size(); ++v) {
    texts.push_back(absl::StrCat(report.variants(v).letter(), ": ", ResultOf(report, v - 1)));
  }
  return absl::StrJoin(texts, ". ");
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
  if (report.no_verdict().empty()) return PrintComparisons(load, options);
  return options.all ? PrintMetrics(load) : PrintMedians(load);
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
                       "measured iterations. change: of the median against A. n: boots."));
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
  // Why a job has ended is worth a line of its own.
  const bool told = !report.end_reason().empty();
  absl::StrAppend(&out, PrintMachines(report),
                  Labelled("Blocks", absl::StrCat(report.blocks(),
                                                  " with one boot of each: ", OrderText(report),
                                                  " (seed ", report.order_seed(), ")",
                                                  told ? "" : ", ", told ? "" : report.state())),
                  PrintLooks(report));
  if (!report.background().empty()) {
    out += Labelled("Beside", absl::StrJoin(report.background(), "; "));
  }
  if (!report.setup().empty()) out += Labelled("Setup", absl::StrJoin(report.setup(), "; "));
  if (told) {
    out += Labelled("State", absl::StrCat(report.state(), ": ", report.end_reason()));
  }
  out += Labelled("Result", ResultText(report));
  return out;
}

std::string PrintTail(const v1::Report& report, const PrintOptions& options) {
  return absl::StrCat(PrintControl(report, options), PrintNotes(report), PrintOutcomes(report),
                      PrintFailures(report, options), PrintBuildFailures(report),
                      PrintDifferences(report, options), PrintOtherFacts(report, options),
                      PrintRepeat(report));
}

std::string PrintReport(const v1::Report& report, const PrintOptions& options) {
  std::string out = PrintHead(report);
  out +=
      report.no_verdict().empty() ? PrintVerdicts(report, options) : PrintValues(report, options);
  out += PrintTail(report, options);
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
