#include "controller/service/import_text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "controller/import/parse.h"
#include "controller/import/plain.h"
#include "controller/import/rows.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::Status Bad(const v1::AddImportRequest& request, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("file ", Quoted(request.file()), ": ", what));
}

// "line 3: …; line 9: …; and 4 more".
std::string LinesOf(const std::vector<importer::Refusal>& refused) {
  constexpr size_t kMost = 10;
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::min(refused.size(), kMost); ++i) {
    lines.push_back(
        absl::StrCat("line ", refused[i].line, ": ", PrintableLine(refused[i].reason, 300)));
  }
  if (refused.size() > kMost)
    lines.push_back(absl::StrCat("and ", refused.size() - kMost, " more"));
  return absl::StrJoin(lines, "; ");
}

absl::Status CheckParsed(const v1::AddImportRequest& request, const importer::Parsed& parsed) {
  if (parsed.results.empty()) {
    return Bad(request, absl::StrCat("no results in it: ", LinesOf(parsed.refused)));
  }
  if (parsed.results.size() > store::kMaxImportValues) {
    return Bad(request, absl::StrCat(parsed.results.size(), " values, want at most ",
                                     store::kMaxImportValues, ": bring it in parts"));
  }
  if (parsed.refused.empty() || request.partly()) return absl::OkStatus();
  return Bad(request, absl::StrCat("not all of it can be read: ", LinesOf(parsed.refused)));
}

// Which kernel a name of the text stands for. A text of the plain form says it itself.
absl::StatusOr<std::string> KernelOf(const v1::AddImportRequest& request,
                                     const std::vector<std::string>& names, bool plain,
                                     const std::string& name) {
  if (const auto found = request.variants().find(name); found != request.variants().end()) {
    return found->second;
  }
  if (names.size() == 1 && !request.kernel().empty()) return request.kernel();
  if (plain) return name;
  if (names.size() == 1) {
    return Bad(request,
               absl::StrCat("want the kernel that these numbers are of",
                            name.empty() ? "" : absl::StrCat("; the text says ", Quoted(name))));
  }
  std::vector<std::string> shown;
  for (const std::string& one : names) shown.push_back(one.empty() ? "(no name)" : Quoted(one));
  return Bad(request,
             absl::StrCat("the text is of ", names.size(), " systems, ", absl::StrJoin(shown, ", "),
                          ": want a kernel for ", name.empty() ? "(no name)" : Quoted(name)));
}

absl::StatusOr<std::vector<store::ImportVariant>> VariantsOf(const v1::AddImportRequest& request,
                                                             const std::vector<std::string>& names,
                                                             bool plain) {
  for (const auto& [name, kernel] : request.variants()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return Bad(request, absl::StrCat("the text has no column or kernel ", Quoted(name)));
  }
  if (names.size() > store::kMaxImportVariants) {
    return Bad(request,
               absl::StrCat(names.size(), " kernels, want at most ", store::kMaxImportVariants));
  }
  std::vector<store::ImportVariant> variants;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string text, KernelOf(request, names, plain, name));
    ASSIGN_OR_RETURN(const KernelWithTunables kernel, ParseKernelText(text));
    variants.push_back({name, kernel.kernel, kernel.tunables});
  }
  return variants;
}

v1::ImportedValue ValueOf(const importer::Row& row) {
  v1::ImportedValue value;
  value.set_metric(row.metric);
  value.set_value(row.value);
  value.set_unit(row.unit);
  value.set_run(static_cast<uint32_t>(row.run));
  value.set_line(static_cast<uint32_t>(row.line));
  value.set_starred(importer::IsStarred(row));
  value.set_variant(row.variant);
  value.set_detail(row.detail);
  value.set_iteration(static_cast<uint32_t>(row.iteration));
  value.set_warmup(row.warmup);
  value.set_unit_said(row.unit_said);
  value.set_direction(std::string(importer::DirectionWord(row.direction)));
  for (const std::string& mark : row.marks) value.add_marks(mark);
  return value;
}

absl::Status FillFromHead(const v1::AddImportRequest& request, const importer::PlainHead& head,
                          store::NewImport& import) {
  if (import.machine.empty()) import.machine = head.machine;
  if (import.source.empty()) import.source = head.source;
  import.facts.insert(head.facts.begin(), head.facts.end());
  if (head.measured.empty() || import.measured.has_value()) return absl::OkStatus();
  absl::Time time;
  std::string error;
  if (!absl::ParseTime("%Y-%m-%d", head.measured, &time, &error)) {
    return Bad(request, absl::StrCat("measured ", Quoted(head.measured), ": want YYYY-MM-DD"));
  }
  import.measured.emplace();
  import.measured->set_seconds(absl::ToUnixSeconds(time));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<KernelWithTunables> ParseKernelText(absl::string_view text) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipWhitespace());
  KernelWithTunables kernel;
  kernel.kernel = words.empty() ? "" : words[0];
  RETURN_IF_ERROR(CheckName("kernel", kernel.kernel));
  for (size_t i = 1; i < words.size(); ++i) {
    if (PrintableLine(words[i], 200) != words[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "kernel ", Quoted(text), ": want printable words of at most 200 bytes behind the name"));
    }
    absl::StrAppend(&kernel.tunables, i > 1 ? " " : "", words[i]);
  }
  return kernel;
}

absl::StatusOr<store::NewImport> PrepareImport(const v1::AddImportRequest& request,
                                               const std::string& submitter) {
  if (request.raw().empty() || request.raw().size() > store::kMaxImportBytes) {
    return Bad(request,
               absl::StrCat(request.raw().size(), " bytes, want 1 to ", store::kMaxImportBytes));
  }
  const importer::Parsed parsed = importer::ParseText(request.raw());
  RETURN_IF_ERROR(CheckParsed(request, parsed));
  const std::vector<importer::Row> rows = importer::RowsOf(parsed);
  const std::optional<importer::PlainHead> head = importer::PlainHeadOf(request.raw());
  store::NewImport import;
  import.file = PrintableLine(request.file());
  import.raw = request.raw();
  import.format = importer::ToolsOf(parsed);
  import.machine = request.machine();
  import.source = request.source();
  import.submitter = submitter;
  import.facts.insert(request.facts().begin(), request.facts().end());
  if (request.has_measured()) import.measured = request.measured();
  import.refused = static_cast<uint32_t>(parsed.refused.size());
  if (head.has_value()) RETURN_IF_ERROR(FillFromHead(request, *head, import));
  if (import.machine.empty()) return Bad(request, "want the machine that it was measured on");
  ASSIGN_OR_RETURN(import.variants,
                   VariantsOf(request, importer::VariantsOf(rows), head.has_value()));
  import.values.reserve(rows.size());
  for (const importer::Row& row : rows) import.values.push_back(ValueOf(row));
  return import;
}

}  // namespace shakedown::service
