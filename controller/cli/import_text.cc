#include "controller/cli/import_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "controller/cli/input_file.h"
#include "controller/import/parse.h"
#include "controller/import/plain.h"
#include "controller/import/rows.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

constexpr size_t kMostBytes = 16 << 20;  // That the farm takes.
constexpr size_t kMostLines = 20;        // Of a summary.

absl::Status Unclear(const ReadText& text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(PrintableLine(text.file), ": ", what));
}

// A name, or a name and tunables.
absl::Status CheckKernelText(absl::string_view text) {
  return CheckName("kernel", text.substr(0, text.find(' ')));
}

// Asks until the answer passes `check`; an empty answer takes `offer` unless that is empty.
template <typename Check>
absl::StatusOr<std::string> AskFor(Screen& screen, const std::string& question,
                                   const std::string& offer, const Check& check) {
  for (;;) {
    const std::optional<std::string> line = screen.Ask(
        absl::StrCat(question, offer.empty() ? "" : absl::StrCat(" [", offer, "]"), " "));
    if (!line.has_value()) return absl::AbortedError("no answer, nothing was stored");
    std::string answer(absl::StripAsciiWhitespace(*line));
    if (answer.empty()) answer = offer;
    if (answer.empty()) continue;
    const absl::Status good = check(answer);
    if (good.ok()) return answer;
    screen.Complain(good);
  }
}

// Whether a person says yes; without an answer: no.
bool Agrees(Screen& screen, absl::string_view question) {
  const std::optional<std::string> answer = screen.Ask(absl::StrCat(question, " [y/N] "));
  return answer.has_value() && (*answer == "y" || *answer == "Y" || *answer == "yes");
}

