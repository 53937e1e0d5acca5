// The call of ImportApi that puts kernels side by side.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/kernel_table.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "controller/plan/text_activity.h"
#include "controller/service/import_api.h"
#include "controller/service/import_text.h"
#include "controller/service/import_warnings.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_call.h"
#include "db/store/imports.h"
#include "db/store/kernel_runs.h"
#include "db/store/notes.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr int kMostKernels = 16;
constexpr uint32_t kMostNotes = 200;

// What a boot's load was, as far as other jobs' boots may differ in it.
std::string DetailOf(const v1::JobSpec& spec, uint32_t load) {
  if (static_cast<int>(load) >= spec.loads_size()) return "";
  std::string text = plan::PrintLoad(spec.loads(static_cast<int>(load)));
  for (const v1::Activity& activity : spec.background()) {
    absl::StrAppend(&text, "; beside ", plan::PrintActivity(activity));
  }
  for (const v1::SetupStep& step : spec.setup()) {
    absl::StrAppend(&text, "; ", plan::PrintSetupStep(step));
  }
  return text;
}

void AddImports(const std::vector<store::ImportedRun>& imported,
                std::vector<compare::KernelRun>& runs) {
  for (const store::ImportedRun& run : imported) {
    runs.push_back({.kernel = store::KernelText(run.kernel, run.tunables),
                    .origin = "imports",
                    .metric = run.metric,
                    .detail = run.detail,
                    .unit = run.unit,
                    .direction = run.direction,
                    .value = run.value,
                    .starred = run.starred,
                    .import = run.import});
  }
}

void AddFarm(const store::FarmRuns& farm, std::vector<compare::KernelRun>& runs) {
  for (const store::FarmRun& run : farm.runs) {
    const v1::JobSpec& spec = farm.jobs.at(run.job);
    if (static_cast<int>(run.variant) >= spec.variants_size()) continue;
    const v1::Variant& variant = spec.variants(static_cast<int>(run.variant));
    if (variant.control()) continue;  // The baseline once more, for the machine's noise.
    runs.push_back({.kernel = plan::PrintVariant(variant),
                    .origin = "farm",
                    .metric = run.metric,
                    .detail = DetailOf(spec, run.load),
                    .unit = run.unit,
                    .value = run.value,
                    .boot = run.boot});
  }
}

bool IsOf(const std::string& column, const std::string& kernel) {
  return column == kernel || absl::StartsWith(column, absl::StrCat(kernel, " "));
}

// A kernel that is asked for without tunables has a column for each set of them, the one without
// first.
std::vector<std::string> ColumnsOf(const std::vector<KernelWithTunables>& asked,
                                   const std::vector<compare::KernelRun>& runs) {
  std::vector<std::string> columns;
  std::set<std::string> seen;
  const auto add = [&](const std::string& column) {
    if (seen.insert(column).second) columns.push_back(column);
  };
  for (const KernelWithTunables& kernel : asked) {
    const std::string text = store::KernelText(kernel.kernel, kernel.tunables);
    const bool there =
        std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.kernel == text; });
    if (there) add(text);
    if (!kernel.tunables.empty()) continue;
    for (const compare::KernelRun& run : runs) {
      if (IsOf(run.kernel, kernel.kernel)) add(run.kernel);
    }
  }
  return columns;
}

// It has numbers on the machine, but none of what was asked for.
std::string NoneOfThese(const KernelWithTunables& kernel,
                        const v1::CompareKernelsRequest& request) {
  const std::string metrics =
      request.metric().empty()
          ? ""
          : absl::StrCat(" of a metric that begins with ", Quoted(request.metric()));
  const bool tunables = !kernel.tunables.empty();
  return absl::StrCat(store::KernelText(kernel.kernel, kernel.tunables),
                      ": has numbers on machine ", request.machine(), ", but none",
                      tunables ? " with these tunables" : "",
                      tunables && !metrics.empty() ? " or none" : "", metrics);
}

absl::Status NoNumbers(store::Database& database, const KernelWithTunables& kernel,
                       const v1::CompareKernelsRequest& request) {
  ASSIGN_OR_RETURN(const std::vector<std::string> machines,
                   FromStore([&] { return store::MachinesWith(database, kernel.kernel); }));
  if (std::find(machines.begin(), machines.end(), request.machine()) != machines.end()) {
    return absl::NotFoundError(absl::StrCat("kernel ", NoneOfThese(kernel, request)));
  }
  return absl::NotFoundError(absl::StrCat(
      "kernel ", store::KernelText(kernel.kernel, kernel.tunables), ": no numbers on machine ",
      request.machine(),
      machines.empty() ? "; none anywhere else either"
                       : absl::StrCat("; there are some on ", absl::StrJoin(machines, ", "))));
}