// COLUMN=KERNEL; a column may have an equals sign in its name.
absl::Status TakeColumns(const ReadText& text, const ImportArgs& args,
                         std::map<std::string, std::string>& kernels) {
  for (const std::string& option : args.columns) {
    const auto column =
        std::find_if(text.variants.begin(), text.variants.end(), [&](const std::string& name) {
          return !name.empty() && option.size() > name.size() && option[name.size()] == '=' &&
                 absl::StartsWith(option, name);
        });
    if (text.variants.size() == 1 && text.variants[0].empty()) {
      return Unclear(text, absl::StrCat("--as ", Quoted(option),
                                        ": the text names no column and no kernel; want "
                                        "--kernel KERNEL"));
    }
    if (column == text.variants.end()) {
      return Unclear(text,
                     absl::StrCat("--as ", Quoted(option), ": want COLUMN=KERNEL with one of ",
                                  absl::StrJoin(text.variants, ", ")));
    }
    const std::string kernel = option.substr(column->size() + 1);
    RETURN_IF_ERROR(CheckKernelText(kernel));
    kernels[*column] = kernel;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> AskForKernel(Screen& screen, const ReadText& text,
                                         const std::string& name) {
  const std::string says = name.empty() ? "" : absl::StrCat("; the text says ", Quoted(name));
  if (!screen.can_ask()) {
    return Unclear(text, absl::StrCat("the kernel is not said", says, ": want ",
                                      text.variants.size() > 1
                                          ? absl::StrCat("--as ", PrintableLine(name), "=KERNEL")
                                          : "--kernel KERNEL"));
  }
  const std::string offer = CheckKernelText(name).ok() ? name : "";
  return AskFor(screen, absl::StrCat(PrintableLine(text.file), ": of which kernel?", says), offer,
                CheckKernelText);
}

// A kernel is said and the text names another one: a mixed-up file is stored under a wrong name for
// years. Without anybody to ask it is remarked and stored: it was said.
absl::Status CheckSaidKernel(Screen& screen, const ReadText& text, const ImportArgs& args) {
  if (text.variants.empty() || text.variants[0].empty() || text.plain) return absl::OkStatus();
  const absl::string_view said = absl::string_view(args.kernel).substr(0, args.kernel.find(' '));
  const std::string name = absl::AsciiStrToLower(text.variants[0]);
  const std::string kernel = absl::AsciiStrToLower(said);
  if (absl::StrContains(name, kernel) || absl::StrContains(kernel, name)) return absl::OkStatus();
  const std::string names = absl::StrCat(PrintableLine(text.file), ": the text names ",
                                         Quoted(text.variants[0]), ", not ", Quoted(said));
  if (args.yes || !screen.can_ask()) {
    screen.Note(absl::StrCat("note: ", names));
    return absl::OkStatus();
  }
  if (Agrees(screen, absl::StrCat(names, ". Store it as ", Quoted(said), "?"))) {
    return absl::OkStatus();
  }
  return absl::AbortedError(absl::StrCat(PrintableLine(text.file), ": not stored"));
}

absl::Status FillKernels(Screen& screen, const ReadText& text, const ImportArgs& args,
                         v1::AddImportRequest& request) {
  std::map<std::string, std::string> kernels;
  RETURN_IF_ERROR(TakeColumns(text, args, kernels));
  if (!args.kernel.empty()) {
    if (text.variants.size() > 1) {
      return Unclear(text, absl::StrCat("is of ", text.variants.size(), " systems, ",
                                        PrintableLine(absl::StrJoin(text.variants, ", ")),
                                        ": want --as COLUMN=KERNEL for each, not --kernel"));
    }
    RETURN_IF_ERROR(CheckKernelText(args.kernel));
    RETURN_IF_ERROR(CheckSaidKernel(screen, text, args));
    if (kernels.empty()) request.set_kernel(args.kernel);
  }
  for (const std::string& name : text.variants) {
    if (kernels.count(name) > 0 || !request.kernel().empty() || text.plain) continue;
    ASSIGN_OR_RETURN(std::string kernel, AskForKernel(screen, text, name));
    if (name.empty()) {
      request.set_kernel(std::move(kernel));
    } else {
      kernels[name] = std::move(kernel);
    }
  }
  request.mutable_variants()->insert(kernels.begin(), kernels.end());
  return absl::OkStatus();
}

absl::Status FillMachine(Screen& screen, const ReadText& text, const ImportArgs& args,
                         std::string* machine, v1::AddImportRequest& request) {
  if (!args.machine.empty()) {
    RETURN_IF_ERROR(CheckName("machine", args.machine));
    request.set_machine(args.machine);
    return absl::OkStatus();
  }
  if (!text.machine.empty()) return absl::OkStatus();
  if (!screen.can_ask()) return Unclear(text, "the machine is not said: want --machine NAME");
  ASSIGN_OR_RETURN(
      *machine,
      AskFor(screen, absl::StrCat(PrintableLine(text.file), ": measured on which machine?"),
             *machine, [](absl::string_view name) { return CheckName("machine", name); }));
  request.set_machine(*machine);
  return absl::OkStatus();
}

absl::Status FillFacts(const ImportArgs& args, v1::AddImportRequest& request) {
  for (const std::string& fact : args.facts) {
    const size_t equals = fact.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("--fact ", Quoted(fact), ": want NAME=VALUE"));
    }
    (*request.mutable_facts())[fact.substr(0, equals)] = fact.substr(equals + 1);
  }
  if (args.measured.empty()) return absl::OkStatus();
  absl::Time time;
  std::string error;
  if (!absl::ParseTime("%Y-%m-%d", args.measured, &time, &error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--measured ", Quoted(args.measured), ": want YYYY-MM-DD"));
  }
  request.mutable_measured()->set_seconds(absl::ToUnixSeconds(time));
  return absl::OkStatus();
}

absl::Status AskForTheRest(Screen& screen, const ReadText& text, const ImportArgs& args,
                           v1::AddImportRequest& request) {
  if (text.parsed.refused.empty() || text.parsed.results.empty()) return absl::OkStatus();
  request.set_partly(true);
  if (args.yes) return absl::OkStatus();
  const std::string what = absl::StrCat(text.parsed.refused.size(), " lines can not be read");
  if (!screen.can_ask()) {
    return absl::FailedPreconditionError(
        absl::StrCat(PrintableLine(text.file), ": ", what, "; --yes stores the rest"));
  }
  if (Agrees(screen, absl::StrCat(PrintableLine(text.file), ": ", what, ". Store the rest?"))) {
    return absl::OkStatus();
  }
  return absl::AbortedError(absl::StrCat(PrintableLine(text.file), ": not stored"));
}

struct Seen {
  std::string unit;
  size_t values = 0;
  double lowest = 0;
  double highest = 0;
};

std::string RangeText(const Seen& seen) {
  const std::string unit = seen.unit.empty() ? "(no unit)" : seen.unit == "1" ? "" : seen.unit;
  return seen.lowest == seen.highest
             ? absl::StrFormat("%g %s", seen.lowest, unit)
             : absl::StrFormat("%g to %g %s", seen.lowest, seen.highest, unit);
}

}  // namespace