void WarnOfCounts(const store::FarmRuns& farm, v1::CompareKernelsResponse& response) {
  bool starred = false;
  bool decided = false;
  bool farm_rows = false;
  for (const auto& row : response.rows()) {
    farm_rows = farm_rows || row.origin() == "farm";
    for (const auto& cell : row.cells()) starred = starred || cell.starred();
    for (const std::string& verdict : row.verdict()) decided = decided || verdict != "insufficient";
  }
  if (!decided && response.kernels_size() > 1) {
    response.add_warnings(
        "too few runs for any verdict: at least 4 texts or boots of each kernel are wanted, and "
        "runs within one text count as one");
  }
  if (starred) {
    response.add_warnings(
        "stars are asterisks that the author of a text put there by a rule of his own; they are "
        "kept and play no part in verdicts");
  }
  if (farm_rows) {
    response.add_warnings(
        "boots of the farm are compared here without their blocks: the report of a job pairs them "
        "and is sharper");
  }
  for (const std::string& kernel : farm.cut) {
    response.add_warnings(
        absl::StrCat(kernel, ": only its newest ", store::kMostBoots, " boots on this machine"));
  }
}

}  // namespace

absl::StatusOr<v1::CompareKernelsResponse> ImportApi::CompareKernels(
    const v1::CompareKernelsRequest& request) {
  if (request.kernels().empty() || request.kernels_size() > kMostKernels) {
    return absl::InvalidArgumentError(
        absl::StrCat(request.kernels_size(), " kernels: want 1 to ", kMostKernels));
  }
  RETURN_IF_ERROR(CheckName("machine", request.machine()));
  std::vector<KernelWithTunables> asked;
  store::RunsQuery query{.machine = request.machine(), .metric = request.metric()};
  for (const std::string& text : request.kernels()) {
    ASSIGN_OR_RETURN(KernelWithTunables kernel, ParseKernelText(text));
    query.kernels.push_back(kernel.kernel);
    asked.push_back(std::move(kernel));
  }
  ASSIGN_OR_RETURN(const std::vector<store::ImportedRun> imported,
                   FromStore([&] { return store::ImportedRuns(database_, query); }));
  ASSIGN_OR_RETURN(const store::FarmRuns farm,
                   FromStore([&] { return store::MeasuredRuns(database_, query); }));
  ASSIGN_OR_RETURN(const std::vector<store::ImportFacts> facts,
                   FromStore([&] { return store::FactsOfImports(database_, query); }));
  std::vector<compare::KernelRun> runs;
  AddImports(imported, runs);
  AddFarm(farm, runs);
  for (const KernelWithTunables& kernel : asked) {
    if (ColumnsOf({kernel}, runs).empty()) return NoNumbers(database_, kernel, request);
  }
  const std::vector<std::string> columns = ColumnsOf(asked, runs);
  ASSIGN_OR_RETURN(v1::CompareKernelsResponse response,
                   NoThrow("compare", [&]() -> absl::StatusOr<v1::CompareKernelsResponse> {
                     return compare::CompareRuns(columns, runs);
                   }));
  TextsByKernel texts;
  for (const store::ImportFacts& one : facts) {
    texts[store::KernelText(one.kernel, one.tunables)].push_back(one);
  }
  for (const std::string& warning : FactWarnings(columns, texts)) response.add_warnings(warning);
  for (const std::string& warning : PoolingWarnings(columns, texts)) response.add_warnings(warning);
  WarnOfCounts(farm, response);
  std::set<std::string> subjects = {absl::StrCat("machine:", request.machine())};
  for (const std::string& kernel : query.kernels) subjects.insert(absl::StrCat("kernel:", kernel));
  ASSIGN_OR_RETURN(
      const std::vector<v1::NoteView> notes, FromStore([&] {
        return store::NotesAbout(database_, {subjects.begin(), subjects.end()}, 0, kMostNotes);
      }));
  for (const v1::NoteView& note : notes) *response.add_notes() = note;
  return response;
}

}  // namespace shakedown::service