absl::StatusOr<ReadText> ReadForImport(const std::string& file) {
  ReadText text;
  text.file = file;
  ASSIGN_OR_RETURN(text.raw, ReadInput(file, kMostBytes));
  text.parsed = importer::ParseText(text.raw);
  text.variants = importer::VariantsOf(importer::RowsOf(text.parsed));
  text.format = importer::ToolsOf(text.parsed);
  if (const auto head = importer::PlainHeadOf(text.raw); head.has_value()) {
    text.plain = true;
    text.machine = head->machine;
  }
  return text;
}

std::string Summary(const ReadText& text) {
  std::vector<std::string> order;
  std::map<std::string, Seen> metrics;
  for (const importer::Result& result : text.parsed.results) {
    const std::string key = absl::StrCat(PrintableLine(result.metric), " ", result.unit);
    auto [seen, added] =
        metrics.try_emplace(key, Seen{PrintableLine(result.unit), 0, result.value, result.value});
    if (added) order.push_back(key);
    ++seen->second.values;
    seen->second.lowest = std::min(seen->second.lowest, result.value);
    seen->second.highest = std::max(seen->second.highest, result.value);
  }
  std::string out =
      absl::StrCat(PrintableLine(text.file, 400), ": ", text.parsed.results.size(), " values",
                   text.format.empty() ? "" : absl::StrCat(" of ", text.format),
                   text.variants == std::vector<std::string>{""}
                       ? ""
                       : absl::StrCat("; the text names ",
                                      PrintableLine(absl::StrJoin(text.variants, ", "), 400)),
                   "\n");
  for (size_t i = 0; i < std::min(order.size(), kMostLines); ++i) {
    const Seen& seen = metrics[order[i]];
    const std::string metric = order[i].substr(0, order[i].rfind(' '));
    absl::StrAppend(&out, "  ", metric, ": ", seen.values,
                    seen.values == 1 ? " value, " : " values, ", RangeText(seen), "\n");
  }
  if (order.size() > kMostLines) {
    absl::StrAppend(&out, "  and ", order.size() - kMostLines,
                    " more metrics (--dry-run shows every value)\n");
  }
  for (size_t i = 0; i < std::min(text.parsed.refused.size(), kMostLines); ++i) {
    const importer::Refusal& refusal = text.parsed.refused[i];
    absl::StrAppend(&out, "  line ", refusal.line, " refused: ", PrintableLine(refusal.reason, 400),
                    "\n");
  }
  if (text.parsed.refused.size() > kMostLines) {
    absl::StrAppend(&out, "  and ", text.parsed.refused.size() - kMostLines,
                    " more lines refused\n");
  }
  return out;
}

absl::StatusOr<v1::AddImportRequest> RequestFor(Screen& screen, const ReadText& text,
                                                const ImportArgs& args, std::string* machine) {
  if (text.parsed.results.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(PrintableLine(text.file), ": no results in it, not stored"));
  }
  v1::AddImportRequest request;
  request.set_file(PrintableLine(text.file.substr(text.file.rfind('/') + 1)));
  request.set_source(ToUtf8(args.source));
  RETURN_IF_ERROR(FillFacts(args, request));
  RETURN_IF_ERROR(FillKernels(screen, text, args, request));
  RETURN_IF_ERROR(FillMachine(screen, text, args, machine, request));
  RETURN_IF_ERROR(AskForTheRest(screen, text, args, request));
  request.set_raw(text.raw);
  return request;
}

}  // namespace shakedown::cli
